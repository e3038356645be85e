import { readdir, rm, stat } from 'node:fs/promises';
import { KubeError } from 'kube-informer/core';
import {
  durableGenerationFileName,
  durableFileGeneration,
  readDurableFileEntries,
  type ReadResult,
  removeOlderDurableFiles,
  writeDurableFileAt,
} from './files.ts';
import { type FileEntry, type LogEntry, MAGIC } from './log-entry.ts';
import { openPrivateRegularFile } from './private-file.ts';

/** Result of reading a directory. */
export interface Recovery {
  /** Changes that were handed over. */
  readonly entries: number;
  /** The highest revision that was ever written, of something deleted since as well; 0 for an empty directory. */
  readonly revision: number;
  /** Bytes at the end that were cut off or damaged, and are gone now. */
  readonly droppedBytes: number;
}

/** The position at which the log is continued. */
export interface LogPosition {
  readonly generation: number;
  /** Bytes of all logs since the snapshot. */
  readonly logBytes: number;
  readonly snapshotBytes: number;
}

const FIRST_GENERATION = 1;

/**
 * Hands over everything a directory holds, oldest first: the newest snapshot, then the logs since.
 *
 * Stops at the first entry that is cut off or damaged. The rest was never acknowledged (or belongs to
 * something that was not), so it is removed, and the log continues from there. A snapshot is different: it was complete
 * before it got its name, so a damaged one means that the disk lost data, and nothing is touched.
 */
export async function recover(
  dir: string,
  apply: (entry: LogEntry) => void,
): Promise<{ recovery: Recovery; position: LogPosition }> {
  const names = await readdir(dir);
  const generations = (kind: 'log' | 'snapshot'): number[] =>
    names.flatMap((name) => durableFileGeneration(name, kind) ?? []).toSorted((a, b) => a - b);
  const base = generations('snapshot').at(-1);
  const logs = generations('log').filter((generation) => base === undefined || generation >= base);

  let entries = 0;
  let revision = 0;
  let isComplete = false;
  const take = (entry: FileEntry): void => {
    revision = Math.max(revision, entry.revision);
    if (entry.op === 'end') {
      isComplete = true;
      return;
    }
    entries += 1;
    apply(entry);
  };

  let snapshotBytes = 0;
  if (base !== undefined) {
    const path = durableGenerationFileName(dir, 'snapshot', base);
    const read = await readDurableFileEntries(path, take);
    if (!isComplete || read.goodBytes !== read.totalBytes)
      throw new KubeError('ILLEGAL_STATE', `${path} is damaged at byte ${read.goodBytes}: restore it from a copy`);
    snapshotBytes = read.totalBytes;
  }

  const oldest = base ?? FIRST_GENERATION;
  let generation = oldest;
  let logBytes = 0;
  let droppedBytes = 0;
  for (const next of logs) {
    const path = durableGenerationFileName(dir, 'log', next);
    if (next > generation + 1)
      throw new KubeError('ILLEGAL_STATE', `the file before ${path} is missing; restore the directory from a copy`);
    // Once something is missing, what came later cannot be put in its place.
    if (droppedBytes > 0) {
      droppedBytes += await removeUnrecoverableLog(path);
      continue;
    }
    const read = await readDurableFileEntries(path, take);
    if (!read.isOurs) throw new KubeError('ILLEGAL_STATE', `${path} is not a log of this server`);
    droppedBytes += read.totalBytes - read.goodBytes;
    await truncateRecoveredLog(path, read);
    generation = next;
    logBytes += read.goodBytes;
  }
  await removeOlderDurableFiles(dir, oldest);
  return { recovery: { entries, revision, droppedBytes }, position: { generation, logBytes, snapshotBytes } };
}

/** Leaves nothing behind the last good entry: the next one must follow it directly. */
async function truncateRecoveredLog(path: string, { goodBytes, totalBytes }: ReadResult): Promise<void> {
  if (goodBytes === totalBytes && goodBytes > 0) return;
  const handle = await openPrivateRegularFile(path, true);
  if (handle === undefined) return;
  try {
    await handle.truncate(goodBytes);
    if (goodBytes === 0) await writeDurableFileAt(handle, MAGIC, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeUnrecoverableLog(path: string): Promise<number> {
  const { size } = await stat(path);
  await rm(path);
  return size;
}

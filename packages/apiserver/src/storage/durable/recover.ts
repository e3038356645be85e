import { readdir } from 'node:fs/promises';
import { KubeError } from 'kube-informer/core';
import {
  durableGenerationFileName,
  durableFileGeneration,
  readDurableFileEntries,
  type ReadResult,
  removeOlderDurableFiles,
  writeDurableFileAt,
} from './durable-files.ts';
import { type FileEntry, type LogEntry, MAGIC } from './log-entry.ts';
import { findLogDamage, logDamageError, setLogDamageAside } from './log-damage.ts';
import { openPrivateRegularFile } from './private-file.ts';

/** Result of reading a directory. */
export interface Recovery {
  /** Number of changes that were passed on. */
  readonly entries: number;
  /** The highest revision that was ever written, including those of deleted objects; 0 for an empty directory. */
  readonly revision: number;
  /** Number of bytes of an incomplete last entry, which was removed. */
  readonly droppedBytes: number;
  /** Copies of damaged logs, and later logs, after a repair. */
  readonly setAside: readonly string[];
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
 * Passes on everything in a directory, oldest first: the newest snapshot, then the logs since.
 *
 * An incomplete last entry is left by a crash: it was never acknowledged, so it is removed, and the log
 * continues from there. Any other damage is caused by the disk or a person: then this throws ILLEGAL_STATE
 * and changes nothing; with `repair` it keeps everything before a damaged entry, and sets the damaged log and
 * those after it aside.
 */
export async function recover(
  dir: string,
  apply: (entry: LogEntry) => void,
  repair = false,
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
  const newest = logs.at(-1) ?? oldest;
  // Every generation has a log, created before its snapshot: a gap is a file that was removed.
  const missing = logs.length === 0 && base === undefined ? undefined : firstGenerationToRecover(oldest, logs);
  if (missing !== undefined)
    throw new KubeError(
      'ILLEGAL_STATE',
      `${durableGenerationFileName(dir, 'log', missing)} is missing; restore the directory from a copy`,
    );
  let generation = oldest;
  let logBytes = 0;
  let droppedBytes = 0;
  let setAside: readonly string[] = [];
  for (generation of logs) {
    const path = durableGenerationFileName(dir, 'log', generation);
    const read = await readDurableFileEntries(path, take);
    if (!read.isOurs) throw new KubeError('ILLEGAL_STATE', `${path} is not a log of this server`);
    logBytes += read.goodBytes;
    const damage = await findLogDamage(path, read, generation === newest);
    if (damage !== undefined) {
      if (!repair) throw logDamageError(path, read, damage);
      const later = logs.filter((each) => each > generation).map((each) => durableGenerationFileName(dir, 'log', each));
      setAside = await setLogDamageAside(path, later);
    } else droppedBytes = read.totalBytes - read.goodBytes;
    await truncateToRecover(path, read);
    // Once something is missing, later changes cannot be applied.
    if (damage !== undefined) break;
  }
  await removeOlderDurableFiles(dir, oldest);
  return { recovery: { entries, revision, droppedBytes, setAside }, position: { generation, logBytes, snapshotBytes } };
}

/** The first missing generation; undefined if there is a log of each from `oldest` on. `logs` is sorted. */
function firstGenerationToRecover(oldest: number, logs: readonly number[]): number | undefined {
  if (logs.length === 0) return oldest;
  const at = logs.findIndex((generation, index) => generation !== oldest + index);
  return at === -1 ? undefined : oldest + at;
}

/** Removes everything after the last valid entry: the next one must follow it directly. */
async function truncateToRecover(path: string, { goodBytes, totalBytes }: ReadResult): Promise<void> {
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

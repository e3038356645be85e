import { open, rename, rm } from 'node:fs/promises';
import {
  durableGenerationFileName,
  removeOlderDurableFiles,
  syncDurableFileNames,
  writeDurableFileAt,
} from './durable-files.ts';
import { encodeLogEntry, type LogEntry, MAGIC } from './log-entry.ts';
import { joinLogFileChunks } from './log-file.ts';

/**
 * Writes the state at the beginning of a generation, then removes earlier files. Returns its size.
 *
 * It gets its name only when it is complete and on the disk: a snapshot that exists can be trusted, whatever
 * happens meanwhile.
 */
export async function writeSnapshot(
  dir: string,
  generation: number,
  state: Iterable<Omit<LogEntry, 'op'>>,
  revision: number,
): Promise<number> {
  const path = durableGenerationFileName(dir, 'snapshot', generation);
  const part = `${path}.part`;
  let bytes = 0;
  try {
    const handle = await open(part, 'w', 0o600);
    try {
      for (const chunk of joinLogFileChunks(snapshotPieces(state, revision))) {
        await writeDurableFileAt(handle, chunk, bytes);
        bytes += chunk.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncDurableFileNames(dir);
  await removeOlderDurableFiles(dir, generation);
  return bytes;
}

function* snapshotPieces(state: Iterable<Omit<LogEntry, 'op'>>, revision: number): Generator<Uint8Array> {
  yield MAGIC;
  for (const entry of state) yield* encodeLogEntry({ ...entry, op: 'put' });
  // Contains the revision of changes that left nothing behind: it must not be assigned again.
  yield* encodeLogEntry({ op: 'end', revision });
}

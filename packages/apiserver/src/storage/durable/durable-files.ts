import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateRegularFile } from './private-file.ts';
import { decodeLogEntry, type FileEntry, MAGIC } from './log-entry.ts';

/**
 * Files of a data directory. A generation begins with a snapshot (except the first one) and continues with a log:
 *
 *   log-1                        everything since the beginning
 *   snapshot-2  log-2            everything up to a moment, and what came after it
 *   snapshot-2  log-2  log-3     snapshot-3 is being written, or was when the process ended
 */
export type FileKind = 'log' | 'snapshot';

export const durableGenerationFileName = (dir: string, kind: FileKind, generation: number): string =>
  join(dir, `${kind}-${String(generation).padStart(8, '0')}`);

/** Generation of a file name; undefined for other files, including half-written snapshots. */
export function durableFileGeneration(name: string, kind: FileKind): number | undefined {
  const match = /^(log|snapshot)-(\d{8,})$/.exec(name);
  return match?.[1] === kind ? Number(match[2]) : undefined;
}

/** The result of reading a file: all of it was read, or it has invalid content from some byte on. */
export interface ReadResult {
  /** Number of bytes up to the end of the last valid entry. */
  readonly goodBytes: number;
  /** Number of valid entries. */
  readonly entries: number;
  readonly totalBytes: number;
  /** Whether the file begins with our magic bytes. A file cut within them counts as an empty one. */
  readonly isOurs: boolean;
}

const CHUNK_BYTES = 1 << 20;

/** Passes every entry to `apply`, in order, up to the first that is cut off or damaged. Values are copies. */
export async function readDurableFileEntries(path: string, apply: (entry: FileEntry) => void): Promise<ReadResult> {
  const handle = await openPrivateRegularFile(path);
  if (handle === undefined) return { goodBytes: 0, entries: 0, totalBytes: 0, isOurs: true };
  try {
    const { size: totalBytes } = await handle.stat();
    const magic = await readDurableFileAt(handle, 0, Math.min(MAGIC.length, totalBytes));
    if (!magic.equals(MAGIC.subarray(0, magic.length))) return { goodBytes: 0, entries: 0, totalBytes, isOurs: false };
    if (magic.length < MAGIC.length) return { goodBytes: 0, entries: 0, totalBytes, isOurs: true };
    let goodBytes = MAGIC.length;
    let entries = 0;
    let want = CHUNK_BYTES;
    while (goodBytes < totalBytes) {
      const chunk = await readDurableFileAt(handle, goodBytes, Math.min(want, totalBytes - goodBytes));
      const used = applyDurableFileChunk(chunk, apply);
      goodBytes += used.bytes;
      entries += used.entries;
      if (used.isBroken || (used.bytes === 0 && chunk.length < want)) break;
      // An entry larger than the chunk: read again with more room.
      want = used.bytes === 0 ? want * 4 : CHUNK_BYTES;
    }
    return { goodBytes, entries, totalBytes, isOurs: true };
  } finally {
    await handle.close();
  }
}

function applyDurableFileChunk(
  chunk: Buffer,
  apply: (entry: FileEntry) => void,
): { readonly bytes: number; readonly entries: number; readonly isBroken: boolean } {
  let at = 0;
  for (let entries = 0; ; entries += 1) {
    const decoded = decodeLogEntry(chunk, at);
    if (typeof decoded === 'string') return { bytes: at, entries, isBroken: decoded === 'broken' };
    const { entry, bytes } = decoded;
    // A view would keep the whole chunk in memory for as long as one small value lives.
    apply('value' in entry ? { ...entry, value: Buffer.from(entry.value) } : entry);
    at += bytes;
  }
}

/** The bytes of a file from a position on. */
export async function readDurableFileEnd(path: string, from: number): Promise<Buffer> {
  const handle = await openPrivateRegularFile(path);
  if (handle === undefined) return Buffer.alloc(0);
  try {
    return await readDurableFileAt(handle, from, Math.max(0, (await handle.stat()).size - from));
  } finally {
    await handle.close();
  }
}

async function readDurableFileAt(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Writes all bytes, however many calls that takes. */
export async function writeDurableFileAt(handle: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, from + written);
    written += bytesWritten;
  }
}

/** Makes new, renamed and deleted names survive a power cut, if the system supports that. */
export async function syncDurableFileNames(dir: string): Promise<void> {
  try {
    const handle = await open(dir, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows cannot open a directory; it journals names by itself.
  }
}

/** Removes files that a snapshot has made superfluous, and snapshots that a process left half-written. */
export async function removeOlderDurableFiles(dir: string, oldest: number): Promise<void> {
  const old = (await readdir(dir)).filter((name) => {
    const generation = durableFileGeneration(name, 'log') ?? durableFileGeneration(name, 'snapshot');
    return generation === undefined ? /^snapshot-\d+\.part$/.test(name) : generation < oldest;
  });
  for (const name of old) await rm(join(dir, name), { force: true });
  if (old.length > 0) await syncDurableFileNames(dir);
}

import { type FileHandle, open } from 'node:fs/promises';
import type { Env } from 'kube-informer/core';
import { durableGenerationFileName, syncDurableFileNames, writeDurableFileAt } from './durable-files.ts';
import { MAGIC } from './log-entry.ts';
import { openPrivateRegularFile } from './private-file.ts';

/** When written bytes are synced to the disk: with every write, at intervals, or when the system does it. */
export type FsyncPolicy = 'always' | 'interval' | 'none';

export interface LogFileOptions {
  readonly dir: string;
  readonly env: Env;
  readonly fsync: FsyncPolicy;
  readonly intervalMs: number;
  /** Called when a sync in the background fails: earlier writes may be lost. */
  readonly onSyncFailure: (cause: unknown) => void;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

/** Maximum size of one write; larger batches take several, so that joining them does not double the memory. */
const WRITE_BYTES = 4 << 20;

/**
 * The file that is being written. Calls must not overlap; the log ensures that.
 *
 * Room rule: knows bytes and when to sync them to the disk. No entries.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  readonly #stop = new AbortController();
  #handle: FileHandle;
  #bytes: number;
  #generation: number;
  #syncing: Promise<void> | undefined;

  private constructor(options: LogFileOptions, { handle, bytes }: OpenFile, generation: number) {
    this.#options = options;
    this.#handle = handle;
    this.#bytes = bytes;
    this.#generation = generation;
  }

  static async open(options: LogFileOptions, generation: number): Promise<LogFile> {
    return new LogFile(options, await openOrCreateLogFile(options.dir, generation), generation);
  }

  get generation(): number {
    return this.#generation;
  }

  /** Writes all pieces. If it throws, it removes the bytes of the unfinished call if possible. */
  async write(pieces: readonly Uint8Array[]): Promise<void> {
    try {
      for (const chunk of joinLogFileChunks(pieces)) {
        await writeDurableFileAt(this.#handle, chunk, this.#bytes);
        this.#bytes += chunk.length;
      }
    } catch (error) {
      // A partial entry would hide all entries after it from the next start.
      await this.#handle.truncate(this.#bytes).catch(() => {}); // the write's own error is more useful
      throw error;
    }
    if (this.#options.fsync === 'always') await this.#handle.datasync();
    else if (this.#options.fsync === 'interval') this.#syncing ??= this.#syncLater();
  }

  /** Continues in the file of the next generation after this one is synced, because later files need it. */
  async next(): Promise<number> {
    await this.#handle.datasync();
    const { handle, bytes } = await openOrCreateLogFile(this.#options.dir, this.#generation + 1);
    const old = this.#handle;
    this.#handle = handle;
    this.#bytes = bytes;
    this.#generation += 1;
    await old.close();
    return this.#generation;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    try {
      await this.#syncing;
      if (this.#options.fsync !== 'none') await this.#handle.datasync();
    } finally {
      await this.#handle.close();
    }
  }

  async #syncLater(): Promise<void> {
    const { env, intervalMs, onSyncFailure } = this.#options;
    await env.sleep(intervalMs, this.#stop.signal);
    this.#syncing = undefined;
    try {
      await this.#handle.datasync();
    } catch (cause) {
      onSyncFailure(cause);
    }
  }
}

async function openOrCreateLogFile(dir: string, generation: number): Promise<OpenFile> {
  const path = durableGenerationFileName(dir, 'log', generation);
  const known = await openPrivateRegularFile(path, true);
  if (known !== undefined) return { handle: known, bytes: (await known.stat()).size };
  const handle = await open(path, 'wx+', 0o600);
  await writeDurableFileAt(handle, MAGIC, 0);
  await handle.datasync();
  await syncDurableFileNames(dir);
  return { handle, bytes: MAGIC.length };
}

/** The pieces, joined into a few large ones. */
export function* joinLogFileChunks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    batch.push(piece);
    size += piece.length;
    if (size < WRITE_BYTES) continue;
    yield Buffer.concat(batch, size);
    batch = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(batch, size);
}

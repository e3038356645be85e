import { mkdir } from 'node:fs/promises';
import { type Env, KubeError, systemEnv } from 'kube-informer/core';
import { lockDirectory } from './lock.ts';
import { encodeLogEntry, type LogEntry } from './log-entry.ts';
import { type FsyncPolicy, LogFile } from './log-file.ts';
import { type LogPosition, recover, type Recovery } from './recover.ts';
import { writeSnapshot } from './snapshot.ts';
import { requirePrivateDirectory } from './private-file.ts';

export type { FsyncPolicy } from './log-file.ts';
export type { LogEntry } from './log-entry.ts';
export type { Recovery } from './recover.ts';

export interface DurableLogOptions {
  readonly env?: Env;
  /**
   * When written bytes are synced to the disk: before `flush` resolves, at intervals, or when the system does
   * it. With all of them, data survives the end of the process, even kill -9; only the first survives a power
   * cut without loss.
   * @default interval
   */
  readonly fsync?: FsyncPolicy;
  /** Interval for `interval`: a power cut loses at most the writes of this period. @default 1000 */
  readonly fsyncIntervalMs?: number;
  /** Size of the log above which `needsSnapshot` is true, if it is also larger than the snapshot. @default 64 MiB */
  readonly snapshotAfterBytes?: number;
  /** Opens a damaged log with everything before the damage, and sets the damaged files aside. @default false */
  readonly repair?: boolean;
}

/** A pending item: entries to write, a flush to resolve after them, or a switch to a new file. */
type Pending =
  | { readonly kind: 'entries'; readonly pieces: readonly Uint8Array[]; readonly bytes: number }
  | { readonly kind: 'flush'; readonly done: () => void; readonly failed: (error: KubeError) => void }
  | {
      readonly kind: 'switch';
      readonly done: (generation: number) => void;
      readonly failed: (error: KubeError) => void;
    };

/**
 * An append-only log of changes that survives the process.
 *
 * - Records are saved in the order of `append`; those appended in one turn of the event loop take one write.
 * - After a crash at any moment, `open` returns the first part of what was appended: everything before the
 * last `flush`
 *   that resolved, maybe more; never a part of an entry, never an entry without those before it.
 * - A log that is damaged in any other way is refused and left as it is, unless `repair` is set.
 * - One process at a time can use the directory.
 * - After a failed write, `flush` rejects, and later entries are dropped.
 *
 * It keeps no entries in memory once they are written, and does not know what they mean.
 *
 * Room rule: knows files and entries. No store, no objects, no HTTP.
 */
export class DurableLog implements AsyncDisposable {
  /** Result of `open`. */
  readonly recovery: Recovery;
  readonly #dir: string;
  readonly #env: Env;
  readonly #snapshotAfterBytes: number;
  readonly #unlock: () => Promise<void>;
  readonly #file: LogFile;
  #logBytes: number;
  #snapshotBytes: number;
  #pending: Pending[] = [];
  #writing: Promise<void> | undefined;
  #snapshotting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #failure: KubeError | undefined;

  /** Locks a directory, creates it if it is missing, and passes its entries to `apply`, oldest first. */
  static async open(
    dir: string,
    apply: (entry: LogEntry) => void,
    options: DurableLogOptions = {},
  ): Promise<DurableLog> {
    const { env = systemEnv, fsync = 'interval', fsyncIntervalMs = 1000, snapshotAfterBytes = 64 << 20 } = options;
    const { repair = false } = options;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await requirePrivateDirectory(dir);
    const unlock = await lockDirectory(dir);
    try {
      const { recovery, position } = await recover(dir, apply, repair);
      const { droppedBytes, setAside } = recovery;
      if (droppedBytes > 0)
        env.log('warn', 'the last entry of the log was not written completely and was removed', { dir, droppedBytes });
      if (setAside.length > 0)
        env.log('warn', 'the log was damaged and ends before the damage now; the damaged files are kept', { setAside });
      const onSyncFailure = (cause: unknown): void => void log.#fail(cause);
      const file = await LogFile.open(
        { dir, env, fsync, intervalMs: fsyncIntervalMs, onSyncFailure },
        position.generation,
      );
      const log = new DurableLog({ dir, env, snapshotAfterBytes, unlock, file, recovery, position });
      return log;
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  private constructor(parts: {
    readonly dir: string;
    readonly env: Env;
    readonly snapshotAfterBytes: number;
    readonly unlock: () => Promise<void>;
    readonly file: LogFile;
    readonly recovery: Recovery;
    readonly position: LogPosition;
  }) {
    this.recovery = parts.recovery;
    this.#dir = parts.dir;
    this.#env = parts.env;
    this.#snapshotAfterBytes = parts.snapshotAfterBytes;
    this.#unlock = parts.unlock;
    this.#file = parts.file;
    this.#logBytes = parts.position.logBytes;
    this.#snapshotBytes = parts.position.snapshotBytes;
  }

  /** Bytes that wait to be written. */
  get pendingBytes(): number {
    return this.#pending.reduce((sum, item) => sum + (item.kind === 'entries' ? item.bytes : 0), 0);
  }

  /** Bytes of log since the newest snapshot, which the next start has to read in addition. */
  get logBytes(): number {
    return this.#logBytes;
  }

  /** Whether reading the log has become more work than reading a snapshot. */
  get needsSnapshot(): boolean {
    return this.#logBytes > Math.max(this.#snapshotAfterBytes, this.#snapshotBytes);
  }

  /** Queues entries to be written soon; `flush` resolves when they are. Their values must not change afterwards. */
  append(entries: Iterable<LogEntry>): void {
    this.#requireOpen();
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (const entry of entries) {
      for (const piece of encodeLogEntry(entry)) {
        pieces.push(piece);
        bytes += piece.length;
      }
    }
    if (bytes > 0) this.#enqueue({ kind: 'entries', pieces, bytes });
  }

  /**
   * Resolves when everything appended so far is saved (with `fsync: 'always'` on the disk); rejects if it
   * never will be.
   */
  flush(): Promise<void> {
    return new Promise((done, failed) => this.#enqueue({ kind: 'flush', done, failed }));
  }

  /**
   * Replaces the log by its result: `state` must be the result of all entries appended so far, and `revision`
   * the highest one assigned. Appending continues meanwhile. While a snapshot is being written, further calls
   * wait for that one.
   */
  snapshot(state: Iterable<Omit<LogEntry, 'op'>>, revision: number): Promise<void> {
    this.#requireOpen();
    this.#snapshotting ??= this.#snapshot([...state], revision);
    return this.#snapshotting;
  }

  /** Writes pending entries and releases the directory. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #snapshot(state: readonly Omit<LogEntry, 'op'>[], revision: number): Promise<void> {
    try {
      // Queued after what is in `state` and before everything else, it splits the log exactly there.
      const generation = await new Promise<number>((done, failed) => this.#enqueue({ kind: 'switch', done, failed }));
      const before = this.#logBytes;
      this.#snapshotBytes = await writeSnapshot(this.#dir, generation, state, revision);
      this.#logBytes -= before;
    } finally {
      this.#snapshotting = undefined;
    }
  }

  #enqueue(item: Pending): void {
    if (this.#failure !== undefined) rejectPendingLog([item], this.#failure);
    else {
      this.#pending.push(item);
      this.#writing ??= this.#write();
    }
  }

  async #write(): Promise<void> {
    // More may be appended in this turn: it takes one write and one sync.
    await this.#env.yield();
    while (this.#pending.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#writeBatch(batch);
      } catch (cause) {
        rejectPendingLog(batch, this.#fail(cause));
      }
    }
    // In the turn that found nothing left, so that the next `append` starts a new run.
    this.#writing = undefined;
  }

  /** Takes everything up to the next switch, or a switch alone. */
  #takeBatch(): Pending[] {
    const at = this.#pending.findIndex(({ kind }) => kind === 'switch');
    return this.#pending.splice(0, at === -1 ? this.#pending.length : Math.max(at, 1));
  }

  async #writeBatch(batch: readonly Pending[]): Promise<void> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (const item of batch) {
      if (item.kind !== 'entries') continue;
      for (const piece of item.pieces) pieces.push(piece);
      bytes += item.bytes;
    }
    if (bytes > 0) await this.#file.write(pieces);
    this.#logBytes += bytes;
    for (const item of batch) {
      if (item.kind === 'flush') item.done();
      else if (item.kind === 'switch') item.done(await this.#file.next());
    }
  }

  #fail(cause: unknown): KubeError {
    if (this.#failure !== undefined) return this.#failure;
    const failure = new KubeError('ILLEGAL_STATE', `changes can no longer be written to ${this.#dir}`, { cause });
    this.#failure = failure;
    this.#env.log('error', 'changes can no longer be written to the data directory', { dir: this.#dir, cause });
    rejectPendingLog(this.#pending.splice(0), failure);
    return failure;
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new KubeError('ILLEGAL_STATE', 'the log is closed');
  }

  async #close(): Promise<void> {
    try {
      await this.#snapshotting?.catch(() => {}); // the caller of snapshot() gets the error
      await this.#writing;
      await this.#file.close();
    } finally {
      await this.#unlock();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** Rejects the pending flushes and switches. */
function rejectPendingLog(items: readonly Pending[], failure: KubeError): void {
  for (const item of items) if (item.kind !== 'entries') item.failed(failure);
}

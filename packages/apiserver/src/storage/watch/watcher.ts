import type { Env } from 'kube-informer/core';
import type { Collection } from '../store/stored-collection.ts';
import type { Change } from '../store/stored-history.ts';
import type { StoredRecord } from '../store/stored-record.ts';
import type { Selection } from './selection.ts';
import type { WatchForm } from './watch-form.ts';
import type { WatchHub } from './watch-hub.ts';
import type { WatchSink } from './watch-sink.ts';

export interface WatcherOptions {
  readonly env: Env;
  readonly collection: Collection;
  readonly hub: WatchHub;
  readonly sink: WatchSink;
  readonly selection: Selection;
  readonly form: WatchForm;
  /** Revision after which changes are sent. */
  readonly from: number;
  /** The state at `from`, sent first as ADDED events. */
  readonly initial?: readonly StoredRecord[];
  /** Marks the end of the initial events with a bookmark. */
  readonly marksInitialEnd?: boolean;
  /**
   * Set if a webhook converts the objects. Called with the records of events before these are written; then
   * changes are sent one after the other, and not together with those of other watchers.
   */
  readonly prepare?: (records: readonly StoredRecord[]) => Promise<void>;
  /** Maximum number of bytes that may wait for a slow reader before it is cut off. @default 16 MiB */
  readonly maxQueuedBytes?: number;
}

export type WatcherState = 'catching-up' | 'live' | 'ended';
export type EndReason = 'closed' | 'timeout' | 'too-slow';

/** Size of the pieces in which initial events and replayed history are sent; other requests run between them. */
const SLICE_BYTES = 256 * 1024;
/** Number of unsent bytes above which a watch that is catching up waits for its reader. */
const PATIENT_BYTES = 1024 * 1024;

/**
 * One watch, from its first event to its end.
 *
 *   catching-up ──nothing left to replay──► live ──► ended
 *        │                                            ▲
 *        └────────closed, timeout, too slow───────────┘
 *
 * Promises: changes of one stream are sent in the order of revisions, each once, none left out. A reader that
 * is too slow is cut off; no events are skipped. Nothing is written after the end.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #maxQueued: number;
  readonly #ended = new AbortController();
  #state: WatcherState = 'catching-up';
  #endReason: EndReason | undefined;
  #leave: (() => void) | undefined;
  #cursor: number;
  #events = 0;
  #sink: WatchSink;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#maxQueued = options.maxQueuedBytes ?? 16 * 1024 * 1024;
    this.#cursor = options.from;
  }

  get state(): WatcherState {
    return this.#state;
  }

  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** Events sent, bookmarks not counted. */
  get events(): number {
    return this.#events;
  }

  get queued(): number {
    return this.#sink.queued;
  }

  /** Aborts at the end, to stop everything that belongs to this watch. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sends and follows until the watch is live or over. Events that fit into one slice are sent before this returns. */
  async run(): Promise<void> {
    const { initial = [], marksInitialEnd = false, form, selection, prepare } = this.#options;
    let slice = this.#slice();
    for (const record of initial) {
      if (!selection.matches(record)) continue;
      this.#events += 1;
      if (!slice.add(form.event('ADDED', record, record.revision))) continue;
      await slice.send();
      if (this.#isOver()) return;
    }
    if (marksInitialEnd) slice.add(form.bookmark({ revision: this.#cursor, endsInitialEvents: true }));
    slice.flush();
    slice = this.#slice();
    for (;;) {
      // Too far behind the remembered history: continuing would skip events.
      const { oldest, lastRevision } = this.#options.collection;
      if (this.#cursor < oldest && this.#cursor < lastRevision) return this.end('too-slow');
      const changes = this.#options.collection.after(this.#cursor, 1000);
      if (changes.length === 0) {
        if (prepare === undefined) break;
        await this.#nextChange();
        if (this.#isOver()) return;
        continue;
      }
      if (prepare !== undefined) {
        if (!(await this.#isPrepared(prepare, changes))) return this.end('timeout');
        if (this.#isOver()) return;
      }
      for (const change of changes) {
        this.#cursor = change.revision;
        const bytes = this.#bytesOf(change);
        if (bytes === undefined || !slice.add(bytes)) continue;
        await slice.send();
        if (this.#isOver()) return;
      }
      slice.flush();
      if (this.#sink.queued > PATIENT_BYTES) {
        await this.#sink.drained();
        if (this.#isOver()) return;
      }
    }
    this.#goLive();
  }

  bookmark(revision: number): void {
    if (this.#state !== 'live') return;
    this.#options.hub.flush();
    if (this.#isOver()) return;
    this.#sink.write(this.#options.form.bookmark({ revision, endsInitialEvents: false }));
  }

  end(reason: EndReason): void {
    // A clean end comes after everything that happened before.
    if (reason === 'timeout' && this.#state === 'live') this.#options.hub.flush();
    if (this.#state === 'ended') return;
    this.#leave?.();
    this.#state = 'ended';
    this.#endReason = reason;
    if (reason !== 'closed') this.#sink.end();
    this.#ended.abort();
  }

  /** Ends the watch after `ms`, on the server's clock. */
  endAfter(ms: number): void {
    void this.#options.env.sleep(ms, this.signal).then(() => this.end('timeout'));
  }

  /** Replaces the sink between two events. */
  divert(through: (sink: WatchSink) => WatchSink): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'live') this.#options.hub.flush();
    if (this.#isOver()) return;
    this.#leave?.();
    this.#sink = through(this.#sink);
    if (this.#state === 'live' && this.#options.prepare === undefined) this.#join();
  }

  /** Waits for a change, or the end. Meanwhile the watch is live: everything is sent. */
  async #nextChange(): Promise<void> {
    const { collection } = this.#options;
    this.#state = 'live';
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stop();
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const stop = collection.listen(() => {
        if (this.#state === 'live') this.#state = 'catching-up';
        done();
      });
      this.signal.addEventListener('abort', done);
    });
  }

  /**
   * Converts the records of changes. False if a webhook failed: a real server then ends its watches without
   * an error.
   */
  async #isPrepared(prepare: NonNullable<WatcherOptions['prepare']>, changes: readonly Change[]): Promise<boolean> {
    try {
      await prepare(changes.flatMap(({ record, previous }) => [record ?? [], previous ?? []].flat()));
      return true;
    } catch {
      return false;
    }
  }

  #goLive(): void {
    this.#state = 'live';
    this.#join();
  }

  #join(): void {
    const { hub, selection, form } = this.#options;
    const sink = this.#sink;
    this.#leave = hub.join(
      {
        deliver: (bytes, events) => {
          this.#events += events;
          sink.write(bytes);
          if (sink.queued > this.#maxQueued) this.end('too-slow');
        },
      },
      selection,
      form,
      sink.singleFrames ?? false,
    );
  }

  #bytesOf(change: Change): Buffer | undefined {
    const { selection, form } = this.#options;
    const seen = selection.view(change);
    if (seen === undefined) return undefined;
    this.#events += 1;
    return form.event(seen.type, seen.record, change.revision);
  }

  #isOver(): boolean {
    return this.#state === 'ended';
  }

  #slice(): Slice {
    return new Slice(this.#options.env, () => this.#sink);
  }
}

/** Collects frames up to a size worth sending. */
class Slice {
  readonly #env: Env;
  readonly #sink: () => WatchSink;
  #frames: Buffer[] = [];
  #bytes = 0;

  constructor(env: Env, sink: () => WatchSink) {
    this.#env = env;
    this.#sink = sink;
  }

  /** Adds a frame. Returns true when it is time to send. */
  add(frame: Buffer): boolean {
    const sink = this.#sink();
    if (sink.singleFrames === true) {
      this.flush();
      sink.write(frame);
      return false;
    }
    this.#frames.push(frame);
    this.#bytes += frame.length;
    return this.#bytes >= SLICE_BYTES;
  }

  flush(): void {
    if (this.#frames.length === 0) return;
    this.#sink().write(this.#frames.length === 1 ? (this.#frames[0] as Buffer) : Buffer.concat(this.#frames));
    this.#frames = [];
    this.#bytes = 0;
  }

  /** Sends the frames, then lets others run, and waits for a reader that is behind. */
  async send(): Promise<void> {
    this.flush();
    const sink = this.#sink();
    if (sink.queued > PATIENT_BYTES) await sink.drained();
    else await this.#env.yield();
  }
}

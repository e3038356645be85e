import { guardedCallback, type UserCode } from '../../core/guarded.ts';
import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import { type Env, guardedEnv, systemEnv } from '../../core/env.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import type { KubeObject } from '../../core/object/object.ts';
import { Slices } from '../../core/async/slices.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import type { Deltas } from '../queue/delta.ts';
import type { ProcessFn, Queue } from '../queue/queue.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorHooks, ReflectorOptions } from '../reflector/reflector-options.ts';

/** The options of a Controller. Reflector options (expected type, resync, page size, error handler …) are passed on. */
export interface ControllerConfig<T extends object> extends ReflectorOptions<T> {
  readonly queue: Queue<T>;
  readonly source: ListWatch<T>;
  readonly process: ProcessFn<T>;
  /** Applies many entries at once; used when the queue can pop batches. */
  readonly processBatch?: ProcessFn<T>;
  /** Called before each entry: a promise makes the loop wait, and with it the queue and the reflector. */
  readonly room?: () => Promise<unknown> | undefined;
  /**
   * Called with an entry that could not be processed; the entry is dropped. Undefined when the queue itself failed.
   * To try again later, keep its keys in a queue of your own and read the newest state then. @default logs
   */
  readonly onProcessError?: UserCode<(error: unknown, entry: Deltas<T> | undefined) => void>;
}

/** Pause after a failed entry, so that a callback that always throws does not cause a busy loop. */
const FAILED_ENTRY_PAUSE_MS = 1_000;

/** Maximum number of entries applied before handlers get a turn, so that they see states before these are merged. */
const MAX_IN_A_ROW = 32;

/**
 * A reflector that fills a queue, and a loop that empties it.
 *
 * Usable on its own, with your own queue and process function; SharedInformer is
 * built on it. `run` resolves when both have ended.
 */
export class Controller<T extends object = KubeObject> {
  readonly reflector: Reflector<T>;
  readonly #config: ControllerConfig<T>;
  readonly #env: Env;
  readonly #onProcessError: (error: unknown, entry: Deltas<T> | undefined) => void;
  #started = false;

  constructor(config: ControllerConfig<T> & ReflectorHooks) {
    this.#config = { ...config };
    const env = guardedEnv(config.env ?? systemEnv);
    this.#env = env;
    const { queue, source, process: _, processBatch: __, room: ___, onProcessError: ____, ...options } = config;
    this.reflector = new Reflector(source, queue, options);
    const report = (error: unknown, entry: Deltas<T> | undefined): void =>
      env.log('error', 'a queue entry could not be processed and is dropped', {
        name: this.reflector.name,
        error: errorMessageOf(error),
        ...(entry === undefined ? {} : { entry: describeDeltasToApply(entry) }),
      });
    const onProcessError = config.onProcessError ?? report;
    this.#onProcessError = guardedCallback(env, 'onProcessError', onProcessError, (failed, error, entry) => {
      env.log('error', 'onProcessError failed', { error: errorMessageOf(failed) });
      report(error, entry);
    });
  }

  get hasStarted(): boolean {
    return this.#started;
  }

  get hasSynced(): boolean {
    return this.#config.queue.hasSynced;
  }

  /** Empty before the first list. */
  get lastSyncResourceVersion(): string {
    return this.reflector.lastSyncResourceVersion;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new KubeError('ILLEGAL_STATE', 'a Controller runs once; create a new one to run again');
    this.#started = true;
    const { queue } = this.#config;
    const stop = linkedAbort(signal);
    const close = (): void => queue.close();
    stop.signal.addEventListener('abort', close, { once: true });
    if (stop.signal.aborted) close();
    // Neither runs without the other: the end of one stops the other.
    const both = [this.reflector.run(stop.signal), this.#processUntil(stop.signal)].map((one) =>
      one.finally(() => stop.abort()),
    );
    try {
      await Promise.all(both);
    } finally {
      await Promise.allSettled(both);
      stop.signal.removeEventListener('abort', close);
      stop[Symbol.dispose]();
    }
  }

  async #processUntil(signal: AbortSignal): Promise<void> {
    const { queue, room } = this.#config;
    let entry: Deltas<T> | undefined;
    const remembered =
      (process: ProcessFn<T>): ProcessFn<T> =>
      (deltas, initial) => {
        entry = deltas;
        return process(deltas, initial);
      };
    const process = remembered(this.#config.process);
    const processBatch = this.#config.processBatch && remembered(this.#config.processBatch);
    const slices = new Slices(this.#env);
    let inARow = 0;
    // Checked before every entry: entries still queued at the stop are dropped.
    while (!signal.aborted) {
      entry = undefined;
      try {
        const full = room?.();
        if (full !== undefined) {
          // A handler that hangs may block the loop, but not the stop.
          await untilAborted(full, signal, 'waiting for a handler');
          continue;
        }
        if (processBatch !== undefined && queue.popBatch !== undefined) await queue.popBatch(processBatch, process);
        else {
          const popped = inARow < MAX_IN_A_ROW && (queue.popNow?.(process) ?? false);
          inARow = popped === true ? inARow + 1 : 0;
          if (popped === false) await queue.pop(process);
          else if (popped !== true) await popped;
        }
      } catch (error) {
        if (hasCode(error, 'QUEUE_CLOSED') || (signal.aborted && hasCode(error, 'ABORTED'))) return;
        this.#onProcessError(error, entry);
        await this.#env.sleep(FAILED_ENTRY_PAUSE_MS, signal);
      }
      if (slices.due()) await slices.pause();
    }
  }
}

/** Deltas as text: `deleted web/a`, `replacedAll`, `added web/a and 3 more`. */
function describeDeltasToApply<T>([first, ...rest]: Deltas<T>): string {
  const what = 'key' in first ? `${first.type} ${first.key}` : first.type;
  return rest.length === 0 ? what : `${what} and ${rest.length} more`;
}

import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import { type Env, safeEnv, systemEnv } from '../../core/env.ts';
import { hasCode, KubeError, messageOf } from '../../core/errors.ts';
import type { KubeObject } from '../../core/object/object.ts';
import { Slices } from '../../core/async/slices.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import type { ProcessFn, Queue } from '../queue/queue.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorOptions } from '../reflector/reflector-options.ts';

/** Everything a Controller needs. Reflector options (expected type, resync, page size, error handler …) are passed on. */
export interface ControllerConfig<T extends object> extends ReflectorOptions<T> {
  readonly queue: Queue<T>;
  readonly source: ListWatch<T>;
  readonly process: ProcessFn<T>;
  /** Applies many entries at once; used when the queue can pop batches. */
  readonly processBatch?: ProcessFn<T>;
  /** Asked before each entry: a promise makes the loop wait, and with it the queue and the reflector. */
  readonly room?: () => Promise<unknown> | undefined;
  /** Told of an entry that could not be processed; the entry is dropped. @default logs */
  readonly onProcessError?: (error: unknown) => void;
}

/** A loop that failed for whatever reason goes on after this, so that a broken callback cannot spin. */
const RESTART_MS = 1_000;

/**
 * A reflector that fills a queue, and a loop that empties it.
 *
 * Usable on its own, with a queue and a process function of your own; the shared
 * informer is one user of it. `run` returns when both have ended.
 */
export class Controller<T extends object = KubeObject> {
  readonly reflector: Reflector<T>;
  readonly #config: ControllerConfig<T>;
  readonly #env: Env;
  #started = false;

  constructor(config: ControllerConfig<T>) {
    this.#config = { ...config };
    this.#env = safeEnv(config.env ?? systemEnv);
    const { queue, source, process: _, processBatch: __, room: ___, onProcessError: ____, ...options } = config;
    this.reflector = new Reflector(source, queue, options);
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
    if (this.#started) throw new KubeError('ILLEGAL_STATE', 'a Controller runs once; make a new one to run again');
    this.#started = true;
    const { queue } = this.#config;
    const stop = linkedAbort(signal);
    const close = (): void => queue.close();
    stop.signal.addEventListener('abort', close, { once: true });
    if (stop.signal.aborted) close();
    // Neither runs without the other: whatever ends one ends both.
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
    const { queue, process, processBatch, room } = this.#config;
    const slices = new Slices(this.#env);
    // Asked before every entry: what is still queued when stopped is dropped.
    while (!signal.aborted) {
      try {
        const full = room?.();
        if (full !== undefined) {
          // A handler that hangs may hold the loop up, but not the stop.
          await untilAborted(full, signal, 'waiting for a handler').catch(() => {});
          continue;
        }
        if (processBatch !== undefined && queue.popBatch !== undefined) await queue.popBatch(processBatch, process);
        else await queue.pop(process);
      } catch (error) {
        if (hasCode(error, 'QUEUE_CLOSED')) return;
        this.#report(error);
        await this.#env.sleep(RESTART_MS, signal);
      }
      if (slices.due()) await slices.pause();
    }
  }

  #report(error: unknown): void {
    const { onProcessError } = this.#config;
    try {
      if (onProcessError !== undefined) return onProcessError(error);
    } catch (failed) {
      this.#env.log('error', 'the process-error handler failed', { error: messageOf(failed) });
    }
    this.#env.log('error', 'an entry of the queue could not be processed and is dropped', {
      name: this.reflector.name,
      error: messageOf(error),
    });
  }
}

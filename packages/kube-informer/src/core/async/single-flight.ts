import { untilAborted } from './abort.ts';
import { abortError, KubeError } from '../errors.ts';

interface Flight<T> {
  readonly work: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Runs one piece of work at a time; all callers that join while it runs get its result.
 *
 * Promises: `start` is not called while an earlier call runs; a caller whose signal aborts rejects at once (ABORTED)
 * without disturbing the others; when no caller is left the work itself is aborted. With `detached` it continues, and
 * the next caller joins it: for work that must not be interrupted and has its own timeout.
 *
 * Room rule: keeps no result; a cache can be built around this.
 */
export class SingleFlight<T> {
  readonly #what: string;
  readonly #detached: boolean;
  #flight: Flight<T> | undefined;

  /** `what` names the work in errors: "running the credential plugin". */
  constructor(what: string, { detached = false }: { readonly detached?: boolean } = {}) {
    this.#what = what;
    this.#detached = detached;
  }

  async join(signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw abortError(signal, this.#what);
    const flight = (this.#flight ??= this.#begin(start));
    flight.waiting += 1;
    try {
      return await untilAborted(flight.work, signal, this.#what);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0 && !this.#detached) this.#end(flight);
    }
  }

  /** Aborts the running work; its callers get ABORTED. */
  abort(): void {
    if (this.#flight !== undefined) this.#end(this.#flight);
  }

  #begin(start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const stop = new AbortController();
    // Work that ignores its signal must not block its callers after an abort.
    const work = untilAborted(start(stop.signal), stop.signal, this.#what);
    const flight: Flight<T> = { work, stop, waiting: 0 };
    const settled = (): void => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    flight.work.then(settled, settled);
    return flight;
  }

  /** Also called after the work has settled, when aborting has no effect. */
  #end(flight: Flight<T>): void {
    if (this.#flight === flight) this.#flight = undefined;
    flight.stop.abort(new KubeError('ABORTED', `${this.#what} was aborted`));
  }
}

import { untilAborted } from './abort.ts';
import { abortError, KubeError } from '../errors.ts';

interface Flight<T> {
  readonly work: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * One piece of work at a time, whose result goes to everybody who asked while it ran.
 *
 * Promises: `start` is not called while an earlier call runs; whoever's signal aborts stops waiting at once (ABORTED)
 * without disturbing the others; when nobody waits any more the work itself is aborted. With `detached` it goes on
 * instead, and who asks next joins it: for work that must not be cut off once it has begun, and that ends by itself.
 *
 * Room rule: keeps no result; who wants a cache builds it around this.
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
    // Who has left already starts nothing.
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

  /** Aborts what runs; those who wait get ABORTED. */
  abort(): void {
    if (this.#flight !== undefined) this.#end(this.#flight);
  }

  #begin(start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const stop = new AbortController();
    // Work that ignores its signal must not keep those waiting who were told to stop.
    const work = untilAborted(start(stop.signal), stop.signal, this.#what);
    const flight: Flight<T> = { work, stop, waiting: 0 };
    const landed = (): void => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    flight.work.then(landed, landed);
    return flight;
  }

  /** Also after a landing, where aborting has no effect any more. */
  #end(flight: Flight<T>): void {
    if (this.#flight === flight) this.#flight = undefined;
    flight.stop.abort(new KubeError('ABORTED', `${this.#what}: stopped`));
  }
}

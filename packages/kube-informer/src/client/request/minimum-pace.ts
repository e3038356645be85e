import type { Env } from '../../core/env.ts';
import { transportFailureCause, transportFailure } from '../transport/transport-failure.ts';

/** Waiting time after each of which the pace is judged. */
const WINDOW_MS = 60_000;
/** Minimum bytes per window: 273 bytes per second, a fraction of what the slowest of today's links carries. */
const MIN_BYTES_PER_WINDOW = 16_384;

/**
 * Wraps a body so that it fails with TRANSPORT when it is too slow: fewer than 16 KB in a minute of waiting.
 *
 * The transport detects a body without bytes, but one byte now and then would keep a list waiting forever. A
 * total deadline would hurt large lists on slow links, a minimum pace does not. Only the time spent waiting
 * for bytes counts, not the time the reader takes.
 *
 * Room rule: needs no timer, because it judges when bytes arrive; where none arrive, the transport ends the
 * body.
 */
export function atMinimumPace(
  body: AsyncIterable<Uint8Array>,
  env: Pick<Env, 'now'>,
  what: string,
): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new PacedBody(body[Symbol.asyncIterator](), env, what) };
}

/** A body that must arrive at a minimum pace. Not a generator: one that was never started would not close the body. */
class PacedBody implements AsyncIterator<Uint8Array, undefined> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #env: Pick<Env, 'now'>;
  readonly #what: string;
  #waitedMs = 0;
  #bytes = 0;

  constructor(chunks: AsyncIterator<Uint8Array>, env: Pick<Env, 'now'>, what: string) {
    this.#chunks = chunks;
    this.#env = env;
    this.#what = what;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const askedAt = this.#env.now();
    const next = await this.#chunks.next();
    if (next.done === true) return { done: true, value: undefined };
    this.#waitedMs += this.#env.now() - askedAt;
    this.#bytes += next.value.length;
    if (this.#waitedMs < WINDOW_MS) return next;
    if (this.#bytes < MIN_BYTES_PER_WINDOW) {
      // A reader does not close a body that failed.
      await this.return();
      throw slowerThanMinimumPace(this.#what, this.#bytes, this.#waitedMs);
    }
    this.#waitedMs = 0;
    this.#bytes = 0;
    return next;
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }
}

function slowerThanMinimumPace(what: string, bytes: number, waitedMs: number): Error {
  const seconds = Math.round(waitedMs / 1_000);
  return transportFailure(
    what,
    transportFailureCause('ERR_TOO_SLOW', `only ${bytes} bytes of the body arrived in ${seconds} s`),
  );
}

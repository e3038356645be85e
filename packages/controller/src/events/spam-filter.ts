/** Number of requests that one object may cause at once. */
const BURST = 25;
/** Time after which one more request is allowed. */
const REFILL_MS = 300_000;
/** Maximum number of objects that are remembered; the least recently used is forgotten. */
const MAX_OBJECTS = 4_096;

/** A token bucket per object: an object that fails in a loop must not fill the storage of the cluster. */
export class SpamFilter {
  /** Buckets in order of the last use. */
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** Whether one more request about `object` is allowed at `now`. */
  allows(object: string, now: number): boolean {
    const { tokens, at } = this.#buckets.get(object) ?? { tokens: BURST, at: now };
    const filled = Math.min(BURST, tokens + (now - at) / REFILL_MS);
    const isAllowed = filled >= 1;
    this.#buckets.delete(object);
    this.#buckets.set(object, { tokens: isAllowed ? filled - 1 : filled, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_OBJECTS && oldest !== undefined) this.#buckets.delete(oldest);
    return isAllowed;
  }
}

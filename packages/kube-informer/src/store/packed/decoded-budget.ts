import { requireOption } from '../../core/errors.ts';

/** Default budget: enough for the specs and statuses of some ten thousand pods. */
const DEFAULT_BYTES = 64 * 1_048_576;

/**
 * A limit on the bytes of decoded objects that packed caches keep for the next reader. It applies to all
 * caches that share it together.
 *
 * Code that reads all objects again and again decodes them once, as long as the budget lasts; sections that
 * are not read for a minute are dropped.
 */
export class DecodedBudget {
  #maxBytes: number;
  used = 0;

  constructor(maxBytes: number = DEFAULT_BYTES) {
    this.#maxBytes = maxBytes;
    this.maxBytes = maxBytes;
  }

  /** The limit. It may be changed at any time; decoded objects beyond a lower limit are dropped within a minute. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  set maxBytes(maxBytes: number) {
    requireOption(maxBytes >= 0, 'decodedBytes', 'a number of bytes >= 0', maxBytes);
    this.#maxBytes = maxBytes;
  }

  /** Takes bytes from the budget, if it has them. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.#maxBytes) return false;
    this.used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.used -= bytes;
  }
}

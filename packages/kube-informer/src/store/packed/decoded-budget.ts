import { requireOption } from '../../core/errors.ts';

/** Enough for the specs and statuses of some ten thousand pods. */
const DEFAULT_BYTES = 64 * 1_048_576;

/**
 * How many bytes of decoded objects packed caches may keep for the next reader. Caches that share it count together.
 *
 * Code that reads all objects again and again decodes them once, as long as the budget holds; sections that are not read for
 * a minute are let go.
 */
export class DecodedBudget {
  #maxBytes: number;
  used = 0;

  constructor(maxBytes: number = DEFAULT_BYTES) {
    this.#maxBytes = maxBytes;
    this.maxBytes = maxBytes;
  }

  /** May be changed at any time; what is kept beyond a lower limit is let go within a minute. */
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

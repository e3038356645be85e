import { defined } from '../../core/defined.ts';
import { KubeError } from '../../core/errors.ts';
import { TOO_LARGE_BODY } from '../../core/status.ts';
import type { ListFeedOptions } from './wire-format.ts';

/** Minimum charge of an item towards `maxBytes`: an item of two bytes becomes an object of a hundred. */
const MIN_ITEM_CHARGE = 256;

/** Counts the bytes and items of a list, and throws LIST_INVALID when there are too many. */
export class ListCharge {
  readonly #limits: Pick<ListFeedOptions<unknown>, 'maxBytes' | 'maxItems'>;
  #count = 0;
  /** The charge of small items beyond their bytes. */
  #surcharge = 0;

  constructor(limits: Pick<ListFeedOptions<unknown>, 'maxBytes' | 'maxItems'>) {
    this.#limits = limits;
  }

  /** Counts `bytes` of the list that have arrived. */
  received(bytes: number): void {
    const { maxBytes } = this.#limits;
    if (bytes + this.#surcharge <= maxBytes) return;
    const small = this.#surcharge === 0 ? '' : `, an item counted as at least ${MIN_ITEM_CHARGE}`;
    throw tooLongListCharge(`it is longer than ${maxBytes} bytes (option maxBytes${small})`);
  }

  /** Counts one more item, which ends after `read` bytes of the list. */
  item(itemBytes: number, read: number): void {
    const { maxItems } = this.#limits;
    this.#count += 1;
    this.#surcharge += Math.max(0, MIN_ITEM_CHARGE - itemBytes);
    if (this.#count > maxItems) throw tooLongListCharge(`it has more than ${maxItems} items (option maxItems)`);
    this.received(read);
  }
}

/**
 * The error for a list that is too large. `isResponseTooLarge` recognises it: the list may be readable in
 * smaller pages.
 */
function tooLongListCharge(what: string): KubeError {
  return invalidListCharge(what, Object.assign(new Error('the list is too long'), { code: TOO_LARGE_BODY }));
}

export function invalidListCharge(what: string, cause?: unknown): KubeError {
  return new KubeError('LIST_INVALID', `the list cannot be read: ${what}`, defined({ cause }));
}

/** The error for a list that ended too early. */
export function truncatedListCharge(received: number): KubeError {
  return new KubeError('TRANSPORT', `the list was truncated: it ended after ${received} bytes without being closed`, {
    cause: new Error('unexpected EOF'),
  });
}

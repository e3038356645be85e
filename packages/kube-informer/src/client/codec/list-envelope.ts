import { ByteBuffer } from './byte-buffer.ts';
import { BACKSLASH, QUOTE } from './json-scan.ts';
import { isSpaceByte } from './json-bytes.ts';

/** Maximum bytes per `read`, so that a huge chunk without items does not block the event loop. */
const MAX_READ_BYTES = 65_536;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const TAIL = new TextEncoder().encode(']}');
const ITEMS_KEY = new TextEncoder().encode('"items"');

/** The position at which reading stopped, and the reason. */
type EnvelopePlace =
  | 'before' // white space so far
  | 'inside' // in the object, outside of its items
  | 'items' // right after the `[` of the items
  | 'closed' // right after the last `}`
  | 'not-an-object'
  | 'too-deep';

/**
 * Collects a list without its items: the bytes around them, with an empty array in their place.
 *
 * Follows the top level of the object to find the key `items`, also when it is written with escapes or occurs twice.
 * Does not validate: `JSON.parse` of the collected bytes finds invalid JSON.
 *
 * Room rule: pure, bytes only. No decoding, no maximum size: the caller checks `length`.
 */
export class ListEnvelope {
  readonly #bytes = new ByteBuffer();
  readonly #maxDepth: number;
  #place: EnvelopePlace = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Whether the next string at the top level is a key. */
  #keyIsNext = false;
  /** Start of the key being read, or -1. */
  #keyStart = -1;
  /** The last key of the top level was `items`. */
  #isItems = false;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  get place(): EnvelopePlace {
    return this.#place;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** The complete envelope. Valid only when closed. */
  get bytes(): Uint8Array {
    return this.#bytes.view();
  }

  /** The part before the items, closed so that it can be parsed. Valid only at place `items`. */
  head(): Uint8Array {
    const head = new Uint8Array(this.#bytes.length + TAIL.length);
    head.set(this.#bytes.view());
    head.set(TAIL, this.#bytes.length);
    return head;
  }

  /** Ends the items: `chunk[at]` is their `]`. Returns the index to continue at. */
  leaveItems(chunk: Uint8Array, at: number): number {
    this.#bytes.append(chunk, at, at + 1);
    this.#place = 'inside';
    return at + 1;
  }

  /** Reads up to 64 KB, until the place changes. Returns the index to continue at. */
  read(chunk: Uint8Array, from: number): number {
    const end = Math.min(chunk.length, from + MAX_READ_BYTES);
    let at = from;
    if (this.#place === 'before') {
      while (at < end && isSpaceBeforeEnvelope(chunk[at] as number)) at += 1;
      if (at < end) this.#place = chunk[at] === OPEN_OBJECT ? 'inside' : 'not-an-object';
    }
    let kept = from;
    while (this.#place === 'inside' && at < end) {
      const byte = chunk[at] as number;
      at += 1;
      if (!this.#inString) {
        if (byte === QUOTE) {
          this.#inString = true;
          if (this.#depth === 1 && this.#keyIsNext) this.#keyStart = this.#bytes.length + (at - 1 - kept);
        } else this.#structure(byte);
      } else if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        if (this.#keyStart !== -1) {
          this.#bytes.append(chunk, kept, at);
          kept = at;
          this.#isItems = isEnvelopeItemsKey(this.#bytes.view(this.#keyStart));
          this.#keyStart = -1;
          this.#keyIsNext = false;
        }
      }
    }
    this.#bytes.append(chunk, kept, at);
    return at;
  }

  /** A byte outside of strings. */
  #structure(byte: number): void {
    if ((byte & 0xdf) === OPEN_ARRAY) {
      if (this.#depth === 1 && this.#isItems && byte === OPEN_ARRAY) {
        this.#place = 'items';
        return;
      }
      this.#depth += 1;
      this.#keyIsNext = this.#depth === 1;
      if (this.#depth > this.#maxDepth) this.#place = 'too-deep';
    } else if ((byte & 0xdf) === 0x5d) {
      this.#depth -= 1;
      if (this.#depth <= 0) this.#place = 'closed';
    } else if (this.#depth === 1 && byte === COMMA) this.#keyIsNext = true;
  }
}

/** `raw` includes its quotes and may contain escapes. A key that cannot be parsed is not `items`. */
function isEnvelopeItemsKey(raw: Uint8Array): boolean {
  if (raw.length < ITEMS_KEY.length) return false;
  if (!raw.includes(BACKSLASH))
    return raw.length === ITEMS_KEY.length && raw.every((byte, at) => byte === ITEMS_KEY[at]);
  try {
    return JSON.parse(new TextDecoder().decode(raw)) === 'items';
  } catch {
    // Not lost: parsing the whole envelope at the end reports it.
    return false;
  }
}

/** White space, or any byte of a byte order mark; parsing checks whether the mark is complete. */
function isSpaceBeforeEnvelope(byte: number): boolean {
  return isSpaceByte(byte) || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

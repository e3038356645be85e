export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;

/** Result of `scan`: the bytes ended before the value did. */
export const STILL_OPEN = -1;

/**
 * Finds the end of one JSON value by following its strings and brackets.
 *
 * The bytes may be cut into chunks anywhere. In valid JSON the end it finds is the end of the value; in invalid JSON it
 * may be wrong, so the caller still parses the piece with `JSON.parse`. For the same reason `{` and `[` count alike.
 *
 * Room rule: pure. Knows nothing of Kubernetes, allocates nothing per value, throws nothing.
 */
export class JsonScanner {
  #depth = 0;
  #deepest = 0;
  #inString = false;
  #escaped = false;

  /** Whether a bracket is open at the end of the bytes so far. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** The deepest nesting of the value so far, or of the last one. */
  get deepest(): number {
    return this.#deepest;
  }

  /** Scans `bytes` from `from` on. Returns the index after the last byte of the value, or STILL_OPEN. */
  scan(bytes: Uint8Array, from = 0): number {
    const end = bytes.length;
    const words = new DataView(bytes.buffer, bytes.byteOffset, end);
    let depth = this.#depth;
    let deepest = depth === 0 ? 0 : this.#deepest;
    let at = from;
    if (this.#escaped && at < end) {
      this.#escaped = false;
      at += 1;
    }
    if (this.#inString && !this.#escaped) {
      at = endOfJsonScanString(bytes, words, at);
      this.#inString = at < 0;
    }
    while (at >= 0 && at < end) {
      const byte = bytes[at] as number;
      at += 1;
      if (byte === QUOTE) {
        at = endOfJsonScanString(bytes, words, at);
        if (at < 0) this.#inString = true;
      } else if ((byte & 0xdf) === 0x5b) {
        // Only bit 5 differs between { and [, and between } and ].
        depth += 1;
        if (depth > deepest) deepest = depth;
      } else if ((byte & 0xdf) === 0x5d) {
        depth -= 1;
        if (depth <= 0) {
          this.#depth = 0;
          this.#deepest = deepest;
          return at;
        }
      }
    }
    this.#depth = depth;
    this.#deepest = deepest;
    if (at === CUT_IN_ESCAPE) this.#escaped = true;
    return STILL_OPEN;
  }
}

const CUT_IN_STRING = -1;
const CUT_IN_ESCAPE = -2;

/**
 * The index after the closing quote, CUT_IN_STRING or CUT_IN_ESCAPE.
 *
 * Most bytes of an object are inside strings, so it reads four at a time: `(x - 0x01010101) & ~x & 0x80808080`
 * has a bit for each byte of `x` that is zero, and the lowest such bit is never a false one.
 */
function endOfJsonScanString(bytes: Uint8Array, words: DataView, from: number): number {
  const end = bytes.length;
  const lastWord = end - 4;
  let at = from;
  while (at < end) {
    let found = 0;
    while (at <= lastWord) {
      const word = words.getInt32(at, true);
      const quotes = word ^ 0x22222222;
      const backslashes = word ^ 0x5c5c5c5c;
      found = (((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080;
      if (found !== 0) break;
      at += 4;
    }
    if (found !== 0) at += (31 - Math.clz32(found & -found)) >>> 3;
    else while (at < end && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at += 1;
    if (at === end) return CUT_IN_STRING;
    if (bytes[at] === QUOTE) return at + 1;
    at += 2;
  }
  return at === end ? CUT_IN_STRING : CUT_IN_ESCAPE;
}

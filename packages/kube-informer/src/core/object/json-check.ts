import { defined } from '../defined.ts';
import { KubeError } from '../errors.ts';

/**
 * Maximum nesting of an object, in every form it is held in. Real objects nest about 20 deep. kube-apiserver accepts 9,996
 * levels where a schema leaves them open, and client-go stores them. JavaScript cannot work with such objects:
 * `JSON.stringify` and `structuredClone` overflow the stack at some 3,000 levels, comparing in a test at 1,500, and
 * handlers begin with less stack than a program does.
 */
export const MAX_DEPTH = 1_000;
const OBJECT = 1;
const ARRAY = 2;

/** Kinds of open brackets. Shared by all calls: a check never waits and never calls itself. */
const open = new Uint8Array(MAX_DEPTH + 1);

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The object that was just checked, and where the names of its members begin. */
let checked:
  | {
      readonly bytes: Uint8Array;
      readonly from: number;
      readonly end: number;
      readonly names: readonly number[];
    }
  | undefined;

/** Whether the text that is being checked has bytes beyond ASCII. Shared by all calls, like `open`. */
let sawHighByte = false;

/**
 * Checks that a range of bytes is one JSON object and nothing else, by the rules of `JSON.parse`, and builds nothing. Throws
 * LIST_INVALID, which quotes nothing of the content.
 */
export function checkJsonObject(bytes: Uint8Array, from: number, end: number): void {
  let at = skipCheckedJsonSpace(bytes, from, end);
  if (bytes[at] !== 0x7b || at >= end) throw invalidCheckedJson('it is not an object');
  let depth = 0;
  let expectsValue = true;
  sawHighByte = false;
  checked = undefined;
  const names: number[] = [];
  for (;;) {
    at = skipCheckedJsonSpace(bytes, at, end);
    if (at >= end) throw invalidCheckedJson('it ends too early');
    const byte = bytes[at] as number;
    if (expectsValue) {
      if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        if (depth > MAX_DEPTH) throw invalidCheckedJson(`it nests deeper than ${MAX_DEPTH} levels`);
        open[depth] = byte === 0x7b ? OBJECT : ARRAY;
        at = skipCheckedJsonSpace(bytes, at + 1, end);
        // The code of the closing bracket is two higher.
        if (at < end && bytes[at] === byte + 2) expectsValue = false;
        else if (byte === 0x7b) {
          if (depth === 1) names.push(at);
          at = endOfCheckedJsonName(bytes, at, end);
        }
        continue;
      }
      if (byte === 0x22) at = endOfCheckedJsonText(bytes, at + 1, end);
      else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) at = checkJsonNumber(bytes, at, end);
      else at = checkJsonWord(bytes, at, end);
      expectsValue = false;
    } else if (byte === 0x2c) {
      at += 1;
      if (open[depth] === OBJECT) {
        at = skipCheckedJsonSpace(bytes, at, end);
        if (depth === 1) names.push(at);
        at = endOfCheckedJsonName(bytes, at, end);
      }
      expectsValue = true;
    } else if (byte === (open[depth] === OBJECT ? 0x7d : 0x5d)) {
      at += 1;
      depth -= 1;
      if (depth === 0) break;
    } else throw invalidCheckedJson('a comma or a bracket is missing');
  }
  if (skipCheckedJsonSpace(bytes, at, end) !== end) throw invalidCheckedJson('there is more after its end');
  if (sawHighByte) checkJsonUtf8(bytes.subarray(from, end));
  checked = { bytes, from, end, names };
}

/**
 * Positions of the names in the object that was just checked; undefined for any other. Returned once: bytes may change
 * later.
 */
export function takeCheckedJsonNames(bytes: Uint8Array, from: number, end: number): readonly number[] | undefined {
  const last = checked;
  checked = undefined;
  return last?.bytes === bytes && last.from === from && last.end === end ? last.names : undefined;
}

/** The index after the name at `at` and its colon. */
function endOfCheckedJsonName(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || bytes[at] !== 0x22) throw invalidCheckedJson('a name is missing');
  const colon = skipCheckedJsonSpace(bytes, endOfCheckedJsonText(bytes, at + 1, end), end);
  if (colon >= end || bytes[colon] !== 0x3a) throw invalidCheckedJson('a colon is missing');
  return colon + 1;
}

/** The index after the closing quote of the text that begins at `start`. */
function endOfCheckedJsonText(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === 0x22) return at + 1;
    if (byte === 0x5c) at = checkJsonEscape(bytes, at, end);
    else if (byte < 0x20) throw invalidCheckedJson('a text contains a control character');
    else if (byte >= 0x80) sawHighByte = true;
    at += 1;
  }
  throw invalidCheckedJson('a text does not end');
}

export function skipCheckedJsonSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    at += 1;
  }
  return at;
}

/** The index of the last byte of the escape that begins at `at`. */
function checkJsonEscape(bytes: Uint8Array, at: number, end: number): number {
  const escaped = at + 1 < end ? (bytes[at + 1] as number) : -1;
  if (escaped === 0x75) {
    for (let i = at + 2; i < at + 6; i += 1)
      if (i >= end || !isCheckedJsonHexDigit(bytes[i] as number)) throw invalidCheckedJsonEscape();
    return at + 5;
  }
  // " \ / b f n r t
  const isKnown =
    escaped === 0x22 || escaped === 0x5c || escaped === 0x2f || escaped === 0x62 || escaped === 0x66 ||
    escaped === 0x6e || escaped === 0x72 || escaped === 0x74; // prettier-ignore
  if (!isKnown) throw invalidCheckedJsonEscape();
  return at + 1;
}

function isCheckedJsonHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function checkJsonNumber(bytes: Uint8Array, from: number, end: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  at = at < end && bytes[at] === 0x30 ? at + 1 : checkJsonDigits(bytes, at, end);
  if (at < end && bytes[at] === 0x2e) at = checkJsonDigits(bytes, at + 1, end);
  if (at < end && ((bytes[at] as number) | 0x20) === 0x65) {
    const sign = bytes[at + 1];
    at = checkJsonDigits(bytes, at + (sign === 0x2b || sign === 0x2d ? 2 : 1), end);
  }
  return at;
}

function checkJsonDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at += 1;
  if (at === from) throw invalidCheckedJson('a number is not valid');
  return at;
}

const WORDS = ['true', 'false', 'null'];

function checkJsonWord(bytes: Uint8Array, at: number, end: number): number {
  for (const word of WORDS) {
    let i = 0;
    while (i < word.length && at + i < end && bytes[at + i] === word.charCodeAt(i)) i += 1;
    if (i === word.length) return at + i;
  }
  throw invalidCheckedJson('a value is missing');
}

function checkJsonUtf8(bytes: Uint8Array): void {
  try {
    decoder.decode(bytes);
  } catch (cause) {
    throw invalidCheckedJson('it is not valid UTF-8', cause);
  }
}

function invalidCheckedJsonEscape(): KubeError {
  return invalidCheckedJson('a text contains an unknown escape');
}

function invalidCheckedJson(what: string, cause?: unknown): KubeError {
  return new KubeError('LIST_INVALID', `an object is not valid JSON: ${what}`, defined({ cause }));
}

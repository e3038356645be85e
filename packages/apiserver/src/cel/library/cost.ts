import { spendWork } from '../values/work.ts';
import { isList, isMap, OpaqueValue, type Value } from '../values/value.ts';

/** Cost of reading one character or item. */
const TRAVERSAL = 0.1;
/** Part of a regular expression that one character is: about four make one expression. */
const REGEX_LENGTH = 0.25;

/** Things that a value is made of: characters, bytes, items; 1 for all others. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array) return value.length;
  if (isList(value) || isMap(value)) return value.size;
  if (value instanceof OpaqueValue && 'size' in value) return value.size as number;
  return 1;
}

/** Counted without a copy: the cost of every function of a text asks for it. */
function codePoints(text: string): number {
  spendWork(text.length);
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1)
    if (isSurrogate(text, at, 0xdc00) && isSurrogate(text, at - 1, 0xd800)) pairs += 1;
  return text.length - pairs;
}

const isSurrogate = (text: string, at: number, half: number): boolean => (text.charCodeAt(at) & 0xfc00) === half;

/** The cost of reading `count` characters. */
export const traversal = (count: number): number => Math.ceil(count * TRAVERSAL);

/** The cost of a function that reads its first argument `times` times. */
export const readsFirst =
  (times = 1) =>
  ([first = null]: readonly Value[]): number =>
    traversal(sizeOf(first) * times);

/** The cost of comparing two values: the shorter one is read. */
export const readsShorter = ([a = null, b = null]: readonly Value[]): number =>
  traversal(Math.min(sizeOf(a), sizeOf(b)));

export const regexCost = ([text = '', pattern = '']: readonly Value[]): number =>
  Math.ceil((1 + sizeOf(text)) * TRAVERSAL) * Math.ceil(sizeOf(pattern) * REGEX_LENGTH);

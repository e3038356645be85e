import { spendWork } from '../values/work.ts';
import { isListValue, isMapValue, OpaqueValue, type Value } from '../values/value.ts';

/** Cost of reading one character or item. */
const TRAVERSAL = 0.1;
/** Part of a regular expression that one character is: about four make one expression. */
const REGEX_LENGTH = 0.25;

/** Things that a value is made of: characters, bytes, items; 1 for all others. */
export function sizeForCost(value: Value): number {
  if (typeof value === 'string') return textSizeForCost(value);
  if (value instanceof Uint8Array) return value.length;
  if (isListValue(value) || isMapValue(value)) return value.size;
  if (value instanceof OpaqueValue && 'size' in value) return value.size as number;
  return 1;
}

/** Counted without a copy: the cost of every function of a text asks for it. */
function textSizeForCost(text: string): number {
  spendWork(text.length);
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1)
    if (isSurrogateInCost(text, at, 0xdc00) && isSurrogateInCost(text, at - 1, 0xd800)) pairs += 1;
  return text.length - pairs;
}

const isSurrogateInCost = (text: string, at: number, half: number): boolean => (text.charCodeAt(at) & 0xfc00) === half;

/** The cost of reading `count` characters. */
export const traversalCost = (count: number): number => Math.ceil(count * TRAVERSAL);

/** The cost of a function that reads its first argument `times` times. */
export const costOfFirst =
  (times = 1) =>
  ([first = null]: readonly Value[]): number =>
    traversalCost(sizeForCost(first) * times);

/** The cost of comparing two values: the shorter one is read. */
export const costOfShorter = ([a = null, b = null]: readonly Value[]): number =>
  traversalCost(Math.min(sizeForCost(a), sizeForCost(b)));

export const regexCost = ([text = '', pattern = '']: readonly Value[]): number =>
  Math.ceil((1 + sizeForCost(text)) * TRAVERSAL) * Math.ceil(sizeForCost(pattern) * REGEX_LENGTH);

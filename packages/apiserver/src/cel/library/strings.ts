import { globalFunction, type Library, memberFunction, type Overload } from '../check/environment.ts';
import { DYN, INT, listOf, STRING } from '../types/type.ts';
import { ArrayList, fail, type ListValue, listItems, type Value } from '../values/value.ts';
import { readsFirst, sizeOf, traversal } from './cost.ts';
import { formatText } from '../values/format.ts';
import { spendWork } from '../values/work.ts';

const TEXTS = listOf(STRING);
const text = (value: Value | undefined): string => value as string;
/** Steps for each character of a text that is taken apart. */
const STEPS_PER_RUNE = 4;

function runes(value: Value | undefined): string[] {
  spendWork((value as string).length * STEPS_PER_RUNE);
  return Array.from(value as string);
}

/** Each place of a text may be compared with the whole of the other one. */
function spendSearch(letters: readonly string[], wanted: readonly string[]): void {
  spendWork(letters.length * wanted.length);
}

const isInside = (index: bigint, size: number): boolean => index >= 0n && index <= BigInt(size);

function charAt([value, at]: readonly Value[]): Value {
  const [letters, index] = [runes(value), at as bigint];
  return isInside(index, letters.length) ? (letters[Number(index)] ?? '') : fail(`index out of range: ${index}`);
}

/** By code points, from an index on; -1 where it is not found. */
function indexOf([value, part, from = 0n]: readonly Value[]): Value {
  const [letters, wanted, start] = [runes(value), runes(part), from as bigint];
  if (wanted.length === 0 && isInside(start, letters.length)) return start;
  if (!isInside(start, letters.length)) return fail(`index out of range: ${start}`);
  spendSearch(letters, wanted);
  for (let at = Number(start); at + wanted.length <= letters.length; at += 1)
    if (wanted.every((letter, index) => letters[at + index] === letter)) return BigInt(at);
  return -1n;
}

function lastIndexOf([value, part, from]: readonly Value[]): Value {
  const [letters, wanted] = [runes(value), runes(part)];
  const start = (from as bigint | undefined) ?? BigInt(letters.length);
  if (!isInside(start, letters.length)) return fail(`index out of range: ${start}`);
  if (wanted.length === 0) return start;
  spendSearch(letters, wanted);
  for (let at = Math.min(Number(start), letters.length - wanted.length); at >= 0; at -= 1)
    if (wanted.every((letter, index) => letters[at + index] === letter)) return BigInt(at);
  return -1n;
}

function substring([value, from, to]: readonly Value[]): Value {
  const letters = runes(value);
  const [start, end] = [from as bigint, (to as bigint | undefined) ?? BigInt(letters.length)];
  if (!isInside(start, letters.length)) return fail(`index out of range: ${start}`);
  if (!isInside(end, letters.length)) return fail(`index out of range: ${end}`);
  if (start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  return letters.slice(Number(start), Number(end)).join('');
}

function replace([value, old, next, times = -1n]: readonly Value[]): Value {
  const count = times as bigint;
  const found = text(old) === '' ? runes(value).length + 1 : text(value).split(text(old)).length - 1;
  spendWork(Math.min(found, count < 0n ? found : Number(count)) * text(next).length);
  if (count < 0n) return text(value).replaceAll(text(old), () => text(next));
  let [left, rest, done] = [Number(count), text(value), ''];
  if (text(old) === '') {
    const letters = Array.from(rest);
    return (
      letters.reduce((all, letter, at) => all + (at < left ? text(next) : '') + letter, '') +
      (left > letters.length ? text(next) : '')
    );
  }
  for (; left > 0; left -= 1) {
    const at = rest.indexOf(text(old));
    if (at === -1) break;
    done += rest.slice(0, at) + text(next);
    rest = rest.slice(at + text(old).length);
  }
  return done + rest;
}

function split([value, separator, limit = -1n]: readonly Value[]): Value {
  const most = Number(limit as bigint);
  if (most === 0) return new ArrayList([]);
  const parts = text(separator) === '' ? runes(value) : text(value).split(text(separator));
  if (most < 0 || parts.length <= most) return new ArrayList(parts);
  return new ArrayList([...parts.slice(0, most - 1), parts.slice(most - 1).join(text(separator))]);
}

function join([list, separator = '']: readonly Value[]): Value {
  const parts = listItems(list as ListValue).map(text);
  spendWork(parts.reduce((sum, part) => sum + part.length + text(separator).length, 0));
  return parts.join(text(separator));
}

const ascii = (value: Value | undefined, pattern: RegExp, change: (letter: string) => string): string =>
  text(value).replace(pattern, change);

/** Blanks as Go counts them, which include all of Unicode's. */
const BLANKS = /^[\s\u0085]+|[\s\u0085]+$/g;

const takesFirst = (id: string, result: typeof STRING, run: Overload['run'], ...more: (typeof STRING)[]): Overload =>
  memberFunction(id, [STRING, ...more], result, run, readsFirst());

/** The strings extension, version 2. */
export const strings: Library = {
  functions: {
    charAt: [memberFunction('string_char_at_int', [STRING, INT], STRING, charAt)],
    indexOf: [
      memberFunction('string_index_of_string', [STRING, STRING], INT, indexOf, searchCost),
      memberFunction('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf, searchCost),
    ],
    lastIndexOf: [
      memberFunction('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf, searchCost),
      memberFunction('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf, searchCost),
    ],
    join: [
      memberFunction('list_join', [TEXTS], STRING, join, joinCost),
      memberFunction('list_join_string', [TEXTS, STRING], STRING, join, joinCost),
    ],
    lowerAscii: [takesFirst('string_lower_ascii', STRING, ([a]) => ascii(a, /[A-Z]+/g, (part) => part.toLowerCase()))],
    upperAscii: [takesFirst('string_upper_ascii', STRING, ([a]) => ascii(a, /[a-z]+/g, (part) => part.toUpperCase()))],
    replace: [
      memberFunction('string_replace_string_string', [STRING, STRING, STRING], STRING, replace, readsFirst(2)),
      memberFunction('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace, readsFirst(2)),
    ],
    split: [
      memberFunction('string_split_string', [STRING, STRING], TEXTS, split, readsFirst(2)),
      memberFunction('string_split_string_int', [STRING, STRING, INT], TEXTS, split, readsFirst(2)),
    ],
    substring: [
      takesFirst('string_substring_int', STRING, substring, INT),
      takesFirst('string_substring_int_int', STRING, substring, INT, INT),
    ],
    trim: [takesFirst('string_trim', STRING, ([a]) => text(a).replace(BLANKS, ''))],
    format: [
      memberFunction(
        'string_format',
        [STRING, listOf(DYN)],
        STRING,
        ([a, list]) => formatText(text(a), listItems(list as ListValue)),
        readsFirst(),
      ),
    ],
    'strings.quote': [globalFunction('strings_quote', [STRING], STRING, ([a]) => quoted(text(a)), readsFirst())],
  },
};

/** Unlike other costs this one is rounded down, and counts bytes. */
function searchCost([value]: readonly Value[]): number {
  return typeof value === 'string' ? Math.floor(Buffer.byteLength(value) * 0.1) : 1;
}

function joinCost(_: readonly Value[], result: Value): number {
  return traversal(sizeOf(result) * 2);
}

const QUOTED: ReadonlyMap<string, string> = new Map(Object.entries({
  '\u0007': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\', '"': '\\"',
})); // prettier-ignore

const quoted = (value: string): string =>
  `"${Array.from(value)
    .map((letter) => QUOTED.get(letter) ?? letter)
    .join('')}"`;

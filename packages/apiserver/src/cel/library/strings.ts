import { globalFunction, type Library, memberFunction, type Overload } from '../check/environment.ts';
import { DYN, INT, listType, STRING } from '../types/type.ts';
import { ArrayList, fail, type ListValue, celValueItems, type Value } from '../values/cel-value.ts';
import { COST_OF_COPY, costOfFirst } from '../cost/costs.ts';
import {
  COST_OF_JOIN,
  COST_OF_QUOTING,
  COST_OF_REPLACE,
  COST_OF_SPLIT,
  COST_OF_TEXT_INDEX,
} from '../cost/text-costs.ts';
import { formatCelText } from '../values/cel-format.ts';
import { spendWork } from '../values/work-meter.ts';

const TEXTS = listType(STRING);
const stringOf = (value: Value | undefined): string => value as string;
/** Number of steps for each character of a text that is split. */
const STEPS_PER_RUNE = 4;

function runesOfString(value: Value | undefined): string[] {
  spendWork((value as string).length * STEPS_PER_RUNE);
  return Array.from(value as string);
}

/** Spends the steps of a search: at each position, the whole of the other text may be compared. */
function spendStringSearch(letters: readonly string[], wanted: readonly string[]): void {
  spendWork(letters.length * wanted.length);
}

const isInsideString = (index: bigint, size: number): boolean => index >= 0n && index <= BigInt(size);

function stringCharAt([value, at]: readonly Value[]): Value {
  const [letters, index] = [runesOfString(value), at as bigint];
  return isInsideString(index, letters.length) ? (letters[Number(index)] ?? '') : fail(`index out of range: ${index}`);
}

/** The index of a part in code points, searched from an index on; -1 if not found. */
function stringIndexOf([value, part, from = 0n]: readonly Value[]): Value {
  const [letters, wanted, start] = [runesOfString(value), runesOfString(part), from as bigint];
  if (wanted.length === 0 && isInsideString(start, letters.length)) return start;
  if (!isInsideString(start, letters.length)) return fail(`index out of range: ${start}`);
  spendStringSearch(letters, wanted);
  for (let at = Number(start); at + wanted.length <= letters.length; at += 1)
    if (wanted.every((letter, index) => letters[at + index] === letter)) return BigInt(at);
  return -1n;
}

function stringLastIndexOf([value, part, from]: readonly Value[]): Value {
  const [letters, wanted] = [runesOfString(value), runesOfString(part)];
  const start = (from as bigint | undefined) ?? BigInt(letters.length);
  if (!isInsideString(start, letters.length)) return fail(`index out of range: ${start}`);
  if (wanted.length === 0) return start;
  spendStringSearch(letters, wanted);
  for (let at = Math.min(Number(start), letters.length - wanted.length); at >= 0; at -= 1)
    if (wanted.every((letter, index) => letters[at + index] === letter)) return BigInt(at);
  return -1n;
}

function stringSubstring([value, from, to]: readonly Value[]): Value {
  const letters = runesOfString(value);
  const [start, end] = [from as bigint, (to as bigint | undefined) ?? BigInt(letters.length)];
  if (!isInsideString(start, letters.length)) return fail(`index out of range: ${start}`);
  if (!isInsideString(end, letters.length)) return fail(`index out of range: ${end}`);
  if (start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  return letters.slice(Number(start), Number(end)).join('');
}

function replaceInString([value, old, next, times = -1n]: readonly Value[]): Value {
  const count = times as bigint;
  const found =
    stringOf(old) === '' ? runesOfString(value).length + 1 : stringOf(value).split(stringOf(old)).length - 1;
  spendWork(Math.min(found, count < 0n ? found : Number(count)) * stringOf(next).length);
  if (count < 0n) return stringOf(value).replaceAll(stringOf(old), () => stringOf(next));
  let [left, rest, done] = [Number(count), stringOf(value), ''];
  if (stringOf(old) === '') {
    const letters = Array.from(rest);
    return (
      letters.reduce((all, letter, at) => all + (at < left ? stringOf(next) : '') + letter, '') +
      (left > letters.length ? stringOf(next) : '')
    );
  }
  for (; left > 0; left -= 1) {
    const at = rest.indexOf(stringOf(old));
    if (at === -1) break;
    done += rest.slice(0, at) + stringOf(next);
    rest = rest.slice(at + stringOf(old).length);
  }
  return done + rest;
}

function splitString([value, separator, limit = -1n]: readonly Value[]): Value {
  const most = Number(limit as bigint);
  if (most === 0) return new ArrayList([]);
  const parts = stringOf(separator) === '' ? runesOfString(value) : stringOf(value).split(stringOf(separator));
  if (most < 0 || parts.length <= most) return new ArrayList(parts);
  return new ArrayList([...parts.slice(0, most - 1), parts.slice(most - 1).join(stringOf(separator))]);
}

function joinStrings([list, separator = '']: readonly Value[]): Value {
  const parts = celValueItems(list as ListValue).map(stringOf);
  spendWork(parts.reduce((sum, part) => sum + part.length + stringOf(separator).length, 0));
  return parts.join(stringOf(separator));
}

const asciiString = (value: Value | undefined, pattern: RegExp, change: (letter: string) => string): string =>
  stringOf(value).replace(pattern, change);

/** White space as Go defines it, which includes all of Unicode's. */
const BLANKS = /^[\s\u0085]+|[\s\u0085]+$/g;

const stringMember = (id: string, result: typeof STRING, run: Overload['run'], ...more: (typeof STRING)[]): Overload =>
  memberFunction(id, [STRING, ...more], result, run, COST_OF_COPY);

/** The strings extension, version 2. */
export const strings: Library = {
  functions: {
    charAt: [memberFunction('string_char_at_int', [STRING, INT], STRING, stringCharAt)],
    indexOf: [
      memberFunction('string_index_of_string', [STRING, STRING], INT, stringIndexOf, COST_OF_TEXT_INDEX),
      memberFunction('string_index_of_string_int', [STRING, STRING, INT], INT, stringIndexOf, COST_OF_TEXT_INDEX),
    ],
    lastIndexOf: [
      memberFunction('string_last_index_of_string', [STRING, STRING], INT, stringLastIndexOf, COST_OF_TEXT_INDEX),
      memberFunction(
        'string_last_index_of_string_int',
        [STRING, STRING, INT],
        INT,
        stringLastIndexOf,
        COST_OF_TEXT_INDEX,
      ),
    ],
    join: [
      memberFunction('list_join', [TEXTS], STRING, joinStrings, COST_OF_JOIN),
      memberFunction('list_join_string', [TEXTS, STRING], STRING, joinStrings, COST_OF_JOIN),
    ],
    lowerAscii: [
      stringMember('string_lower_ascii', STRING, ([a]) => asciiString(a, /[A-Z]+/g, (part) => part.toLowerCase())),
    ],
    upperAscii: [
      stringMember('string_upper_ascii', STRING, ([a]) => asciiString(a, /[a-z]+/g, (part) => part.toUpperCase())),
    ],
    replace: [
      memberFunction(
        'string_replace_string_string',
        [STRING, STRING, STRING],
        STRING,
        replaceInString,
        COST_OF_REPLACE,
      ),
      memberFunction(
        'string_replace_string_string_int',
        [STRING, STRING, STRING, INT],
        STRING,
        replaceInString,
        COST_OF_REPLACE,
      ),
    ],
    split: [
      memberFunction('string_split_string', [STRING, STRING], TEXTS, splitString, COST_OF_SPLIT),
      memberFunction('string_split_string_int', [STRING, STRING, INT], TEXTS, splitString, COST_OF_SPLIT),
    ],
    substring: [
      stringMember('string_substring_int', STRING, stringSubstring, INT),
      stringMember('string_substring_int_int', STRING, stringSubstring, INT, INT),
    ],
    trim: [stringMember('string_trim', STRING, ([a]) => stringOf(a).replace(BLANKS, ''))],
    format: [
      memberFunction(
        'string_format',
        [STRING, listType(DYN)],
        STRING,
        ([a, list]) => formatCelText(stringOf(a), celValueItems(list as ListValue)),
        costOfFirst(),
      ),
    ],
    'strings.quote': [
      globalFunction('strings_quote', [STRING], STRING, ([a]) => quotedCelString(stringOf(a)), COST_OF_QUOTING),
    ],
  },
};

const QUOTED: ReadonlyMap<string, string> = new Map(Object.entries({
  '\u0007': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\', '"': '\\"',
})); // prettier-ignore

const quotedCelString = (value: string): string =>
  `"${Array.from(value)
    .map((letter) => QUOTED.get(letter) ?? letter)
    .join('')}"`;

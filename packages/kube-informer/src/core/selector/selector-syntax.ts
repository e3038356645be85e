import { KubeError } from '../errors.ts';

/**
 * How selectors are written: reading, checking and printing requirements.
 *
 * Everything here goes over a text from left to right by hand and never goes
 * back, so the work grows with the length of the text and with nothing else.
 * What was refused is quoted in part, however long it is.
 *
 * Room rule: knows texts, not what they select; `selector.ts` gives them a meaning.
 */

/** How a label stands to the values of a requirement. The text `==` is read as `=`. */
export type LabelOperator = 'exists' | '!' | '=' | '!=' | 'in' | 'notin' | '<' | '>';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted. None for `exists` and `!`, at least one for `in` and `notin`, one for the rest. */
  readonly values: ReadonlySet<string>;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

export const A_KEY: string = 'a label key (1 to 63 letters, digits, "-", "_" or ".", after an optional "dns.prefix/")';
export const A_VALUE: string = 'a label value (empty, or up to 63 letters, digits, "-", "_" or ".")';
export const A_FIELD: string = 'a field path (without space, "=", "!", "," and "\\")';
const A_FIELD_VALUE = 'a value where "\\" stands before every "\\", "," and "=", and before nothing else';
const AN_INTEGER = 'an integer of at most 64 bits';
const AN_OPERATOR = 'an operator (=, ==, !=, in, notin, <, >), "," or the end';

const MAX_NAME = 63;
const MAX_PREFIX = 253;

// — printing —————————————————————————————————————————————————————————————

export function printLabel({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = [...values].join(',');
  return operator === 'in' || operator === 'notin' ? `${key} ${operator} (${list})` : key + operator + list;
}

export function printField({ field, operator, value }: FieldRequirement): string {
  return field + operator + value.replaceAll('\\', '\\\\').replaceAll(',', '\\,').replaceAll('=', '\\=');
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// — checking —————————————————————————————————————————————————————————————

export function labelRequirement(key: string, operator: LabelOperator, values: Iterable<string>): LabelRequirement {
  return { key, operator, values: new Set([...values].sort(compareText)) };
}

export function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  return slash === -1 ? isName(key) : isSubdomain(key.slice(0, slash)) && isName(key.slice(slash + 1));
}

export function isLabelValue(value: string): boolean {
  return value === '' || isName(value);
}

export function isFieldPath(field: string): boolean {
  return field !== '' && fieldEnd(field, 0) === field.length;
}

/** The number a text stands for, if it is one the server can hold: it may have more digits than a double. */
export function int64(text: string): bigint | undefined {
  const sign = text.charAt(0);
  let first = sign === '-' || sign === '+' ? 1 : 0;
  if (first === text.length) return undefined;
  while (first < text.length - 1 && text.charAt(first) === '0') first += 1;
  // The length is checked before BigInt sees the digits: it takes its time with a million of them.
  if (text.length - first > 19) return undefined;
  for (let i = first; i < text.length; i += 1) if (!isDigit(text.charAt(i))) return undefined;
  const number = BigInt(text.slice(first)) * (sign === '-' ? -1n : 1n);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

function isName(text: string): boolean {
  if (text.length > MAX_NAME || !isLetterOrDigit(text.charAt(0)) || !isLetterOrDigit(text.charAt(text.length - 1))) {
    return false;
  }
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (!isLetterOrDigit(char) && char !== '-' && char !== '_' && char !== '.') return false;
  }
  return true;
}

/** Parts of lower case letters, digits and inner dashes, with single dots between them. */
function isSubdomain(text: string): boolean {
  if (text.length > MAX_PREFIX) return false;
  let before = '.';
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '.') {
      if (!isLowerOrDigit(before)) return false;
    } else if (char === '-') {
      if (before === '.') return false;
    } else if (!isLowerOrDigit(char)) return false;
    before = char;
  }
  return isLowerOrDigit(before);
}

const isDigit = (char: string): boolean => char >= '0' && char <= '9';
const isLowerOrDigit = (char: string): boolean => (char >= 'a' && char <= 'z') || isDigit(char);
const isLetterOrDigit = (char: string): boolean => isLowerOrDigit(char) || (char >= 'A' && char <= 'Z');
const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\n' || char === '\r';

// — reading ——————————————————————————————————————————————————————————————

export function parseLabels(text: string): LabelRequirement[] {
  const tokens = new LabelTokens(text);
  const found: LabelRequirement[] = [];
  if (tokens.current === '') return found;
  for (;;) {
    found.push(parseLabel(tokens));
    if (tokens.current === '') return found;
    tokens.expect(',', '"," or the end');
  }
}

function parseLabel(tokens: LabelTokens): LabelRequirement {
  const isAbsent = tokens.current === '!';
  if (isAbsent) tokens.take();
  if (!isLabelKey(tokens.current)) tokens.fail(A_KEY);
  const key = tokens.take();
  if (isAbsent) return labelRequirement(key, '!', []);
  const operator = tokens.current;
  switch (operator) {
    case '':
    case ',':
      return labelRequirement(key, 'exists', []);
    case 'in':
    case 'notin':
      tokens.take();
      return labelRequirement(key, operator, parseValues(tokens));
    case '=':
    case '==':
    case '!=':
      tokens.take();
      return labelRequirement(key, operator === '!=' ? '!=' : '=', [parseValue(tokens)]);
    case '<':
    case '>':
      tokens.take();
      if (int64(tokens.current) === undefined) tokens.fail(AN_INTEGER);
      return labelRequirement(key, operator, [parseValue(tokens)]);
    default:
      return tokens.fail(AN_OPERATOR);
  }
}

function parseValues(tokens: LabelTokens): Set<string> {
  tokens.expect('(', '"("');
  const values = new Set<string>();
  for (;;) {
    values.add(parseValue(tokens));
    if (tokens.current === ')') break;
    tokens.expect(',', '"," or ")"');
  }
  tokens.take();
  return values;
}

/** Nothing at all is the empty value. */
function parseValue(tokens: LabelTokens): string {
  if (tokens.current === '' || tokens.current === ',' || tokens.current === ')') return '';
  if (!isLabelValue(tokens.current)) tokens.fail(A_VALUE);
  return tokens.take();
}

const SYMBOLS: ReadonlySet<string> = new Set('=!(),<>');

/** The tokens of a label selector, one at a time. `in` and `notin` are words like any other here: they may be keys and values too. */
class LabelTokens {
  readonly #text: string;
  #at = 0;
  #end = 0;
  /** Empty at the end of the text, and only there. */
  current = '';

  constructor(text: string) {
    this.#text = text;
    this.take();
  }

  /** Returns the current token and goes on to the next. */
  take(): string {
    const taken = this.current;
    const text = this.#text;
    let at = this.#end;
    while (isSpace(text.charAt(at))) at += 1;
    let end = at;
    const first = text.charAt(at);
    if (SYMBOLS.has(first)) {
      const isDouble = (first === '=' || first === '!') && text.charAt(at + 1) === '=';
      end += isDouble ? 2 : 1;
    } else {
      while (end < text.length && !SYMBOLS.has(text.charAt(end)) && !isSpace(text.charAt(end))) end += 1;
    }
    this.#at = at;
    this.#end = end;
    this.current = text.slice(at, end);
    return taken;
  }

  expect(token: string, expected: string): void {
    if (this.current !== token) this.fail(expected);
    this.take();
  }

  fail(expected: string): never {
    return fail('label', this.#text, this.#at, expected);
  }
}

export function parseFields(text: string): FieldRequirement[] {
  const found: FieldRequirement[] = [];
  let at = 0;
  while (at < text.length) {
    // The server passes over empty terms, so a comma too many is no error.
    if (text.charAt(at) === ',') {
      at += 1;
      continue;
    }
    const end = fieldEnd(text, at);
    if (end === at) fail('field', text, at, A_FIELD);
    const field = text.slice(at, end);
    const isUnequal = text.startsWith('!=', end);
    if (!isUnequal && text.charAt(end) !== '=') fail('field', text, end, 'an operator (=, ==, !=)');
    at = end + (isUnequal || text.charAt(end + 1) === '=' ? 2 : 1);
    let value = '';
    let from = at;
    for (; at < text.length && text.charAt(at) !== ','; at += 1) {
      const char = text.charAt(at);
      if (char === '=') fail('field', text, at, A_FIELD_VALUE);
      if (char !== '\\') continue;
      const escaped = text.charAt(at + 1);
      if (escaped !== '\\' && escaped !== ',' && escaped !== '=') fail('field', text, at, A_FIELD_VALUE);
      value += text.slice(from, at);
      from = at + 1;
      at += 1;
    }
    found.push({ field, operator: isUnequal ? '!=' : '=', value: value + text.slice(from, at) });
  }
  return found;
}

function fieldEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !FIELD_ENDS.has(text.charAt(at))) at += 1;
  return at;
}
const FIELD_ENDS: ReadonlySet<string> = new Set('=!,\\ \t\n\r');

function fail(what: 'label' | 'field', text: string, at: number, expected: string): never {
  const got = at < text.length ? excerpt(text.slice(at), 20) : 'the end';
  throw new KubeError(
    'INVALID_OPTION',
    `${what} selector ${excerpt(text, 80)}: expected ${expected} at position ${at}, got ${got}`,
  );
}

/** Quoted, so that control characters in it reach no terminal. */
function excerpt(text: string, length: number): string {
  return JSON.stringify(text.length > length ? `${text.slice(0, length)}…` : text);
}

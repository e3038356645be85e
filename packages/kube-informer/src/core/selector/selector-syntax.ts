import { KubeError } from '../errors.ts';

/**
 * The syntax of selectors: parses, checks and prints requirements.
 *
 * Parsing goes from left to right without backtracking, so time is linear in the
 * length of the text. Errors quote only a part of it.
 *
 * Room rule: knows the syntax only; `selector.ts` matches.
 */

/** Compares a label with the values of a requirement. `==` is parsed as `=`. */
export type LabelOperator = 'exists' | '!' | '=' | '!=' | 'in' | 'notin' | '<' | '>';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted. None for `exists` and `!`, at least one for `in` and `notin`, one for the others. */
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

const MAX_LABEL_NAME = 63;
const MAX_LABEL_PREFIX = 253;

// — printing —————————————————————————————————————————————————————————————

export function printLabelSelectorSyntax({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = [...values].join(',');
  return operator === 'in' || operator === 'notin' ? `${key} ${operator} (${list})` : key + operator + list;
}

export function printFieldSelectorSyntax({ field, operator, value }: FieldRequirement): string {
  return field + operator + value.replaceAll('\\', '\\\\').replaceAll(',', '\\,').replaceAll('=', '\\=');
}

export function compareBySelectorSyntax(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// — checking —————————————————————————————————————————————————————————————

export function selectorSyntaxRequirement(
  key: string,
  operator: LabelOperator,
  values: Iterable<string>,
): LabelRequirement {
  return { key, operator, values: new Set([...values].sort(compareBySelectorSyntax)) };
}

export function isLabelKeyInSelectorSyntax(key: string): boolean {
  const slash = key.indexOf('/');
  return slash === -1
    ? isLabelNameInSelectorSyntax(key)
    : isLabelPrefixInSelectorSyntax(key.slice(0, slash)) && isLabelNameInSelectorSyntax(key.slice(slash + 1));
}

export function isLabelValueInSelectorSyntax(value: string): boolean {
  return value === '' || isLabelNameInSelectorSyntax(value);
}

export function isFieldPathInSelectorSyntax(field: string): boolean {
  return field !== '' && fieldPathEndInSelectorSyntax(field, 0) === field.length;
}

/** Parses an integer of 64 bits, which may have more digits than a double can hold. */
export function parseInt64InSelectorSyntax(text: string): bigint | undefined {
  const sign = text.charAt(0);
  let first = sign === '-' || sign === '+' ? 1 : 0;
  if (first === text.length) return undefined;
  while (first < text.length - 1 && text.charAt(first) === '0') first += 1;
  // The length is checked first, because BigInt is slow for a million digits.
  if (text.length - first > 19) return undefined;
  for (let i = first; i < text.length; i += 1) if (!isSelectorDigit(text.charAt(i))) return undefined;
  const number = BigInt(text.slice(first)) * (sign === '-' ? -1n : 1n);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

function isLabelNameInSelectorSyntax(text: string): boolean {
  if (
    text.length > MAX_LABEL_NAME ||
    !isSelectorLetterOrDigit(text.charAt(0)) ||
    !isSelectorLetterOrDigit(text.charAt(text.length - 1))
  ) {
    return false;
  }
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (!isSelectorLetterOrDigit(char) && char !== '-' && char !== '_' && char !== '.') return false;
  }
  return true;
}

/** Whether it has parts of lower case letters, digits and inner dashes, with single dots between them. */
function isLabelPrefixInSelectorSyntax(text: string): boolean {
  if (text.length > MAX_LABEL_PREFIX) return false;
  let before = '.';
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '.') {
      if (!isSelectorLowerOrDigit(before)) return false;
    } else if (char === '-') {
      if (before === '.') return false;
    } else if (!isSelectorLowerOrDigit(char)) return false;
    before = char;
  }
  return isSelectorLowerOrDigit(before);
}

const isSelectorDigit = (char: string): boolean => char >= '0' && char <= '9';
const isSelectorLowerOrDigit = (char: string): boolean => (char >= 'a' && char <= 'z') || isSelectorDigit(char);
const isSelectorLetterOrDigit = (char: string): boolean => isSelectorLowerOrDigit(char) || (char >= 'A' && char <= 'Z');
const isSelectorSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\n' || char === '\r';

// — reading ——————————————————————————————————————————————————————————————

export function parseLabelSelectorSyntax(text: string): LabelRequirement[] {
  const tokens = new LabelTokens(text);
  const found: LabelRequirement[] = [];
  if (tokens.current === '') return found;
  for (;;) {
    found.push(parseOneLabelSelectorSyntax(tokens));
    if (tokens.current === '') return found;
    tokens.expect(',', '"," or the end');
  }
}

function parseOneLabelSelectorSyntax(tokens: LabelTokens): LabelRequirement {
  const isAbsent = tokens.current === '!';
  if (isAbsent) tokens.take();
  if (!isLabelKeyInSelectorSyntax(tokens.current)) tokens.fail(A_KEY);
  const key = tokens.take();
  if (isAbsent) return selectorSyntaxRequirement(key, '!', []);
  const operator = tokens.current;
  switch (operator) {
    case '':
    case ',':
      return selectorSyntaxRequirement(key, 'exists', []);
    case 'in':
    case 'notin':
      tokens.take();
      return selectorSyntaxRequirement(key, operator, parseSelectorValues(tokens));
    case '=':
    case '==':
    case '!=':
      tokens.take();
      return selectorSyntaxRequirement(key, operator === '!=' ? '!=' : '=', [parseSelectorValue(tokens)]);
    case '<':
    case '>':
      tokens.take();
      if (parseInt64InSelectorSyntax(tokens.current) === undefined) tokens.fail(AN_INTEGER);
      return selectorSyntaxRequirement(key, operator, [parseSelectorValue(tokens)]);
    default:
      return tokens.fail(AN_OPERATOR);
  }
}

function parseSelectorValues(tokens: LabelTokens): Set<string> {
  tokens.expect('(', '"("');
  const values = new Set<string>();
  for (;;) {
    values.add(parseSelectorValue(tokens));
    if (tokens.current === ')') break;
    tokens.expect(',', '"," or ")"');
  }
  tokens.take();
  return values;
}

/** Parses a value; a missing one is empty. */
function parseSelectorValue(tokens: LabelTokens): string {
  if (tokens.current === '' || tokens.current === ',' || tokens.current === ')') return '';
  if (!isLabelValueInSelectorSyntax(tokens.current)) tokens.fail(A_VALUE);
  return tokens.take();
}

const SYMBOLS: ReadonlySet<string> = new Set('=!(),<>');

/** The tokens of a label selector, one at a time. `in` and `notin` are ordinary words here: they may be keys and values too. */
class LabelTokens {
  readonly #text: string;
  #at = 0;
  #end = 0;
  /** Empty only at the end of the text. */
  current = '';

  constructor(text: string) {
    this.#text = text;
    this.take();
  }

  /** Returns the current token and advances to the next. */
  take(): string {
    const taken = this.current;
    const text = this.#text;
    let at = this.#end;
    while (isSelectorSpace(text.charAt(at))) at += 1;
    let end = at;
    const first = text.charAt(at);
    if (SYMBOLS.has(first)) {
      const isDouble = (first === '=' || first === '!') && text.charAt(at + 1) === '=';
      end += isDouble ? 2 : 1;
    } else {
      while (end < text.length && !SYMBOLS.has(text.charAt(end)) && !isSelectorSpace(text.charAt(end))) end += 1;
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
    return failSelector('label', this.#text, this.#at, expected);
  }
}

export function parseFieldSelectorSyntax(text: string): FieldRequirement[] {
  const found: FieldRequirement[] = [];
  let at = 0;
  while (at < text.length) {
    // The server ignores empty terms, so an extra comma is not an error.
    if (text.charAt(at) === ',') {
      at += 1;
      continue;
    }
    const end = fieldPathEndInSelectorSyntax(text, at);
    if (end === at) failSelector('field', text, at, A_FIELD);
    const field = text.slice(at, end);
    const isUnequal = text.startsWith('!=', end);
    if (!isUnequal && text.charAt(end) !== '=') failSelector('field', text, end, 'an operator (=, ==, !=)');
    at = end + (isUnequal || text.charAt(end + 1) === '=' ? 2 : 1);
    let value = '';
    let from = at;
    for (; at < text.length && text.charAt(at) !== ','; at += 1) {
      const char = text.charAt(at);
      if (char === '=') failSelector('field', text, at, A_FIELD_VALUE);
      if (char !== '\\') continue;
      const escaped = text.charAt(at + 1);
      if (escaped !== '\\' && escaped !== ',' && escaped !== '=') failSelector('field', text, at, A_FIELD_VALUE);
      value += text.slice(from, at);
      from = at + 1;
      at += 1;
    }
    found.push({ field, operator: isUnequal ? '!=' : '=', value: value + text.slice(from, at) });
  }
  return found;
}

function fieldPathEndInSelectorSyntax(text: string, from: number): number {
  let at = from;
  while (at < text.length && !FIELD_ENDS.has(text.charAt(at))) at += 1;
  return at;
}
const FIELD_ENDS: ReadonlySet<string> = new Set('=!,\\ \t\n\r');

function failSelector(what: 'label' | 'field', text: string, at: number, expected: string): never {
  const got = at < text.length ? selectorExcerpt(text.slice(at), 20) : 'the end';
  throw new KubeError(
    'INVALID_OPTION',
    `${what} selector ${selectorExcerpt(text, 80)}: expected ${expected} at position ${at}, got ${got}`,
  );
}

/** An excerpt for messages, quoted as JSON so that no control characters reach a terminal. */
function selectorExcerpt(text: string, length: number): string {
  return JSON.stringify(text.length > length ? `${text.slice(0, length)}…` : text);
}

import { LETTER_ESCAPES } from './go-quoted.ts';

/** Go's name for the type of a JSON value. */
export function jsonSyntaxTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * A state of the parser: takes a character and returns the next state, or the reason why the character is not
 * allowed.
 */
type Step = (character: string) => Step | string;

/**
 * The message of Go's parser about a text that is not JSON; undefined for JSON. V8's messages are different,
 * and change with its version.
 *
 * Reads bytes, as Go does. Open objects and arrays are kept in a list, not on the stack, because a client
 * decides how deep a text is.
 */
export function jsonSyntaxFault(text: string | Uint8Array): string | undefined {
  const open: ('key' | 'value' | 'item')[] = [];
  const enter = (what: 'key' | 'item', next: Step): Step => {
    open.push(what);
    return next;
  };
  const leave = (): Step => {
    open.pop();
    return ended;
  };
  const turn = (what: 'key' | 'value', next: Step): Step => {
    open[open.length - 1] = what;
    return next;
  };

  const value: Step = (c) => {
    if (isJsonSyntaxSpace(c)) return value;
    if (c === '{') return enter('key', keyOrEnd);
    if (c === '[') return enter('item', itemOrEnd);
    if (c === '"') return string;
    if (c === '-') return minus;
    if (c === '0') return whole;
    if (isJsonSyntaxDigit(c)) return digits;
    const word = ['true', 'false', 'null'].find((each) => each.startsWith(c));
    return word === undefined ? 'looking for beginning of value' : literal(word, 1);
  };
  const ended: Step = (c) => {
    if (isJsonSyntaxSpace(c)) return ended;
    switch (open.at(-1)) {
      case undefined:
        return 'after top-level value';
      case 'key':
        return c === ':' ? turn('value', value) : 'after object key';
      case 'value':
        return c === ',' ? turn('key', key) : c === '}' ? leave() : 'after object key:value pair';
      case 'item':
        return c === ',' ? value : c === ']' ? leave() : 'after array element';
    }
  };
  const key: Step = (c) => {
    if (isJsonSyntaxSpace(c)) return key;
    return c === '"' ? string : 'looking for beginning of object key string';
  };
  const keyOrEnd: Step = (c) => (isJsonSyntaxSpace(c) ? keyOrEnd : c === '}' ? leave() : key(c));
  const itemOrEnd: Step = (c) => (isJsonSyntaxSpace(c) ? itemOrEnd : c === ']' ? leave() : value(c));

  const string: Step = (c) => (c === '"' ? ended : c === '\\' ? escape : c < ' ' ? 'in string literal' : string);
  const escape: Step = (c) => ('bfnrt\\/"'.includes(c) ? string : c === 'u' ? hex(4) : 'in string escape code');
  const hex =
    (left: number): Step =>
    (c) =>
      !/[\da-f]/i.test(c) ? 'in \\u hexadecimal character escape' : left === 1 ? string : hex(left - 1);
  const literal =
    (word: string, at: number): Step =>
    (c) =>
      c !== word[at]
        ? `in literal ${word} (expecting '${word[at]}')`
        : at === word.length - 1
          ? ended
          : literal(word, at + 1);

  const minus: Step = (c) => (c === '0' ? whole : isJsonSyntaxDigit(c) ? digits : 'in numeric literal');
  const digits: Step = (c) => (isJsonSyntaxDigit(c) ? digits : whole(c));
  const whole: Step = (c) => (c === '.' ? point : fractionEnd(c));
  const point: Step = (c) => (isJsonSyntaxDigit(c) ? fraction : 'after decimal point in numeric literal');
  const fraction: Step = (c) => (isJsonSyntaxDigit(c) ? fraction : fractionEnd(c));
  const fractionEnd: Step = (c) => (c === 'e' || c === 'E' ? exponent : ended(c));
  const exponent: Step = (c) => (c === '+' || c === '-' ? exponentStart : exponentStart(c));
  const exponentStart: Step = (c) => (isJsonSyntaxDigit(c) ? exponentDigits : 'in exponent of numeric literal');
  const exponentDigits: Step = (c) => (isJsonSyntaxDigit(c) ? exponentDigits : ended(c));

  let step = value;
  // A trailing space marks the end: it ends a number.
  for (const c of `${Buffer.from(text as string).toString('latin1')} `) {
    const next = step(c);
    if (typeof next === 'string') return `invalid character ${jsonSyntaxCharacter(c)} ${next}`;
    step = next;
  }
  return step === ended && open.length === 0 ? undefined : 'unexpected end of JSON input';
}

const isJsonSyntaxSpace = (c: string): boolean => c === ' ' || c === '\t' || c === '\n' || c === '\r';
const isJsonSyntaxDigit = (c: string): boolean => c >= '0' && c <= '9';

/** A byte as Go shows it; an unprintable one as its number. */
function jsonSyntaxCharacter(c: string): string {
  const code = c.charCodeAt(0).toString(16).padStart(2, '0');
  if (c === "'") return "'\\''";
  const shown =
    LETTER_ESCAPES.get(c) ??
    (c < ' ' || c === '\u007f' ? `\\x${code}` : /[\u0080-\u00a0\u00ad]/.test(c) ? `\\u00${code}` : c);
  return `'${shown}'`;
}

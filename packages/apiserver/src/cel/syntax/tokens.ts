import type { Issue } from './source.ts';

export interface Token {
  readonly type: 'ident' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'operator' | 'end';
  /** As written. */
  readonly text: string;
  readonly at: number;
}

const OPERATORS = [
  '&&', '||', '==', '!=', '<=', '>=', '?', ':', '.', ',', '(', ')', '[', ']', '{', '}', '<', '>', '+', '-', '*', '/', '%', '!',
]; // prettier-ignore

const BLANK = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const IDENT = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const NUMBER = /0x[0-9a-fA-F]+u?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?/y;
const QUOTES = ['"""', "'''", '"', "'"];
const STRING_PREFIX = /(?:[rR][bB]?|[bB][rR]?)?(?=["'])/y;

/** Splits an expression into tokens; what is no token is an issue and left out. */
export function tokens(source: string): { readonly tokens: Token[]; readonly issues: Issue[] } {
  const found: Token[] = [];
  const issues: Issue[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    const blank = take(BLANK);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const token =
      stringToken(source, at, take(STRING_PREFIX)) ??
      numberToken(take(NUMBER), at) ??
      wordToken(source, at, take(IDENT));
    if (token === undefined) {
      const text = unreadableToken(source, at);
      issues.push({ at, message: `Syntax error: token recognition error at: '${text}'` });
      at += text.length;
      continue;
    }
    found.push(token);
    at += token.text.length;
  }
  found.push({ type: 'end', text: '<EOF>', at: source.length });
  return { tokens: found, issues };
}

/** The text read when no token was found: a string up to its fault, half an operator and the letter behind it. */
function unreadableToken(source: string, at: number): string {
  const rest = source.slice(at);
  const text = /^["'](?:[^"'\\\n\r]|\\[^])*/.exec(rest)?.[0] ?? /^[=&|][^]?/.exec(rest)?.[0];
  return text ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
}

function stringToken(source: string, at: number, prefix: string | undefined): Token | undefined {
  if (prefix === undefined) return undefined;
  const start = at + prefix.length;
  const quote = QUOTES.find((one) => source.startsWith(one, start)) as string;
  const isRaw = /r/i.test(prefix);
  for (let end = start + quote.length; end < source.length; end += 1) {
    if (source.startsWith(quote, end))
      return { type: /b/i.test(prefix) ? 'bytes' : 'string', text: source.slice(at, end + quote.length), at };
    if (source[end] === '\\' && !isRaw) end += 1;
    else if (quote.length === 1 && (source[end] === '\n' || source[end] === '\r')) return undefined;
  }
  return undefined;
}

function numberToken(text: string | undefined, at: number): Token | undefined {
  if (text === undefined) return undefined;
  const isHex = text.startsWith('0x');
  if (/u$/i.test(text)) return { type: 'uint', text, at };
  return { type: !isHex && /[.eE]/.test(text) ? 'double' : 'int', text, at };
}

function wordToken(source: string, at: number, ident: string | undefined): Token | undefined {
  if (ident !== undefined) return { type: 'ident', text: ident, at };
  const operator = OPERATORS.find((one) => source.startsWith(one, at));
  return operator === undefined ? undefined : { type: 'operator', text: operator, at };
}

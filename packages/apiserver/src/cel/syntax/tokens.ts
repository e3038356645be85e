import type { Issue } from './source.ts';

export interface Token {
  readonly type: 'ident' | 'quoted' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'operator' | 'end';
  /** The token as written. */
  readonly text: string;
  readonly at: number;
}

const OPERATORS = [
  '&&', '||', '==', '!=', '<=', '>=', '?', ':', '.', ',', '(', ')', '[', ']', '{', '}', '<', '>', '+', '-', '*', '/', '%', '!',
]; // prettier-ignore

const BLANK = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const IDENT = /[_a-zA-Z][_a-zA-Z0-9]*/y;
/** A name in backquotes, for fields whose names are not identifiers. Kubernetes does not allow it. */
const QUOTED = /`[_a-zA-Z0-9./ -]+`/y;
const NUMBER = /0x[0-9a-fA-F]+u?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?/y;
const QUOTES = ['"""', "'''", '"', "'"];
const STRING_PREFIX = /(?:[rR][bB]?|[bB][rR]?)?(?=["'])/y;

/** Splits an expression into tokens; anything else is an issue and left out. */
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
      backquotedToken(take(QUOTED), at) ??
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

/** The text read when no token was found: a string up to its fault, or half an operator and the letter after it. */
function unreadableToken(source: string, at: number): string {
  const rest = source.slice(at);
  const text = /^["']/.test(rest) ? stringUpToFault(rest) : /^[=&|][^]?/.exec(rest)?.[0];
  return text ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
}

/** An invalid string up to and including the letter that makes it invalid. */
function stringUpToFault(text: string): string {
  const [quote = ''] = text;
  let end = 1;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r' && text[end] !== quote) {
    if (text[end] !== '\\') {
      end += 1;
      continue;
    }
    const length = validEscape(text, end);
    if (length === 0) return text.slice(0, end + 1 + escapeUpToFault(text.slice(end + 1)));
    end += length;
  }
  return text.slice(0, end + 1);
}

const ESCAPED = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y;

/** The length of an escape; 0 if it is invalid. */
function validEscape(source: string, at: number): number {
  ESCAPED.lastIndex = at;
  return ESCAPED.exec(source)?.[0].length ?? 0;
}

/** The length of an escape, after the backslash, up to the letter that is wrong. */
const escapeUpToFault = (text: string): number =>
  (/^(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?/.exec(text)?.[0].length ?? 0) + 1;

function stringToken(source: string, at: number, prefix: string | undefined): Token | undefined {
  if (prefix === undefined) return undefined;
  const start = at + prefix.length;
  // An unfinished long string begins with an empty short one.
  for (const quote of QUOTES.filter((one) => source.startsWith(one, start))) {
    const token = quotedToken(source, at, prefix, quote);
    if (token !== undefined) return token;
  }
  return undefined;
}

function quotedToken(source: string, at: number, prefix: string, quote: string): Token | undefined {
  const start = at + prefix.length;
  const isRaw = /r/i.test(prefix);
  for (let end = start + quote.length; end < source.length; end += 1) {
    if (source.startsWith(quote, end))
      return { type: /b/i.test(prefix) ? 'bytes' : 'string', text: source.slice(at, end + quote.length), at };
    if (source[end] === '\\' && !isRaw) {
      const length = validEscape(source, end);
      if (length === 0) return undefined;
      end += length - 1;
    } else if (quote.length === 1 && (source[end] === '\n' || source[end] === '\r')) return undefined;
  }
  return undefined;
}

function numberToken(text: string | undefined, at: number): Token | undefined {
  if (text === undefined) return undefined;
  const isHex = text.startsWith('0x');
  if (/u$/i.test(text)) return { type: 'uint', text, at };
  return { type: !isHex && /[.eE]/.test(text) ? 'double' : 'int', text, at };
}

const backquotedToken = (text: string | undefined, at: number): Token | undefined =>
  text === undefined ? undefined : { type: 'quoted', text, at };

function wordToken(source: string, at: number, ident: string | undefined): Token | undefined {
  if (ident !== undefined) return { type: 'ident', text: ident, at };
  const operator = OPERATORS.find((one) => source.startsWith(one, at));
  return operator === undefined ? undefined : { type: 'operator', text: operator, at };
}

import { Uint, type Value } from '../values/cel-value.ts';
import type { Call, Expr, FieldEntry, MapEntry } from './ast.ts';
import { literalText } from './literal-text.ts';
import { expandMacro } from './macros.ts';
import type { Issue } from './source.ts';
import { type Token, tokens } from './tokens.ts';

const RESERVED: ReadonlySet<string> = new Set([
  'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace',
  'return', 'var', 'void', 'while',
]); // prettier-ignore

/** Tokens that are allowed where an operand is, in the order of the grammar, and those of them that begin one. */
const SIGNS = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?'];
const OPERAND_SIGNS = ['[', '{', '(', '.', '-', '!'];

/** The text of the tokens that may begin an operand, and of those allowed in its place, as worded by the grammar. */
const expectedOperand = (others: readonly string[]): string =>
  `{${SIGNS.filter((sign) => OPERAND_SIGNS.includes(sign) || others.includes(sign))
    .map((sign) => `'${sign}'`)
    .join(', ')}, 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`;

/** Binary operators, from the weakest to the strongest. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Maximum depth of an expression, as in cel-go. */
const MAX_DEPTH = 250;

/** Thrown to leave the parser at the first syntax error. */
class SyntaxFault extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Parses an expression and expands its macros. Either `expr` is set, or there are issues. */
export function parse(source: string): { readonly expr?: Expr; readonly issues: readonly Issue[] } {
  const { tokens: found, issues } = tokens(source);
  const parser = new Parser(found, source);
  try {
    const expr = parser.whole();
    const all = [...issues, ...parser.issues];
    return all.length > 0 ? { issues: all } : { expr, issues: [] };
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    return { issues: [...issues, ...parser.issues, { at: error.at, message: error.message }] };
  }
}

class Parser {
  readonly issues: Issue[] = [];
  readonly #tokens: readonly Token[];
  readonly #source: string;
  #next = 0;
  #depth = 0;
  /** Tokens that are allowed at a position instead of an operand. */
  #others: { readonly at: number; readonly signs: readonly string[] } = { at: -1, signs: [] };

  constructor(found: readonly Token[], source: string) {
    this.#tokens = found;
    this.#source = source;
  }

  whole(): Expr {
    const expr = this.#expr();
    const { type, text, at } = this.#peek;
    if (type !== 'end') {
      const isLast = this.#tokens[this.#next + 1]?.type === 'end';
      throw new SyntaxFault(
        at,
        `Syntax error: ${isLast ? 'extraneous' : 'mismatched'} input '${text}' expecting <EOF>`,
      );
    }
    return expr;
  }

  get #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek;
    if (token.type !== 'end') this.#next += 1;
    return token;
  }

  #is(text: string): boolean {
    const { type, text: found } = this.#peek;
    return found === text && (type === 'operator' || type === 'ident');
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token !== undefined) return token;
    const { text: found, at } = this.#peek;
    if (text === ')') throw new SyntaxFault(at, `Syntax error: missing ')' at '${found}'`);
    throw new SyntaxFault(at, `Syntax error: mismatched input '${found}' expecting '${text}'`);
  }

  /** Expects the end of a list or a map, or with `isIndex` of an index. `isAfterComma`: nothing else may follow. */
  #expectEnd(text: string, isIndex: boolean, isAfterComma: boolean): void {
    if (this.#accept(text) !== undefined) return;
    const { text: found, at, type } = this.#peek;
    const after = this.#tokens[this.#next + 1];
    const isExtraneous = after?.type === 'operator' && after.text === text;
    if (!isExtraneous && (isIndex || isAfterComma) && type === 'end')
      throw new SyntaxFault(at, `Syntax error: missing '${text}' at '${found}'`);
    const wanted = isIndex ? `'${text}'` : `{'${text}', ','}`;
    const word = isExtraneous ? 'extraneous' : 'mismatched';
    throw new SyntaxFault(at, `Syntax error: ${word} input '${found}' expecting ${wanted}`);
  }

  /** Records the tokens that are allowed next besides an operand. */
  #allow(...signs: string[]): void {
    this.#others = { at: this.#next, signs };
  }

  #expr(): Expr {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new SyntaxFault(this.#peek.at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    const condition = this.#binary(0);
    const mark = this.#accept('?');
    let expr = condition;
    if (mark !== undefined) {
      const yes = this.#binary(0);
      this.#expect(':');
      expr = parsedCall(mark.at, '_?_:_', [condition, yes, this.#expr()]);
    }
    this.#depth -= 1;
    return expr;
  }

  #binary(level: number): Expr {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = this.#peek;
      if (!operators.some((text) => this.#is(text))) return left;
      this.#take();
      const name = operator.text === 'in' ? '@in' : `_${operator.text}_`;
      left = parsedCall(operator.at, name, [left, this.#binary(level + 1)]);
    }
  }

  #unary(): Expr {
    const { text, at } = this.#peek;
    if (!this.#is('!') && !this.#is('-')) return this.#member();
    const after = this.#tokens[this.#next + 1];
    if (text === '-' && (after?.type === 'int' || after?.type === 'double')) {
      this.#take();
      return this.#members({ kind: 'literal', at, value: this.#number({ ...this.#take(), at }, '-') });
    }
    let count = 0;
    while (this.#accept(text) !== undefined) count += 1;
    const operand = this.#member();
    return count % 2 === 0 ? operand : parsedCall(at, text === '!' ? '!_' : '-_', [operand]);
  }

  #member(): Expr {
    return this.#members(this.#primary());
  }

  #members(start: Expr): Expr {
    let expr = start;
    for (;;) {
      const dot = this.#accept('.');
      if (dot !== undefined) {
        expr = this.#field(expr, dot);
        continue;
      }
      const bracket = this.#accept('[');
      if (bracket === undefined) return expr;
      this.#allow('?');
      const isOptional = this.#accept('?') !== undefined;
      const index = this.#expr();
      this.#expectEnd(']', true, false);
      expr = parsedCall(bracket.at, isOptional ? '_[?_]' : '_[_]', [expr, index]);
    }
  }

  #field(operand: Expr, dot: Token): Expr {
    const mark = this.#accept('?');
    const { type, text, at } = this.#take();
    if (type === 'quoted') throw new SyntaxFault(at, "unsupported syntax: '`'");
    if (type === 'ident' && LITERAL_WORDS.has(text) && mark === undefined)
      throw new SyntaxFault(at, `Syntax error: mismatched input '${text}' expecting IDENTIFIER`);
    if (type !== 'ident' || text === 'in') throw this.#noAlternative(dot, { type, text, at });
    if (mark !== undefined) return parsedCall(dot.at, '_?._', [operand, { kind: 'literal', at, value: text }]);
    const open = this.#accept('(');
    if (open === undefined) return { kind: 'select', at: dot.at, operand, field: text, isTest: false };
    return this.#macroOrCall({ kind: 'call', at: open.at, name: text, target: operand, args: this.#arguments(')') });
  }

  /**
   * The fault of a token that no rule allows. Its text includes blanks between the two tokens, but no invalid
   * characters.
   */
  #noAlternative(dot: Token, { type, text, at }: Token): SyntaxFault {
    const blanks = this.#source.slice(dot.at + 1, at).replace(/\S/gu, '');
    const shown = type === 'end' ? '.' : `.${blanks}${text}`;
    return new SyntaxFault(at, `Syntax error: no viable alternative at input '${shown}'`);
  }

  #macroOrCall(expr: Call): Expr {
    const expanded = expandMacro(expr);
    if (expanded === undefined) return expr;
    if (!('message' in expanded)) return expanded;
    this.issues.push(expanded);
    return expr;
  }

  #arguments(end: string): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(end) !== undefined) return args;
    this.#allow(end);
    do args.push(this.#expr());
    while (this.#accept(',') !== undefined);
    this.#expect(end);
    return args;
  }

  #primary(): Expr {
    const token = this.#take();
    const { type, text, at } = token;
    if (type === 'int' || type === 'uint' || type === 'double')
      return { kind: 'literal', at, value: this.#number(token, '') };
    if (type === 'string' || type === 'bytes') return { kind: 'literal', at, value: this.#text(token) };
    if (type === 'ident' && text !== 'in') return this.#name(token, '');
    if (text === '(') {
      const expr = this.#expr();
      this.#expect(')');
      return expr;
    }
    if (text === '[') return this.#list(at);
    if (text === '{') return { kind: 'map', at, entries: this.#entries() };
    if (text === '.') {
      const name = this.#take();
      if (name.type === 'ident') return this.#name(name, '.');
      throw this.#noAlternative(token, name);
    }
    // If the token would be valid without the one before it, that one is reported as extraneous.
    const { at: index, signs } = this.#others;
    const others = this.#tokens[index] === token ? signs : [];
    const { type: after, text: sign } = this.#peek;
    const isRight = startsParsedOperand(this.#peek) || (after === 'operator' && others.includes(sign));
    const word = type !== 'end' && isRight && (text !== 'in' || sign === '[') ? 'extraneous' : 'mismatched';
    throw new SyntaxFault(at, `Syntax error: ${word} input '${text}' expecting ${expectedOperand(others)}`);
  }

  #name({ text, at }: Token, prefix: string): Expr {
    if (text === 'true' || text === 'false') return { kind: 'literal', at, value: text === 'true' };
    if (text === 'null') return { kind: 'literal', at, value: null };
    if (RESERVED.has(text)) this.issues.push({ at, message: `reserved identifier: ${text}` });
    const open = this.#accept('(');
    if (open !== undefined)
      return this.#macroOrCall({
        kind: 'call',
        at: open.at,
        name: prefix + text,
        target: undefined,
        args: this.#arguments(')'),
      });
    const type = this.#structType(text);
    if (type === undefined) return { kind: 'ident', at, name: prefix + text };
    const brace = this.#expect('{');
    return { kind: 'struct', at: brace.at, type, fields: this.#fields() };
  }

  /** The name of a message that is created here: `a.b{…}`. */
  #structType(first: string): string | undefined {
    let [name, at] = [first, this.#next];
    while (this.#tokens[at]?.text === '.' && this.#tokens[at + 1]?.type === 'ident') {
      name += `.${this.#tokens[at + 1]?.text}`;
      at += 2;
    }
    const brace = this.#tokens[at];
    if (brace?.type !== 'operator' || brace.text !== '{') return undefined;
    this.#next = at;
    return name;
  }

  #list(at: number): Expr {
    const items: Expr[] = [];
    const optional = new Set<number>();
    let isAfterComma = this.#acceptLoneComma(']');
    while (!this.#is(']') && !(isAfterComma && this.#peek.type === 'end')) {
      if (items.length === 0) this.#allow(']', ',', '?');
      if (this.#accept('?') !== undefined) optional.add(items.length);
      items.push(this.#expr());
      isAfterComma = this.#accept(',') !== undefined;
      if (!isAfterComma) break;
    }
    this.#expectEnd(']', false, isAfterComma);
    return { kind: 'list', at, items, optional };
  }

  /** Accepts a single comma: `[,]` and `{,}` are empty. */
  #acceptLoneComma(end: string): boolean {
    const after = this.#tokens[this.#next + 1];
    return this.#is(',') && after?.type === 'operator' && after.text === end && this.#accept(',') !== undefined;
  }

  #fields(): FieldEntry[] {
    const fields: FieldEntry[] = [];
    while (!this.#is('}')) {
      const isOptional = this.#accept('?') !== undefined;
      const name = this.#take();
      if (name.type !== 'ident')
        throw new SyntaxFault(name.at, `Syntax error: mismatched input '${name.text}' expecting {'}', IDENTIFIER}`);
      const { at } = this.#expect(':');
      fields.push({ at, name: name.text, value: this.#expr(), isOptional });
      if (this.#accept(',') === undefined) break;
    }
    this.#expectEnd('}', false, false);
    return fields;
  }

  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    this.#acceptLoneComma('}');
    while (!this.#is('}')) {
      if (entries.length === 0) this.#allow('}', ',', '?');
      const isOptional = this.#accept('?') !== undefined;
      const key = this.#expr();
      const { at } = this.#expect(':');
      entries.push({ at, key, value: this.#expr(), isOptional });
      if (this.#accept(',') === undefined) break;
    }
    this.#expectEnd('}', false, false);
    return entries;
  }

  #number({ type, text, at }: Token, sign: string): Value {
    if (type === 'double') {
      const double = Number(sign + text);
      if (!Number.isFinite(double)) this.issues.push({ at, message: 'invalid double literal' });
      return double;
    }
    const digits = BigInt(text.replace(/u$/i, ''));
    const value = sign === '-' ? -digits : digits;
    const isInside = type === 'uint' ? value < 2n ** 64n : value < 2n ** 63n && value >= -(2n ** 63n);
    if (!isInside) this.issues.push({ at, message: `invalid ${type} literal` });
    return type === 'uint' ? new Uint(value) : value;
  }

  #text({ type, text, at }: Token): Value {
    const value = literalText(text, type === 'bytes');
    if (value === undefined) {
      const message = type === 'bytes' ? 'unable to unescape string' : 'invalid unicode code point';
      this.issues.push({ at, message });
      return '';
    }
    return type === 'bytes' ? value.bytes : value.text;
  }
}

const LITERAL_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

const startsParsedOperand = ({ type, text }: Token): boolean =>
  type === 'operator' ? ['[', '{', '(', '.', '-', '!'].includes(text) : type !== 'end' && text !== 'in';

const parsedCall = (at: number, name: string, args: readonly Expr[]): Expr => ({
  kind: 'call',
  at,
  name,
  target: undefined,
  args,
});

import {
  anyOfClasses,
  type CharTest,
  negateClassIf,
  perlClass,
  posixClass,
  rangeClass,
  unicodeClass,
} from './re2-class.ts';

/** An expression as a tree. Groups are not captured: only the whole match is needed. */
export type Re2Node =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'assert'; readonly at: Re2Place }
  | { readonly kind: 'all'; readonly nodes: readonly Re2Node[] }
  | { readonly kind: 'any'; readonly nodes: readonly Re2Node[] }
  | {
      readonly kind: 'repeat';
      readonly node: Re2Node;
      readonly from: number;
      readonly to: number;
      /** Whether fewer repetitions are preferred. */
      readonly isLazy: boolean;
    };

export type Re2Place = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'wordEdge' | 'noWordEdge';

/** The message of Go's compiler, after `error parsing regexp: `. */
export class Re2SyntaxError extends Error {
  override readonly name = 'Re2SyntaxError';
}

const MAX_REPEAT = 1000;
const MAX_DEPTH = 1000;
const LINE_FEED = 10;
const REPEAT = /\{(?<from>\d+)(?<comma>,(?<to>\d*))?\}/y;
const GROUP_NAME = /\(\?P?<(?<name>[^>]*)>/y;
const ESCAPES: ReadonlyMap<string, number> = new Map<string, number>(
  Object.entries({ a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 }),
);

const SIMPLE_REPEATS: ReadonlyMap<string, { readonly from: number; readonly to: number }> = new Map([
  ['*', { from: 0, to: Infinity }],
  ['+', { from: 1, to: Infinity }],
  ['?', { from: 0, to: 1 }],
]);
const PLACES: ReadonlyMap<string, Re2Place> = new Map<string, Re2Place>([
  ['A', 'start'],
  ['z', 'end'],
  ['b', 'wordEdge'],
  ['B', 'noWordEdge'],
]);

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** Reads an expression in the syntax of Go's `regexp`, which is RE2's. Throws `Re2SyntaxError`. */
export function parseRe2Syntax(source: string): Re2Node {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { i: false, m: false, s: false };

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Re2Node {
    const node = this.#alternatives();
    if (this.#at < this.#source.length) throw re2SyntaxFault('unexpected )', this.#source);
    return node;
  }

  #alternatives(): Re2Node {
    const nodes = [this.#sequence()];
    while (this.#take('|')) nodes.push(this.#sequence());
    return nodes.length === 1 ? (nodes[0] as Re2Node) : { kind: 'any', nodes };
  }

  #sequence(): Re2Node {
    const nodes: Re2Node[] = [];
    /** The last repetition, because two in a row are an error. */
    let repeated = '';
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) {
      const began = this.#at;
      const repeat = this.#repetition();
      if (repeat === undefined) {
        repeated = '';
        const node = this.#atom();
        if (node !== undefined) nodes.push(node);
        continue;
      }
      const text = this.#source.slice(began, this.#at);
      if (repeated !== '') throw re2SyntaxFault('invalid nested repetition operator', repeated + text);
      const node = nodes.pop();
      if (node === undefined) throw re2SyntaxFault('missing argument to repetition operator', text);
      repeated = text;
      const next: Re2Node = { kind: 'repeat', node, ...repeat };
      if (re2SyntaxRepetitions(next) > MAX_REPEAT) throw re2SyntaxFault('invalid repeat count', text);
      nodes.push(next);
    }
    return nodes.length === 1 ? (nodes[0] as Re2Node) : { kind: 'all', nodes };
  }

  /** Parses `*`, `+`, `?` or `{n,m}`, lazy or not; any other brace is a character. */
  #repetition(): { readonly from: number; readonly to: number; readonly isLazy: boolean } | undefined {
    const simple = SIMPLE_REPEATS.get(this.#peek());
    if (simple !== undefined) {
      this.#at += 1;
      return { ...simple, isLazy: this.#take('?') };
    }
    REPEAT.lastIndex = this.#at;
    const found = REPEAT.exec(this.#source);
    if (found === null) return undefined;
    const { from: low = '', comma, to: high } = found.groups ?? {};
    const from = Number(low);
    const to = comma === undefined ? from : high === '' ? Infinity : Number(high);
    if (from > MAX_REPEAT || (to !== Infinity && to > MAX_REPEAT) || from > to)
      throw re2SyntaxFault('invalid repeat count', found[0]);
    this.#at += found[0].length;
    return { from, to, isLazy: this.#take('?') };
  }

  /** Parses an atom; undefined after flags, or after an empty `\Q\E`. */
  #atom(): Re2Node | undefined {
    const next = this.#peek();
    switch (next) {
      case '(':
        return this.#group();
      case '[':
        return { kind: 'char', test: this.#class() };
      case '\\':
        return this.#escape();
      default:
        this.#at += next.length;
    }
    const { i, m, s } = this.#flags;
    if (next === '^') return { kind: 'assert', at: m ? 'lineStart' : 'start' };
    if (next === '$') return { kind: 'assert', at: m ? 'lineEnd' : 'end' };
    if (next === '.') return { kind: 'char', test: s ? () => true : (char) => char !== LINE_FEED };
    return re2SyntaxLiteral(next, i);
  }

  #group(): Re2Node | undefined {
    const before = this.#flags;
    if (this.#source.startsWith('(?', this.#at)) {
      if (this.#isNamed()) this.#name();
      else if (this.#setFlags() === ')') return undefined;
    } else this.#at += 1;
    if (++this.#depth > MAX_DEPTH) throw re2SyntaxFault('expression nests too deeply', this.#source);
    const node = this.#alternatives();
    this.#depth -= 1;
    if (!this.#take(')')) throw re2SyntaxFault('missing closing )', this.#source);
    this.#flags = before;
    return node;
  }

  #isNamed(): boolean {
    return ['(?P<', '(?<'].some((start) => this.#source.startsWith(start, this.#at));
  }

  #name(): void {
    GROUP_NAME.lastIndex = this.#at;
    const found = GROUP_NAME.exec(this.#source);
    const { name = '' } = found?.groups ?? {};
    if (found === null || !/^\w+$/.test(name))
      throw re2SyntaxFault('invalid named capture', found?.[0] ?? this.#source.slice(this.#at));
    this.#at += found[0].length;
  }

  /** Parses `(?i)` or `(?i:`; the last character of the result tells which. */
  #setFlags(): string {
    const began = this.#at;
    this.#at += 2;
    const flags = new Map<string, boolean>(Object.entries(this.#flags));
    let [value, isEmpty] = [true, false];
    while (this.#at < this.#source.length) {
      const next = this.#peek();
      this.#at += next.length;
      if (next === '-' && value) [value, isEmpty] = [false, true];
      else if (next === ')' || next === ':') {
        if (isEmpty) break;
        const isSet = (flag: string): boolean => flags.get(flag) ?? false;
        this.#flags = { i: isSet('i'), m: isSet('m'), s: isSet('s') };
        return next;
      } else if ('imsU'.includes(next)) {
        flags.set(next, value);
        isEmpty = false;
      } else break;
    }
    throw re2SyntaxFault('invalid or unsupported Perl syntax', this.#source.slice(began, this.#at));
  }

  #escape(): Re2Node | undefined {
    const began = this.#at;
    const letter = this.#source[this.#at + 1] ?? '';
    const at = PLACES.get(letter);
    if (at !== undefined) {
      this.#at += 2;
      return { kind: 'assert', at };
    }
    if (letter === 'Q') return this.#quoted();
    const test = this.#classEscape();
    if (test !== undefined) return { kind: 'char', test };
    const char = this.#charEscape(began);
    return re2SyntaxLiteral(String.fromCodePoint(char), this.#flags.i);
  }

  #quoted(): Re2Node {
    const end = this.#source.indexOf(String.raw`\E`, this.#at + 2);
    const text = this.#source.slice(this.#at + 2, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 2;
    return { kind: 'all', nodes: Array.from(text, (char) => re2SyntaxLiteral(char, this.#flags.i)) };
  }

  /** Parses a class such as `\d`, `\pL` or `\p{Greek}`. */
  #classEscape(): CharTest | undefined {
    const letter = this.#source[this.#at + 1] ?? '';
    const perl = perlClass(letter, this.#flags.i);
    if (perl !== undefined) {
      this.#at += 2;
      return perl;
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    const rest = this.#source.slice(this.#at);
    const [text, long, short] = /^\\[pP](?:\{([^}]*)\}|([^{]))/u.exec(rest) ?? [];
    const test = text === undefined ? undefined : unicodeClass(long ?? short ?? '', this.#flags.i);
    if (text === undefined || test === undefined) throw re2SyntaxFault('invalid character class range', text ?? rest);
    this.#at += text.length;
    return negateClassIf(letter === 'P', test);
  }

  /** The character that an escape stands for. */
  #charEscape(began: number): number {
    const rest = this.#source.slice(began + 1);
    if (rest === '') throw re2SyntaxFault('trailing backslash at end of expression', '');
    const [octal] = /^(?:[1-7][0-7]{1,2}|0[0-7]{0,2})/.exec(rest) ?? [];
    if (octal !== undefined) return this.#after(began + 1 + octal.length, Number.parseInt(octal, 8));
    const [hex, long, short] = /^x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(rest) ?? [];
    const value = hex === undefined ? undefined : Number.parseInt(long ?? (short as string), 16);
    if (hex !== undefined && value !== undefined && value <= 0x10_ff_ff)
      return this.#after(began + 1 + hex.length, value);
    const letter = String.fromCodePoint(rest.codePointAt(0) as number);
    const known = ESCAPES.get(letter);
    if (known !== undefined) return this.#after(began + 2, known);
    if (/^[\x20-\x7e]$/.test(letter) && !/[0-9A-Za-z]/.test(letter))
      return this.#after(began + 2, letter.charCodeAt(0));
    const [shown = letter] = letter === 'x' ? (/^x\{?[0-9A-Fa-f]*/.exec(rest) ?? []) : [];
    throw re2SyntaxFault('invalid escape sequence', `\\${shown}`);
  }

  #after(at: number, value: number): number {
    this.#at = at;
    return value;
  }

  #class(): CharTest {
    const began = this.#at;
    this.#at += 1;
    const isNegated = this.#take('^');
    const tests: CharTest[] = [];
    let isFirst = true;
    while (isFirst || this.#peek() !== ']') {
      if (this.#at >= this.#source.length) throw re2SyntaxFault('missing closing ]', this.#source.slice(began));
      tests.push(this.#namedClass() ?? this.#classEscapeHere() ?? this.#range(began));
      isFirst = false;
    }
    this.#at += 1;
    return negateClassIf(isNegated, anyOfClasses(tests));
  }

  #namedClass(): CharTest | undefined {
    if (!this.#source.startsWith('[:', this.#at)) return undefined;
    const end = this.#source.indexOf(':]', this.#at + 2);
    if (end < 0) return undefined;
    const test = posixClass(this.#source.slice(this.#at + 2, end), this.#flags.i);
    if (test === undefined)
      throw re2SyntaxFault('invalid character class range', this.#source.slice(this.#at, end + 2));
    this.#at = end + 2;
    return test;
  }

  #classEscapeHere(): CharTest | undefined {
    return this.#peek() === '\\' ? this.#classEscape() : undefined;
  }

  #range(began: number): CharTest {
    const start = this.#at;
    const from = this.#classChar(began);
    let to = from;
    if (this.#peek() === '-' && this.#source[this.#at + 1] !== ']' && this.#at + 1 < this.#source.length) {
      this.#at += 1;
      to = this.#classChar(began);
      if (to < from) throw re2SyntaxFault('invalid character class range', this.#source.slice(start, this.#at));
    }
    return rangeClass(from, to, this.#flags.i);
  }

  #classChar(began: number): number {
    const next = this.#peek();
    if (next === '') throw re2SyntaxFault('missing closing ]', this.#source.slice(began));
    if (next === '\\') return this.#charEscape(this.#at);
    this.#at += next.length;
    return next.codePointAt(0) as number;
  }

  /** The next whole character. */
  #peek(): string {
    const char = this.#source.codePointAt(this.#at);
    return char === undefined ? '' : String.fromCodePoint(char);
  }

  #take(char: string): boolean {
    if (!this.#source.startsWith(char, this.#at)) return false;
    this.#at += char.length;
    return true;
  }
}

function re2SyntaxLiteral(text: string, isFolded: boolean): Re2Node {
  const char = text.codePointAt(0) as number;
  return { kind: 'char', test: rangeClass(char, char, isFolded) };
}

/** Number of copies of the innermost part of a tree, after all counts around it are expanded. */
function re2SyntaxRepetitions(node: Re2Node): number {
  switch (node.kind) {
    case 'char':
    case 'assert':
      return 1;
    case 'all':
    case 'any':
      return node.nodes.reduce((most, one) => Math.max(most, re2SyntaxRepetitions(one)), 1);
    case 'repeat': {
      const written = node.to === Infinity ? node.from : node.to;
      return Math.max(1, written) * re2SyntaxRepetitions(node.node);
    }
  }
}

const re2SyntaxFault = (what: string, where: string): Re2SyntaxError => new Re2SyntaxError(`${what}: \`${where}\``);

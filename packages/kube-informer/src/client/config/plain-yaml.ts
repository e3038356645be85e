import { readPlainJson } from './plain-json.ts';
import { PlainYamlRefusal, plainYamlScalar, plainYamlWords } from './plain-yaml-scalar.ts';
import type { YamlValue } from './safe-yaml.ts';

/** Maximum number of lines. The lexer makes at most twelve tokens of one, so that YAML_LIMITS.tokens holds. */
const MAX_LINES = 8_000;
/** Maximum number of levels. YAML_LIMITS.depth counts up to three columns of tokens for one of them. */
const MAX_DEPTH = 16;
/** What ASCII prints. Tabs and returns are not among it. */
const ASCII = /^[\n -~]*$/;
/** The same and letters of every script, but no spaces of theirs. */
const READABLE = /^[\n -~\p{L}\p{M}\p{N}]*$/u;
/** A key, and its value on the same line. Longer keys are refused by YAML. */
const ENTRY = /^([A-Za-z_][\w./-]{0,255}):(?: (.*))?$/;
/** `|`, with the width of its indentation and `-` for no line break at the end. */
const LITERAL = /^\|([1-9]?)(-?)$/;

interface Line {
  /** Number of spaces before the text. */
  readonly column: number;
  readonly text: string;
}

/**
 * Reads the part of YAML that tools write into a kubeconfig, and JSON, without loading a parser.
 *
 * Promises: the value is the one that the parser would give; for any text that might mean something else, or that the parser
 * might refuse, the result is undefined. Anchors, tags, merge keys, flow collections with content, several documents,
 * unusual numbers and unusual indentation are among these. Takes time linear in the length of the text.
 */
export function readPlainYaml(text: string): YamlValue | undefined {
  if (/^[\n ]*\{/.test(text)) return readPlainJson(text);
  // The second takes a millisecond to compile.
  if (!ASCII.test(text) && !READABLE.test(text)) return undefined;
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) return undefined;
  try {
    return new PlainYaml(lines).document();
  } catch (error) {
    if (error instanceof PlainYamlRefusal) return undefined;
    throw error;
  }
}

/** A reader of lines, by recursive descent. Throws PlainYamlRefusal. */
class PlainYaml {
  readonly #lines: readonly string[];
  /** Number of the next line. */
  #at = 0;
  #depth = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  document(): YamlValue {
    const first = this.#next();
    if (first?.column === 0 && first.text === '---') this.#at += 1;
    const value = this.#mapping(0);
    if (this.#next() !== undefined) throw new PlainYamlRefusal();
    return value;
  }

  /** The next line that is neither empty nor a comment. */
  #next(): Line | undefined {
    for (; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#lines[this.#at] as string;
      let column = 0;
      while (line[column] === ' ') column += 1;
      if (column < line.length && line[column] !== '#') return { column, text: line.slice(column) };
    }
    return undefined;
  }

  #nested<T>(read: () => T): T {
    if ((this.#depth += 1) > MAX_DEPTH) throw new PlainYamlRefusal();
    const value = read();
    this.#depth -= 1;
    return value;
  }

  /** Reads the entries at `column`. The first may be behind the dash of a sequence. */
  #mapping(column: number, first = this.#next()): YamlValue {
    const entries = new Map<string, YamlValue>();
    for (let line = first; line?.column === column; line = this.#next()) {
      const [, key, rest = ''] = ENTRY.exec(line.text) ?? [];
      if (key === undefined || entries.has(key) || typeof plainYamlScalar(key) !== 'string')
        throw new PlainYamlRefusal();
      this.#at += 1;
      entries.set(key, this.#value(rest.trimStart(), column));
    }
    if (entries.size === 0) throw new PlainYamlRefusal();
    return entries;
  }

  #sequence(column: number): YamlValue {
    const items: YamlValue[] = [];
    for (let line = this.#next(); line?.column === column && isPlainYamlItem(line); line = this.#next()) {
      const text = line.text.slice(1).replace(/^ +/, '');
      const inner = column + line.text.length - text.length;
      if (ENTRY.test(text)) {
        items.push(this.#nested(() => this.#mapping(inner, { column: inner, text })));
      } else {
        this.#at += 1;
        items.push(this.#scalar(text, column));
      }
    }
    return items;
  }

  /** The value of a key at `column`, of which `rest` is on the line of the key. */
  #value(rest: string, column: number): YamlValue {
    const literal = LITERAL.exec(rest);
    if (literal !== null) return this.#literal(column, Number(literal[1]), literal[2] === '-');
    if (rest !== '' && !rest.startsWith('#')) return this.#scalar(rest, column);
    const line = this.#next();
    // Sequences may begin in the column of their key.
    if (line !== undefined && line.column >= column && isPlainYamlItem(line))
      return this.#nested(() => this.#sequence(line.column));
    if (line !== undefined && line.column > column) return this.#nested(() => this.#mapping(line.column, line));
    return null;
  }

  /** A scalar in a collection at `column`. Lines with more indentation continue a text without quotes. */
  #scalar(text: string, column: number): YamlValue {
    let words: string | undefined;
    for (;;) {
      const line = this.#lines[this.#at] ?? '';
      const start = line.search(/[^ ]/);
      if (start <= column) break;
      // The first line must be a text, too, that nothing ends.
      words = `${words ?? plainYamlWords(text)} ${plainYamlWords(line.slice(start))}`;
      this.#at += 1;
    }
    return words ?? plainYamlScalar(text);
  }

  /** A text whose lines are kept: those that have at least the indentation of the first, or no character at all. */
  #literal(column: number, width: number, isStripped: boolean): string {
    const first = this.#lines.slice(this.#at).find((line) => line !== '') ?? '';
    const indentation = width === 0 ? first.search(/[^ ]|$/) : column + width;
    const margin = ' '.repeat(indentation);
    const content: string[] = [];
    for (; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#lines[this.#at] as string;
      if (line !== '' && !line.startsWith(margin)) break;
      // The parser keeps or drops lines of spaces by rules of their own.
      if (line !== '' && line.trim() === '') throw new PlainYamlRefusal();
      content.push(line.slice(indentation));
    }
    while (content.at(-1) === '') content.pop();
    if (indentation <= column || content.length === 0) throw new PlainYamlRefusal();
    return content.join('\n') + (isStripped ? '' : '\n');
  }
}

function isPlainYamlItem({ text }: Line): boolean {
  return text.startsWith('- ');
}

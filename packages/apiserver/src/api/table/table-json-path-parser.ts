import { defined } from 'kube-informer/core';
import type { Json } from '../../core/json.ts';

export type JsonPathNode =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'slice'; readonly from?: number; readonly to?: number | 'next'; readonly step: number }
  | { readonly type: 'union'; readonly paths: readonly (readonly JsonPathNode[])[] }
  | {
      readonly type: 'filter';
      readonly left: readonly JsonPathNode[];
      readonly operator: string;
      readonly right: readonly JsonPathNode[];
    }
  | { readonly type: 'literal'; readonly value: Json };

/** Cuts a JSON path into its steps. Throws a SyntaxError. */
export function parseTableJsonPath(path: string): readonly JsonPathNode[] {
  return new Parser(path).nodes();
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  nodes(): JsonPathNode[] {
    const nodes: JsonPathNode[] = [];
    while (this.#at < this.#text.length) nodes.push(...this.#next());
    return nodes;
  }

  #next(): readonly JsonPathNode[] {
    if (this.#skip('[?(')) return [this.#filter()];
    if (this.#skip('..')) {
      const isNamed = /[\w\p{L}]/u.test(this.#text.charAt(this.#at));
      return [{ type: 'recursive' }, ...(isNamed ? [this.#field()] : [])];
    }
    if (this.#skip('.')) return [this.#field()];
    if (this.#skip('[')) return this.#brackets();
    // The object itself and blanks, which may occur anywhere.
    if (this.#skip('@') || this.#skip('$') || this.#skip(' ')) return [];
    return [this.#literal()];
  }

  #field(): JsonPathNode {
    const [raw] = /^(\\.|[^\\\s.,[\]$@{}])*/.exec(this.#text.slice(this.#at)) as RegExpExecArray;
    this.#at += raw.length;
    return raw === '*' ? { type: 'wildcard' } : { type: 'field', name: raw.replaceAll('\\', '') };
  }

  #literal(): JsonPathNode {
    const rest = this.#text.slice(this.#at);
    const quoted = /^"((?:\\.|[^"\\])*)"|^'((?:\\.|[^'\\])*)'/.exec(rest);
    if (quoted !== null) {
      this.#at += quoted[0].length;
      return { type: 'literal', value: (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1') };
    }
    const plain = /^[+-]?\d[\d.]*|^true|^false/.exec(rest);
    if (plain === null) throw new SyntaxError(`unrecognized text in a JSON path: ${rest}`);
    this.#at += plain[0].length;
    return { type: 'literal', value: plain[0] === 'true' || (plain[0] !== 'false' && Number(plain[0])) };
  }

  /** Parses an index, a slice, a key in quotes, `*`, or several of them with commas between. */
  #brackets(): readonly JsonPathNode[] {
    const inside = this.#until(']');
    const parts = inside.split(',');
    if (parts.length === 1) return parseTableJsonPathBrackets(inside);
    return [{ type: 'union', paths: parts.map((part) => parseTableJsonPathBrackets(part.trim())) }];
  }

  #filter(): JsonPathNode {
    const [text] = /^(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^"')])*/.exec(
      this.#text.slice(this.#at),
    ) as RegExpExecArray;
    this.#at += text.length;
    if (!this.#skip(')]')) throw new SyntaxError(`a filter without an end: ${text}`);
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)([^!<>=][^]*)$/.exec(text) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      return { type: 'filter', left: parseTableJsonPath(text), operator: 'exists', right: [] };
    }
    return { type: 'filter', left: parseTableJsonPath(left), operator, right: parseTableJsonPath(right) };
  }

  #until(end: string): string {
    const at = this.#text.indexOf(end, this.#at);
    if (at < 0) throw new SyntaxError(`a bracket without an end: ${this.#text}`);
    const inside = this.#text.slice(this.#at, at);
    this.#at = at + end.length;
    return inside;
  }

  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

function parseTableJsonPathBrackets(text: string): readonly JsonPathNode[] {
  const key = /^'([^']*)'$/.exec(text)?.[1];
  // Dots in a quoted key split it, unless each has a backslash: `['a\.b']`.
  if (key !== undefined) return parseTableJsonPath(`.${key}`);
  const [, from, to, step] = /^(-?\d*)(:-?\d*)?(:\d*)?$/.exec(text === '*' ? ':' : text) ?? [];
  if (from === undefined) throw new SyntaxError(`invalid array index ${text}`);
  const number = (part: string | undefined): number | undefined =>
    part === undefined || part === '' || part === ':' ? undefined : Number(part.replace(':', ''));
  const start = number(from);
  const end = to === undefined ? 'next' : number(to);
  return [
    {
      type: 'slice',
      ...defined({ from: start, to: end }),
      step: number(step) ?? 1,
    },
  ];
}

/** A regular expression as a tree. A set is one character; what matches no character (`^`, `\b`) is an empty `all`. */
export type Tree =
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'all'; readonly parts: readonly Tree[] }
  | { readonly kind: 'any'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly min: number; readonly max: number }
  /** `(?=…)` and its kin: read from here, whatever follows. */
  | { readonly kind: 'look'; readonly part: Tree };

export interface Syntax {
  readonly tree: Tree;
  /** Whether it can match at one place only: each alternative begins with `^`, or it is sticky. */
  readonly anchored: boolean;
}

const NOTHING: Tree = { kind: 'all', parts: [] };
/** One character: a class, an escape, or itself. */
const SET =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])|[^\\[\]()|*+?^$]/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const GROUP = /\((\?(?:<?[=!]|:|<[^>]+>))?/uy;
const ASSERTION = /\\[bB]|[$^]/uy;

/** Parses a pattern of JavaScript. Refuses back references: they are not regular. */
export function readRegex({ source, flags }: { readonly source: string; readonly flags: string }): Syntax {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };

  function alternatives(): Tree {
    const parts = [sequence()];
    while (source[at] === '|') {
      at += 1;
      parts.push(sequence());
    }
    return parts.length === 1 ? (parts[0] ?? NOTHING) : { kind: 'any', parts };
  }

  function sequence(): Tree {
    const parts: Tree[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(quantified(atom()));
    return { kind: 'all', parts };
  }

  function atom(): Tree {
    const group = take(GROUP);
    if (group !== null) {
      const part = alternatives();
      at += 1; // the closing bracket
      return /^\?<?[=!]/.test(group[1] ?? '') ? { kind: 'look', part } : part;
    }
    if (take(ASSERTION) !== null) return NOTHING;
    if (/^\\[1-9k]/.test(source.slice(at, at + 2))) throw new Error(`/${source}/ refers back at ${at}`);
    const set = take(SET);
    if (set === null) throw new Error(`/${source}/: cannot read ${source.slice(at)}`);
    return { kind: 'set', source: set[0] };
  }

  function quantified(part: Tree): Tree {
    const found = take(QUANTIFIER);
    if (found === null) return part;
    const [, sign, from, comma, to] = found;
    if (sign !== undefined)
      return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    const min = Number(from);
    return { kind: 'repeat', part, min, max: comma === undefined ? min : to === '' ? Infinity : Number(to) };
  }

  const tree = alternatives();
  if (at !== source.length) throw new Error(`/${source}/: cannot read ${source.slice(at)}`);
  return { tree, anchored: flags.includes('y') || (!flags.includes('m') && everyAlternativeIsAnchored(source)) };
}

/** Splits at `|` outside all brackets; a group around the whole pattern is opened first. */
function everyAlternativeIsAnchored(source: string): boolean {
  const starts = [0];
  for (let at = 0, depth = 0; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (character === '[') while (source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '|' && depth === 0) starts.push(at + 1);
  }
  return starts.every((start) => source[start] === '^');
}

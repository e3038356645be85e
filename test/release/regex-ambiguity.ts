import { readRegex, type Tree } from './regex-syntax.ts';

/**
 * Finds where a backtracking matcher may read the same text again and again.
 *
 * A regular expression becomes an automaton of the characters in it (Glushkov's). It takes more than linear time only if the
 * automaton is ambiguous in one of two ways (Weber and Seidl): some word leads from a state back to itself on two paths
 * (exponential), or some word leads from p to p, from p to q, and from q to q (polynomial). Searching is a loop over any
 * character in front. Each ambiguity is returned as the word that shows it; the caller must try whether the engine is slow on
 * it, because what follows may always match.
 */
export interface Suspicion {
  /** Leads to the ambiguous state. */
  readonly prefix: string;
  /** The word to repeat. */
  readonly pump: string;
}

/** Every character of ASCII, and some that classes treat differently. */
const PALETTE: readonly string[] = [
  ...Array.from({ length: 26 }, (_, i) => String.fromCodePoint(97 + i)),
  ...Array.from({ length: 128 }, (_, i) => String.fromCodePoint(i)).filter((character) => !/[a-z]/.test(character)),
  'é',
  'µ',
  '中',
  '\u00a0',
  '\u2028',
  '\u0301',
  '\u200b',
  '\ud800',
  '😀',
];
/** Maximum number of copies of a counted part; more of them behave like a loop. */
const COPIES = 3;

type Edges = Map<number, number>;

/** States are the characters of the expression; 0 is the loop over any text before a match. */
class Automaton {
  readonly sets: bigint[] = [];
  /** From a state to the next, with the number of paths. */
  readonly next: Edges[] = [];
  readonly #flags: string;

  constructor(regex: { readonly source: string; readonly flags: string }) {
    this.#flags = regex.flags.replace(/[^iusv]/g, '');
    const { tree, anchored } = readRegex(regex);
    const start = this.#state('[^]');
    const { first } = this.#add(tree);
    if (!anchored) this.#join([start], [start]);
    this.#join([start], first);
  }

  #state(source: string): number {
    const pattern = new RegExp(`^${source}$`, this.#flags);
    const mask = PALETTE.reduce(
      (set, character, bit) => (pattern.test(character) ? set | (1n << BigInt(bit)) : set),
      0n,
    );
    this.next.push(new Map());
    return this.sets.push(mask) - 1;
  }

  #join(from: readonly number[], to: readonly number[]): void {
    for (const state of from)
      for (const other of to) this.next[state]?.set(other, (this.next[state].get(other) ?? 0) + 1);
  }

  #add(tree: Tree): { first: readonly number[]; last: readonly number[]; nullable: boolean } {
    switch (tree.kind) {
      case 'set': {
        const state = this.#state(tree.source);
        return { first: [state], last: [state], nullable: false };
      }
      case 'look':
        // Lookahead: afterwards the match continues from where it was.
        return { first: this.#add(tree.part).first, last: [], nullable: true };
      case 'any': {
        const parts = tree.parts.map((part) => this.#add(part));
        return {
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
          nullable: parts.some(({ nullable }) => nullable),
        };
      }
      case 'all': {
        let whole = { first: [] as readonly number[], last: [] as readonly number[], nullable: true };
        for (const part of tree.parts) {
          const next = this.#add(part);
          this.#join(whole.last, next.first);
          whole = {
            first: whole.nullable ? [...whole.first, ...next.first] : whole.first,
            last: next.nullable ? [...whole.last, ...next.last] : next.last,
            nullable: whole.nullable && next.nullable,
          };
        }
        return whole;
      }
      case 'repeat': {
        const { part, min, max } = tree;
        if (max === 0) return { first: [], last: [], nullable: true };
        if (min === 0 && max === 1) return { ...this.#add(part), nullable: true };
        if (min > 1 || Number.isFinite(max)) {
          // The required repetitions, then the optional ones.
          const most = Math.min(max - min, COPIES);
          const needed = Array.from({ length: Math.min(min, COPIES) }, () => part);
          const more: Tree[] =
            max - min > COPIES
              ? [{ kind: 'repeat', part, min: 0, max: Infinity }]
              : Array.from({ length: most }, () => ({ kind: 'repeat', part, min: 0, max: 1 }));
          return this.#add({ kind: 'all', parts: [...needed, ...more] });
        }
        const loop = this.#add(part);
        this.#join(loop.last, loop.first);
        return { ...loop, nullable: loop.nullable || min === 0 };
      }
      default:
        return tree satisfies never;
    }
  }

  /** Every step of the states that reads the same character, with the first such character. */
  *#steps(states: readonly number[], common = ~0n): Generator<Step> {
    const [head, ...rest] = states;
    if (head === undefined) {
      yield { targets: [], several: false, character: firstIn(common) };
      return;
    }
    for (const [target, ways] of this.next[head] ?? []) {
      const both = common & (this.sets[target] ?? 0n);
      if (both === 0n) continue;
      for (const { targets, several, character } of this.#steps(rest, both))
        yield { targets: [target, ...targets], several: several || ways > 1, character };
    }
  }

  /**
   * The shortest word that leads each of `from` to its counterpart in `to`. `keep` limits the states that are searched;
   * `split` requires two of the paths to differ.
   */
  word(
    from: readonly number[],
    to: readonly number[],
    keep: (states: readonly number[]) => boolean,
    split = false,
  ): string | undefined {
    const queue: { states: readonly number[]; text: string; differed: boolean }[] = [
      { states: from, text: '', differed: false },
    ];
    const seen = new Set<string>();
    for (const { states, text, differed } of queue) {
      for (const { targets, several, character } of this.#steps(states)) {
        if (!keep(targets)) continue;
        const differs = differed || several || targets.some((state) => state !== targets[0]);
        if ((!split || differs) && targets.every((state, index) => state === to[index])) return text + character;
        const name = `${targets.join()} ${split && differs}`;
        if (seen.has(name)) continue;
        seen.add(name);
        queue.push({ states: targets, text: text + character, differed: differs });
      }
    }
    return undefined;
  }

  /** For each state the states that it reaches and that reach it: its loop, or nothing. */
  loops(): ReadonlySet<number>[] {
    const reach = this.sets.map((_, start) => {
      const found = new Set<number>();
      const todo = [start];
      for (const state of todo)
        for (const other of this.next[state]?.keys() ?? [])
          if (!found.has(other)) {
            found.add(other);
            todo.push(other);
          }
      return found;
    });
    return reach.map((found, state) => new Set([...found].filter((other) => reach[other]?.has(state) === true)));
  }
}

interface Step {
  readonly targets: readonly number[];
  /** Whether one of them can be reached in more than one way. */
  readonly several: boolean;
  readonly character: string;
}

const firsts = new Map<bigint, string>();
function firstIn(set: bigint): string {
  const known = firsts.get(set) ?? PALETTE.find((_, bit) => ((set >> BigInt(bit)) & 1n) === 1n) ?? '';
  firsts.set(set, known);
  return known;
}

/** Every ambiguity of an expression, as words to try; an expression without any is linear. */
export function suspicionsOf(regex: { readonly source: string; readonly flags: string }): Suspicion[] {
  const automaton = new Automaton(regex);
  const loops = automaton.loops();
  const looping = [...loops.keys()].filter((state) => (loops[state]?.size ?? 0) > 0);
  const found = new Map<string, Suspicion>();
  const report = (state: number, pump: string | undefined): void => {
    if (pump === undefined) return;
    const prefix = state === 0 ? '' : (automaton.word([0], [state], () => true) ?? '');
    found.set(`${prefix}\0${pump}`, { prefix, pump });
  };
  for (const p of looping) {
    const own = loops[p] as ReadonlySet<number>;
    report(
      p,
      automaton.word([p, p], [p, p], ([x = -1, y = -1]) => own.has(x) && own.has(y), true),
    );
    for (const q of looping) {
      if (p === q) continue;
      const other = loops[q] as ReadonlySet<number>;
      report(
        p,
        automaton.word([p, p, q], [p, q, q], ([x = -1, , z = -1]) => own.has(x) && other.has(z)),
      );
    }
  }
  return [...found.values()];
}

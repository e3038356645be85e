import { Work } from '../../../core/work.ts';
import { isWordClass, type CharTest } from './re2-class.ts';
import { parseRe2Syntax, type Re2Node, type Re2Place, Re2SyntaxError } from './re2-syntax.ts';

export { Re2SyntaxError } from './re2-syntax.ts';

/** Maximum size of a compiled expression: `(a{1,100}){1,10}` has 1,000 steps. */
const MAX_STEPS = 100_000;

/** One step of a compiled expression. Both branches of a fork are followed at once. */
type Step =
  | { readonly op: 'char'; readonly test: CharTest; readonly next: number }
  | { readonly op: 'assert'; readonly at: Re2Place; readonly next: number }
  | { op: 'fork'; next: number; other: number }
  | { readonly op: 'done' };

type Re2Repeat = Extract<Re2Node, { kind: 'repeat' }>;

/** A thread of `find`, and the start of its match. */
interface Match {
  readonly index: number;
  readonly start: number;
}

/** Clearing 2^8 bytes counts as one step. */
const CLEARED_BITS = 8;

/**
 * A regular expression with Go's syntax and meaning, as the patterns of definitions are written.
 *
 * Its time is linear in the text: all paths through the expression are followed together, one character at a
 * time. The cost is at most the product of the expression and the text, which is counted: compiling and
 * testing spend steps of their request.
 */
export class Re2 {
  readonly #steps: Step[] = [{ op: 'done' }];
  readonly #start: number;

  /** Throws `Re2SyntaxError`, and 413 when compiling takes too much work. */
  constructor(source: string, work: Work = new Work('the pattern')) {
    this.#start = this.#compile(parseRe2Syntax(source), 0);
    work.spend(this.size);
  }

  /** Number of compiled steps, which determines the memory. */
  get size(): number {
    return this.#steps.length;
  }

  /** Whether the expression matches anywhere in the text. Throws 413 when finding out takes too much work. */
  test(text: string, work: Work = new Work('the pattern')): boolean {
    let here = new Threads(this.#steps.length);
    let next = new Threads(this.#steps.length);
    let [at, before] = [0, undefined as number | undefined];
    for (;;) {
      const char = text.codePointAt(at);
      if (this.#follow(here, this.#start, before, char)) return true;
      work.spend(1 + here.size);
      if (char === undefined) return false;
      at += char > 0xff_ff ? 2 : 1;
      const after = text.codePointAt(at);
      for (const index of here) {
        const step = this.#steps[index] as Step;
        if (step.op === 'char' && step.test(char) && this.#follow(next, step.next, char, after)) return true;
      }
      [here, next, before] = [next, here, char];
      next.clear();
    }
  }

  /**
   * The first match at or after `from`, as Go finds it: the leftmost, and of those the one that the
   * expression prefers. Threads are kept in the order of preference; a match ends those of lower preference.
   */
  find(text: string, from = 0, work: Work = new Work('the pattern')): { start: number; end: number } | undefined {
    let found: { start: number; end: number } | undefined;
    let here: Match[] = [];
    let at = from;
    let before = from === 0 ? undefined : text.codePointAt(from - 1);
    for (;;) {
      const char = text.codePointAt(at);
      const seen = new Uint8Array(this.#steps.length);
      work.spend(this.#steps.length >> CLEARED_BITS);
      const next: Match[] = [];
      const ready: Match[] = [];
      if (found === undefined) here.push({ index: this.#start, start: at });
      for (const { index, start } of here) {
        const end = this.#reach(ready, seen, index, start, before, char);
        work.spend(1 + ready.length);
        if (!end) continue;
        found = { start, end: at };
        break;
      }
      if (char === undefined) return found;
      for (const { index, start } of ready) {
        const step = this.#steps[index] as Step;
        if (step.op === 'char' && step.test(char)) next.push({ index: step.next, start });
      }
      if (next.length === 0 && found !== undefined) return found;
      [here, before] = [next, char];
      at += char > 0xff_ff ? 2 : 1;
    }
  }

  /** Adds the characters that can be read next, the preferred ones first; true when a match ends here. */
  #reach(
    ready: Match[],
    seen: Uint8Array,
    from: number,
    start: number,
    before: number | undefined,
    after: number | undefined,
  ): boolean {
    const waiting = [from];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (seen[index] === 1) continue;
      seen[index] = 1;
      const step = this.#steps[index] as Step;
      if (step.op === 'done') return true;
      if (step.op === 'char') ready.push({ index, start });
      if (step.op === 'fork') waiting.push(step.other, step.next);
      if (step.op === 'assert' && re2PlaceHolds(step.at, before, after)) waiting.push(step.next);
    }
    return false;
  }

  /** Adds the steps that can be reached without reading a character; true when that is the end. */
  #follow(threads: Threads, from: number, before: number | undefined, after: number | undefined): boolean {
    const waiting = [from];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (!threads.add(index)) continue;
      const step = this.#steps[index] as Step;
      if (step.op === 'done') return true;
      if (step.op === 'fork') waiting.push(step.next, step.other);
      if (step.op === 'assert' && re2PlaceHolds(step.at, before, after)) waiting.push(step.next);
    }
    return false;
  }

  /** Writes the steps of a node that continue at `next`; returns the first of them. */
  #compile(node: Re2Node, next: number): number {
    switch (node.kind) {
      case 'char':
        return this.#add({ op: 'char', test: node.test, next });
      case 'assert':
        return this.#add({ op: 'assert', at: node.at, next });
      case 'all':
        return node.nodes.reduceRight((after, one) => this.#compile(one, after), next);
      case 'any':
        return node.nodes
          .map((one) => this.#compile(one, next))
          .reduceRight((other, one) => this.#add({ op: 'fork', next: one, other }));
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat({ node, from, to, isLazy }: Re2Repeat, next: number): number {
    // The first branch of a fork is the one that `find` prefers.
    const fork = (body: number): Extract<Step, { op: 'fork' }> =>
      isLazy ? { op: 'fork', next, other: body } : { op: 'fork', next: body, other: next };
    let after = next;
    if (to === Infinity) {
      const loop = fork(0);
      after = this.#add(loop);
      const body = this.#compile(node, after);
      if (isLazy) loop.other = body;
      else loop.next = body;
    } else {
      for (let times = from; times < to; times += 1) after = this.#add(fork(this.#compile(node, after)));
    }
    for (let times = 0; times < from; times += 1) after = this.#compile(node, after);
    return after;
  }

  #add(step: Step): number {
    if (this.#steps.length > MAX_STEPS) throw new Re2SyntaxError('expression too large');
    return this.#steps.push(step) - 1;
  }
}

/** The current steps, each once, in the order they were added. */
class Threads {
  readonly #seen: Uint8Array;
  #list: number[] = [];

  constructor(size: number) {
    this.#seen = new Uint8Array(size);
  }

  add(index: number): boolean {
    if (this.#seen[index] === 1) return false;
    this.#seen[index] = 1;
    this.#list.push(index);
    return true;
  }

  get size(): number {
    return this.#list.length;
  }

  clear(): void {
    for (const index of this.#list) this.#seen[index] = 0;
    this.#list = [];
  }

  [Symbol.iterator](): Iterator<number> {
    return this.#list[Symbol.iterator]();
  }
}

const LINE_FEED = 10;

function re2PlaceHolds(place: Re2Place, before: number | undefined, after: number | undefined): boolean {
  switch (place) {
    case 'start':
      return before === undefined;
    case 'end':
      return after === undefined;
    case 'lineStart':
      return before === undefined || before === LINE_FEED;
    case 'lineEnd':
      return after === undefined || after === LINE_FEED;
    case 'wordEdge':
      return isRe2WordChar(before) !== isRe2WordChar(after);
    case 'noWordEdge':
      return isRe2WordChar(before) === isRe2WordChar(after);
  }
}

const isRe2WordChar = (char: number | undefined): boolean => char !== undefined && isWordClass(char);

import { type Entry, EntryHeap, EntryList } from './queue-entry.ts';

/** Time that a key may be overtaken for each step of priority: -100 gives others a head start of 30 s at most. */
const HEAD_START_MS = 300;
/** Maximum number of lists. More priorities share the heap, so that taking a key never compares more heads than this. */
const MAX_LISTS = 25;

/**
 * The order of ready keys: the smallest `readyAt - priority * 300 ms` first, then arrival.
 *
 * All keys age alike, so the order of two keys never changes while they wait, and no key starves: one of priority -100 is
 * overtaken only by keys of priority 0 that became ready within the next 30 s.
 *
 * Keys of one priority usually arrive in order and go to a list. The few that do not (raised, added while running) and those of
 * rare priorities go to a heap. The first key is the first of all heads.
 *
 * `strict`: a higher priority always goes first, as in controller-runtime.
 */
export class ReadyLine {
  readonly #isBefore: (a: Entry, b: Entry) => boolean;
  readonly #lists = new Map<number, EntryList>();
  readonly #heap: EntryHeap;
  #size = 0;

  constructor(strict: boolean) {
    this.#isBefore = strict ? isStrictlyBeforeInReadyLine : isBeforeInReadyLine;
    this.#heap = new EntryHeap(this.#isBefore);
  }

  get size(): number {
    return this.#size;
  }

  add(entry: Entry): void {
    this.#size += 1;
    const list = this.#listFor(entry.priority);
    if (list === undefined || (list.last !== undefined && this.#isBefore(entry, list.last))) this.#heap.push(entry);
    else list.append(entry);
  }

  remove(entry: Entry): void {
    this.#size -= 1;
    const { list } = entry;
    if (list === undefined) this.#heap.remove(entry);
    else list.remove(entry);
  }

  peek(): Entry | undefined {
    let first = this.#heap.first;
    for (const { first: head } of this.#lists.values())
      if (head !== undefined && (first === undefined || this.#isBefore(head, first))) first = head;
    return first;
  }

  /** The keys in the order in which they would be taken. */
  *inOrder(): Generator<Entry> {
    const fromHeap = this.#heap.sorted();
    const heads = [...this.#lists.values()].map(({ first }) => first);
    for (;;) {
      let next = fromHeap[0];
      let from = -1;
      for (const [at, head] of heads.entries())
        if (head !== undefined && (next === undefined || this.#isBefore(head, next))) [next, from] = [head, at];
      if (next === undefined) return;
      if (from === -1) fromHeap.shift();
      else heads[from] = next.next;
      yield next;
    }
  }

  shift(): Entry | undefined {
    const first = this.peek();
    if (first !== undefined) this.remove(first);
    return first;
  }

  #listFor(priority: number): EntryList | undefined {
    const known = this.#lists.get(priority);
    if (known !== undefined || this.#lists.size >= MAX_LISTS) return known;
    const list = new EntryList();
    this.#lists.set(priority, list);
    return list;
  }
}

/** Whether `a` is taken first. Not a number in each entry: it would take as many bytes as three links, in every key. */
function isBeforeInReadyLine(a: Entry, b: Entry): boolean {
  const first = a.readyAt - a.priority * HEAD_START_MS;
  const second = b.readyAt - b.priority * HEAD_START_MS;
  // Not their difference: two priorities may be so high that both are infinite.
  return first < second || (first === second && a.order < b.order);
}

function isStrictlyBeforeInReadyLine(a: Entry, b: Entry): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.order < b.order);
}

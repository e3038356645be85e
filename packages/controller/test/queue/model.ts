/** One step of a script. */
export type Step =
  | { readonly do: 'add'; readonly key: string; readonly priority: number; readonly afterMs: number }
  | { readonly do: 'get' }
  | { readonly do: 'done'; readonly nth: number }
  | { readonly do: 'hold'; readonly nth: number }
  | { readonly do: 'release'; readonly key: string }
  | { readonly do: 'advance'; readonly ms: number };

interface Item {
  readonly key: string;
  state: 'ready' | 'waiting' | 'stale' | 'running' | 'running+again';
  priority: number;
  readyAt: number;
  order: number;
}

/** The rules of the queue without any structure: every question is answered by looking at all keys. */
export class NaiveQueue {
  now = 0;
  adds = 0;
  #order = 0;
  readonly items = new Map<string, Item>();

  add(key: string, priority: number, afterMs: number): void {
    const readyAt = this.now + Math.max(0, afterMs);
    const order = (): number => (this.#order += 1);
    const item = this.items.get(key);
    if (item === undefined) {
      this.items.set(key, {
        key,
        state: readyAt <= this.now ? 'ready' : 'waiting',
        priority,
        readyAt,
        order: order(),
      });
      if (readyAt <= this.now) this.adds += 1;
      return;
    }
    if (item.state === 'running') {
      Object.assign(item, { state: 'running+again', priority, readyAt, order: order() });
      if (readyAt <= this.now) this.adds += 1;
      return;
    }
    const wasDue = item.readyAt <= this.now;
    if (priority > item.priority) Object.assign(item, { priority, order: order() });
    if (item.state === 'running+again' || item.state === 'waiting') {
      item.readyAt = Math.min(item.readyAt, readyAt);
      if (!wasDue && item.readyAt <= this.now) this.adds += 1;
      if (item.state === 'waiting' && item.readyAt <= this.now) item.state = 'ready';
    }
  }

  get(): string | undefined {
    const ready = [...this.items.values()].filter(({ state }) => state === 'ready');
    const [first] = ready.toSorted(
      (a, b) => a.readyAt - a.priority * 300 - (b.readyAt - b.priority * 300) || a.order - b.order,
    );
    if (first !== undefined) first.state = 'running';
    return first?.key;
  }

  get running(): string[] {
    return [...this.items.values()].filter(({ state }) => state.startsWith('running')).map(({ key }) => key);
  }

  done(key: string): void {
    const item = this.items.get(key) as Item;
    if (item.state === 'running') this.items.delete(key);
    else item.state = item.readyAt <= this.now ? 'ready' : 'waiting';
  }

  hold(key: string): void {
    const item = this.items.get(key) as Item;
    item.state = 'stale';
    item.readyAt = Math.min(item.readyAt, this.now);
  }

  release(key: string): void {
    const item = this.items.get(key);
    if (item?.state === 'stale') item.state = item.readyAt <= this.now ? 'ready' : 'waiting';
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const [due] = [...this.items.values()]
        .filter(({ state, readyAt }) => state === 'waiting' && readyAt <= end)
        .toSorted((a, b) => a.readyAt - b.readyAt || a.order - b.order);
      if (due === undefined) break;
      this.now = Math.max(this.now, due.readyAt);
      due.state = 'ready';
      due.order = this.#order += 1;
      this.adds += 1;
    }
    this.now = end;
  }

  count(state: Item['state']): number {
    return [...this.items.values()].filter((item) => item.state === state).length;
  }
}

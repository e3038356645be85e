import type { KubeObject } from 'kube-informer/core';

/** What the simulated cluster stores. */
export interface Item extends KubeObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  /** `bad` states cannot be digested by the transform of some runs. */
  readonly spec: { readonly n: number; readonly bad: boolean };
}

export interface Entry {
  readonly rv: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly object: Item;
}

export type State = ReadonlyMap<string, Entry>;

/**
 * One epoch of the storage: every write in order, as etcd keeps it. The one truth all
 * replicas copy and all invariants compare with. A restore makes a new one (`fork`).
 */
export class History {
  readonly entries: Entry[];
  readonly #byVersion: Map<number, Entry>;
  readonly #state: Map<string, Entry>;
  #rv: number;
  /** Versions below this one can no longer be listed exactly. */
  compacted: number;

  private constructor(entries: Entry[], rv: number, compacted: number) {
    this.entries = entries;
    this.#rv = rv;
    this.compacted = compacted;
    this.#byVersion = new Map(entries.map((entry) => [entry.rv, entry]));
    this.#state = replay(entries, rv);
  }

  static begin(rv: number): History {
    return new History([], rv, rv);
  }

  /** The newest version, written by this resource or another one. */
  get rv(): number {
    return this.#rv;
  }

  /** The newest state. */
  get state(): State {
    return this.#state;
  }

  /** Other resources were written: the version grows without an event here. */
  skip(versions: number): void {
    this.#rv += versions;
  }

  put(key: string, uid: string, n: number, bad: boolean): Entry {
    return this.#record(this.#state.has(key) ? 'MODIFIED' : 'ADDED', key, uid, { n, bad });
  }

  delete(key: string): Entry | undefined {
    const last = this.#state.get(key);
    if (last === undefined) return undefined;
    return this.#record('DELETED', key, last.object.metadata.uid, last.object.spec);
  }

  /** The state as it was at `rv`. */
  at(rv: number): State {
    return rv >= this.#rv ? this.#state : replay(this.entries, rv);
  }

  entryAt(rv: number): Entry | undefined {
    return this.#byVersion.get(rv);
  }

  /** Position of the first entry newer than `rv`. */
  indexAfter(rv: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle] as Entry).rv <= rv) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether `key` was deleted after `rv`. */
  deletedAfter(key: string, rv: number): boolean {
    for (let i = this.entries.length - 1; i >= 0; i -= 1) {
      const entry = this.entries[i] as Entry;
      if (entry.rv <= rv) return false;
      if (entry.key === key && entry.type === 'DELETED') return true;
    }
    return false;
  }

  /** A restore from a backup taken at `rv`, without all later writes. */
  fork(rv: number): History {
    return new History(this.entries.slice(0, this.indexAfter(rv)), rv, rv);
  }

  #record(type: Entry['type'], key: string, uid: string, spec: Item['spec']): Entry {
    this.#rv += 1;
    const [namespace = '', name = ''] = key.split('/');
    const metadata = { namespace, name, uid, resourceVersion: String(this.#rv) };
    const entry: Entry = { rv: this.#rv, type, key, object: { metadata, spec } };
    this.entries.push(entry);
    this.#byVersion.set(entry.rv, entry);
    apply(this.#state, entry);
    return entry;
  }
}

/** The state at one version that moves on with the version: cheap as long as it moves forward. */
export class Mirror {
  #history: History;
  #state: Map<string, Entry> = new Map();
  #next = 0;
  #rv = -1;

  constructor(history: History) {
    this.#history = history;
  }

  moveTo(history: History, rv: number): State {
    if (history !== this.#history || rv < this.#rv) {
      this.#history = history;
      this.#state = new Map();
      this.#next = 0;
    }
    this.#rv = rv;
    const { entries } = history;
    for (let entry = entries[this.#next]; entry !== undefined && entry.rv <= rv; entry = entries[this.#next]) {
      apply(this.#state, entry);
      this.#next += 1;
    }
    return this.#state;
  }
}

function replay(entries: readonly Entry[], rv: number): Map<string, Entry> {
  const state = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.rv > rv) break;
    apply(state, entry);
  }
  return state;
}

function apply(state: Map<string, Entry>, entry: Entry): void {
  if (entry.type === 'DELETED') state.delete(entry.key);
  else state.set(entry.key, entry);
}

/** Makes a new object for every response, as a decoder does. */
export function decoded({ metadata, spec }: Item): Item {
  return { metadata: { ...metadata }, spec: { ...spec } };
}

export function versionOf(item: Item): number {
  return Number(item.metadata.resourceVersion);
}

/** After a restore one object may have two states with the same version, so the content counts too. */
export function isSame(a: Item, b: Item): boolean {
  return (
    a.metadata.resourceVersion === b.metadata.resourceVersion &&
    a.metadata.uid === b.metadata.uid &&
    a.spec.n === b.spec.n
  );
}

/** A state in short, for messages. */
export function print(item: Item): string {
  return `${item.metadata.uid}@${item.metadata.resourceVersion}`;
}

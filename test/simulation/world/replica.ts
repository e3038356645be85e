import type { Entry, History, State } from './history.ts';

/**
 * One API server: a copy of the storage that may lag behind, and a window of recent
 * changes a watch can resume in.
 */
export class Replica {
  readonly name: string;
  readonly #window: number;
  #history: History;
  #rv: number;
  #oldest: number;
  /** Whether the replica stopped following the storage. */
  lagging = false;
  /** Cut off from the storage: its copy stands still, and a question that needs the storage is never answered. */
  cutOff = false;

  constructor(name: string, history: History, window: number) {
    this.name = name;
    this.#window = window;
    this.#history = history;
    this.#rv = history.rv;
    this.#oldest = history.rv;
  }

  /** The newest version it knows. */
  get rv(): number {
    return this.#rv;
  }

  /** A watch from an older version gets 410. */
  get oldest(): number {
    return this.#oldest;
  }

  get state(): State {
    return this.#history.at(this.#rv);
  }

  /** Copies the state of the storage. False while lagging. */
  follow(): boolean {
    if (this.lagging || this.cutOff) return false;
    this.#rv = this.#history.rv;
    const { entries } = this.#history;
    const dropped = entries.length - this.#window - 1;
    if (dropped >= 0) this.#oldest = Math.max(this.#oldest, (entries[dropped] as Entry).rv);
    return true;
  }

  /** Forgets its window. */
  compact(): void {
    this.#oldest = this.#rv;
  }

  /** Restarts on a storage, with an empty window. */
  restart(history: History): void {
    this.#history = history;
    this.#rv = history.rv;
    this.#oldest = history.rv;
    this.lagging = false;
    this.cutOff = false;
  }
}

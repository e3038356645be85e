import type { Watcher, WatcherState } from '../storage/watch/watcher.ts';
import type { FaultRequest } from './seams.ts';

/** A watch, for inspection. */
export interface WatchInfo {
  readonly id: number;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly user: string;
  readonly userAgent: string;
  /** The client's port; watches over one connection share it. */
  readonly port: number;
  /** The resourceVersion after which it began. */
  readonly from: number;
  readonly state: WatcherState;
  /** Events sent, bookmarks not counted. */
  readonly events: number;
  /** Bytes that its reader has not taken yet. */
  readonly queued: number;
}

type Facts = Omit<WatchInfo, 'state' | 'events' | 'queued'>;

/** An open watch, for faults and for closing it. */
export interface OpenWatch {
  readonly facts: Facts;
  readonly watcher: Watcher;
  readonly request: FaultRequest;
}

/** The open watches. */
export class Watches {
  readonly #open = new Map<number, OpenWatch>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#open.size;
  }

  add(facts: Facts, watcher: Watcher, request: FaultRequest): void {
    this.#open.set(facts.id, { facts, watcher, request });
    this.#onChange();
    watcher.signal.addEventListener(
      'abort',
      () => {
        this.#open.delete(facts.id);
        this.#onChange();
      },
      { once: true },
    );
  }

  open(): readonly OpenWatch[] {
    return [...this.#open.values()];
  }

  list(): readonly WatchInfo[] {
    return [...this.#open.values()].map(({ facts, watcher }) => ({
      ...facts,
      state: watcher.state,
      events: watcher.events,
      queued: watcher.queued,
    }));
  }

  /** Ends the streams cleanly, as in a shutdown of the server. */
  end(which: (watch: Facts) => boolean = () => true): void {
    for (const { facts, watcher } of this.#open.values()) if (which(facts)) watcher.end('timeout');
  }

  /** Ends the streams of resources that are gone, in all their versions. */
  endOf(resources: readonly { readonly group: string; readonly resource: string }[]): void {
    const gone = new Set(resources.map(({ group, resource }) => `${group}/${resource}`));
    this.end(({ group, resource }) => gone.has(`${group}/${resource}`));
  }
}

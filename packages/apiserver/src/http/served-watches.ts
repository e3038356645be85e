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
  /** The client's end of the connection; watches of one port share it. */
  readonly port: number;
  /** The resourceVersion it began after. */
  readonly from: number;
  readonly state: WatcherState;
  /** Events sent, bookmarks not counted. */
  readonly events: number;
  /** Bytes its reader has not taken yet. */
  readonly queued: number;
}

type Facts = Omit<WatchInfo, 'state' | 'events' | 'queued'>;

/** An open watch, for faults and for closing it. */
export interface OpenWatch {
  readonly facts: Facts;
  readonly watcher: Watcher;
  readonly request: FaultRequest;
}

/** The watches that are open. */
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

  /** Ends the streams cleanly: the server shuts down. */
  end(which: (watch: Facts) => boolean = () => true): void {
    for (const { facts, watcher } of this.#open.values()) if (which(facts)) watcher.end('timeout');
  }

  /** The same for resources that are gone, in all their versions. */
  endOf(resources: readonly { readonly group: string; readonly resource: string }[]): void {
    const gone = new Set(resources.map(({ group, resource }) => `${group}/${resource}`));
    this.end(({ group, resource }) => gone.has(`${group}/${resource}`));
  }
}

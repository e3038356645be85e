import type { Env } from 'kube-informer/core';
import type { Collection } from '../store/stored-collection.ts';
import type { Selection } from './selection.ts';
import type { WatchForm } from './watch-form.ts';
import { type Member, WatchGroup } from './watch-group.ts';

/**
 * The live watchers of one collection.
 *
 * A write is matched once per group, not per watcher; the events of one turn of the event loop are sent in
 * one write per watcher.
 */
export class WatchHub {
  readonly #env: Pick<Env, 'yield'>;
  readonly #collection: Collection;
  readonly #groups = new Map<string, WatchGroup>();
  #stop: (() => void) | undefined;
  #isFlushPlanned = false;

  /** `env.yield` decides when the events of a turn are sent. */
  constructor(env: Pick<Env, 'yield'>, collection: Collection) {
    this.#env = env;
    this.#collection = collection;
  }

  /**
   * Adds a member from the next change on. The caller has sent everything up to the newest revision. Returns a function
   * to leave.
   */
  join(member: Member, selection: Selection, form: WatchForm, singleFrames: boolean): () => void {
    const key = `${singleFrames ? 'single' : 'batch'}\n${form.key}\n${selection.text}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = new WatchGroup(key, selection, form, singleFrames);
      this.#groups.set(key, group);
    }
    group.join(member);
    this.#stop ??= this.#listen();
    return () => {
      group.leave(member);
      if (group.size > 0) return;
      if (this.#groups.get(key) === group) this.#groups.delete(key);
      if (this.#groups.size === 0) {
        this.#stop?.();
        this.#stop = undefined;
      }
    };
  }

  /** Sends the events that wait for the end of the turn: a bookmark must not overtake them. */
  flush(): void {
    for (const group of this.#groups.values()) group.flush();
  }

  #listen(): () => void {
    return this.#collection.listen((change) => {
      const frames = new Map<string, Buffer>();
      for (const group of this.#groups.values()) group.offer(change, frames);
      if (this.#isFlushPlanned) return;
      this.#isFlushPlanned = true;
      void this.#env.yield().then(() => {
        this.#isFlushPlanned = false;
        this.flush();
      });
    });
  }
}

/** The hub of each collection, created for its first watcher. */
export function watchHubs(env: Pick<Env, 'yield'>): (collection: Collection) => WatchHub {
  const known = new WeakMap<Collection, WatchHub>();
  return (collection) => {
    let hub = known.get(collection);
    if (hub === undefined) known.set(collection, (hub = new WatchHub(env, collection)));
    return hub;
  };
}

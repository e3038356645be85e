import { KubeError, requireKnown } from 'kube-informer/core';
import type { InformerEvent, KubeObject } from 'kube-informer';

/** One version of an object, as a handler received it. */
export interface Seen {
  /** Wall clock; undefined for the version before the first observed change. */
  readonly at: number | undefined;
  readonly type: 'add' | 'update' | 'delete' | 'before';
  readonly object: KubeObject;
}

export interface HistoryOptions {
  /** Maximum number of versions per object. @default 20 */
  readonly perObject?: number;
  /**
   * Maximum number of versions of all objects; those of the object that changed longest ago are dropped first. @default
   * 2000
   */
  readonly inAll?: number;
}

/**
 * The last versions of objects that changed while the inspector runs.
 *
 * Promises: never keeps more than the limits. Versions the informer merged are missing here too.
 *
 * Room rule: keeps objects unmasked; callers mask what they show.
 */
export class History {
  readonly #perObject: number;
  readonly #inAll: number;
  /** Objects by cache and key; the object that changed last is at the end. */
  readonly #objects = new Map<string, Seen[]>();
  #versions = 0;

  constructor(options: HistoryOptions = {}) {
    requireKnown('history', options, { perObject: true, inAll: true });
    const { perObject = 20, inAll = 2_000 } = options;
    for (const [name, value] of Object.entries({ perObject, inAll }))
      if (!Number.isInteger(value) || value < 1)
        throw new KubeError('INVALID_OPTION', `history.${name}: expected a whole number > 0, got ${String(value)}`);
    this.#perObject = perObject;
    this.#inAll = inAll;
  }

  get size(): number {
    return this.#versions;
  }

  note(cache: string, event: InformerEvent<KubeObject>, at: number): void {
    if ((event.type === 'add' && event.initial) || (event.type === 'update' && event.resync)) return;
    const id = inspectorHistoryId(cache, event.key);
    const seen = this.#objects.get(id) ?? [];
    // Moves it to the end of the map.
    this.#objects.delete(id);
    this.#objects.set(id, seen);
    if (seen.length === 0 && event.type === 'update')
      this.#push(seen, { at: undefined, type: 'before', object: event.old });
    this.#push(seen, { at, type: event.type, object: event.object });
    while (seen.length > this.#perObject) this.#drop(id, seen);
    for (const [oldest, versions] of this.#objects) {
      if (this.#versions <= this.#inAll) break;
      while (versions.length > 0 && this.#versions > this.#inAll) this.#drop(oldest, versions);
    }
  }

  /** The versions of an object, oldest first. */
  of(cache: string, key: string): readonly Seen[] {
    return this.#objects.get(inspectorHistoryId(cache, key)) ?? [];
  }

  forget(cache: string): void {
    for (const [id, seen] of this.#objects) {
      if (!id.startsWith(inspectorHistoryId(cache, ''))) continue;
      this.#versions -= seen.length;
      this.#objects.delete(id);
    }
  }

  #push(seen: Seen[], version: Seen): void {
    seen.push(version);
    this.#versions += 1;
  }

  #drop(id: string, seen: Seen[]): void {
    seen.shift();
    this.#versions -= 1;
    if (seen.length === 0) this.#objects.delete(id);
  }
}

const inspectorHistoryId = (cache: string, key: string): string => `${cache}\n${key}`;

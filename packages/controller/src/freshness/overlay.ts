import { isOlder, joinKey, type Key, type KubeObject } from 'kube-informer/core';

/** A run's write to one object: its new state, or the uid that it deleted. */
type Written = { readonly object: KubeObject } | { readonly deletedUid: string };

/**
 * The writes of one run, laid over the caches so that the run reads what it wrote. It ends with the run, so
 * nothing has to be evicted and no object outlives its deletion.
 */
export class Overlay {
  readonly #written = new Map<string, Map<Key, Written>>();

  put(resource: string, object: KubeObject): void {
    const { namespace = '', name = '' } = object.metadata ?? {};
    this.#of(resource).set(joinKey({ namespace, name }), { object });
  }

  remove(resource: string, key: Key, uid: string): void {
    this.#of(resource).set(key, { deletedUid: uid });
  }

  /** The object as this run must see it. `cached` is the state in the cache. */
  get<T extends KubeObject>(resource: string, key: Key, cached: T | undefined): T | undefined {
    const written = this.#written.get(resource)?.get(key);
    if (written === undefined) return cached;
    if ('deletedUid' in written) return cached?.metadata?.uid === written.deletedUid ? undefined : cached;
    const isBehind = isOlder(written.object.metadata?.resourceVersion, cached?.metadata?.resourceVersion);
    return isBehind ? cached : (written.object as T);
  }

  /** The objects as this run must see them: those that no longer match are left out, those that match now are added. */
  list<T extends KubeObject>(resource: string, cached: readonly T[], matches: (object: T) => boolean): T[] {
    const written = this.#written.get(resource);
    if (written === undefined) return [...cached];
    const byKey = new Map(cached.map((object) => [overlayKey(object), object]));
    for (const key of written.keys()) {
      const seen = this.get(resource, key, byKey.get(key));
      if (seen === undefined || !matches(seen)) byKey.delete(key);
      else byKey.set(key, seen);
    }
    return [...byKey.values()];
  }

  #of(resource: string): Map<Key, Written> {
    const known = this.#written.get(resource);
    if (known !== undefined) return known;
    const made = new Map<Key, Written>();
    this.#written.set(resource, made);
    return made;
  }
}

function overlayKey({ metadata }: KubeObject): Key {
  const { namespace = '', name = '' } = metadata ?? {};
  return joinKey({ namespace, name });
}

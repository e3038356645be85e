import type { Key } from '../core/object/key.ts';
import type { LabelSelector } from '../core/selector/selector.ts';
import type { ReadonlyStore } from './store.ts';

/** A read-only view of a store, without write methods even in JavaScript. */
export function readonlyStore<T extends object, I extends string>(store: ReadonlyStore<T, I>): ReadonlyStore<T, I> {
  return Object.freeze({
    get size() {
      return store.size;
    },
    get resourceVersion() {
      return store.resourceVersion;
    },
    get: (key: Key) => store.get(key),
    has: (key: Key) => store.has(key),
    keys: () => store.keys(),
    list: () => store.list(),
    byIndex: (name: I | 'namespace', value: string) => store.byIndex(name, value),
    ...(store.byLabels === undefined
      ? {}
      : { byLabels: (selector: LabelSelector, namespace: string) => store.byLabels?.(selector, namespace) ?? [] }),
    indexKeys: (name: I | 'namespace', value: string) => store.indexKeys(name, value),
    indexValues: (name: I | 'namespace') => store.indexValues(name),
    index: (name: I | 'namespace', object: T) => store.index(name, object),
    hasIndex: (name: string) => store.hasIndex(name),
    indexNames: () => store.indexNames(),
  });
}

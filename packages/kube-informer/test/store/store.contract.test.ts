import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { ExpirationCache } from '../../src/store/expiration-cache.ts';
import { Fifo } from '../../src/store/fifo.ts';
import { Indexer } from '../../src/store/indexer.ts';
import type { Store } from '../../src/store/store.ts';
import { UndeltaStore } from '../../src/store/undelta-store.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';
import { coded, keyFor, nameless, pod } from './rig/objects.ts';

interface Make {
  readonly name: string;
  readonly make: () => Store<KubeObject>;
}

const stores: readonly Make[] = [
  { name: 'Indexer', make: () => new Indexer() },
  { name: 'ExpirationCache', make: () => new ExpirationCache({ ttlMs: 1000, env: fakeEnv() }) },
  { name: 'UndeltaStore', make: () => new UndeltaStore(() => {}) },
  { name: 'Fifo', make: () => new Fifo() },
];

/** A store with `web/a` and `web/b` in it. */
function rig(make: () => Store<KubeObject>): { store: Store<KubeObject>; a: KubeObject; b: KubeObject } {
  const store = make();
  const [a, b] = [pod('web/a', '1'), pod('web/b', '2')];
  store.add(a);
  store.add(b);
  return { store, a, b };
}

describe.each(stores)('$name as a Store', ({ make }) => {
  test('STO-01: an added object is found by its key and is listed, the object itself and not a copy', () => {
    const { store, a, b } = rig(make);
    expect(store.get('web/a')).toBe(a);
    expect(store.list()).toEqual([a, b]);
    expect(store.list()[1]).toBe(b);
    expect(store.keys()).toEqual(['web/a', 'web/b']);
    expect(store.get('web/c')).toBeUndefined();
  });

  test('STO-01, STO-02: the key is namespace and name, so equal names in two namespaces are two objects', () => {
    const { store, a } = rig(make);
    const [other, cluster] = [pod('db/a'), pod('a')];
    store.add(other);
    store.add(cluster);
    expect(store.get('web/a')).toBe(a);
    expect(store.get('db/a')).toBe(other);
    expect(store.get('a')).toBe(cluster);
  });

  test('STO-01: adding an existing object and updating a missing one do the same', () => {
    const { store } = rig(make);
    const [again, fresh] = [pod('web/a', '3'), pod('web/c', '4')];
    store.add(again);
    store.update(fresh);
    expect(store.get('web/a')).toBe(again);
    expect(store.get('web/c')).toBe(fresh);
    expect(store.keys()).toEqual(['web/a', 'web/b', 'web/c']);
  });

  test('STO-01: a write replaces the whole object, nothing is merged', () => {
    const { store } = rig(make);
    store.update(pod('web/a', '3', { labels: { x: '1' } }));
    store.update(pod('web/a', '4'));
    expect(store.get('web/a')).toEqual(pod('web/a', '4'));
  });

  test('STO-01: a delete goes by key, whatever the state of the object given', () => {
    const { store, b } = rig(make);
    store.delete(pod('web/a', '99'));
    expect(store.get('web/a')).toBeUndefined();
    expect(store.list()).toEqual([b]);
  });

  test('STO-01: deleting a missing object is fine and changes nothing', () => {
    const { store, a, b } = rig(make);
    store.delete(pod('web/zzz'));
    expect(store.list()).toEqual([a, b]);
  });

  test('STO-01: a replace makes the list the whole content', () => {
    const { store } = rig(make);
    const [newer, c] = [pod('web/b', '7'), pod('web/c', '8')];
    store.replace([newer, c], '8');
    expect(store.list()).toEqual([newer, c]);
    expect(store.get('web/a')).toBeUndefined();
    store.replace([], '9');
    expect(store.list()).toEqual([]);
    expect(store.keys()).toEqual([]);
  });

  test('STO-01: a list that names an object twice leaves its last state', () => {
    const { store } = rig(make);
    const last = pod('web/a', '8');
    store.replace([pod('web/a', '7'), last], '8');
    expect(store.list()).toEqual([last]);
  });

  test('STO-01, Trap 20: neither a passed-in nor a returned value gives access to the store', () => {
    const { store } = rig(make);
    const list = [pod('web/c')];
    store.replace(list, '5');
    list.push(pod('web/d'));
    store.list().length = 0;
    store.keys().push('web/e');
    expect(store.keys()).toEqual(['web/c']);
    expect(store.list()).toEqual([pod('web/c')]);
  });

  test('STO-02: an object without a name is refused, and neither it nor its list leaves a trace', () => {
    const { store, a, b } = rig(make);
    expect(() => store.add(nameless)).toThrow(coded('INVALID_KEY'));
    expect(() => store.update(nameless)).toThrow(coded('INVALID_KEY'));
    expect(() => store.delete(nameless)).toThrow(coded('INVALID_KEY'));
    expect(() => store.replace([pod('web/c'), nameless], '5')).toThrow(coded('INVALID_KEY'));
    expect(store.list()).toEqual([a, b]);
  });

  test('STO-01: a resync changes nothing', () => {
    const { store, a, b } = rig(make);
    store.resync?.();
    expect(store.list()).toEqual([a, b]);
  });

  test('STO-01: after any sequence of writes the store holds what a plain map would', () => {
    const key = fc.constantFrom('a', 'web/a', 'web/b', 'db/a', '__proto__', 'constructor/toString');
    const version = fc.nat({ max: 999 }).map(String);
    const object = fc.tuple(key, version).map(([k, v]) => pod(k, v));
    const op = fc.oneof(
      fc.record({ type: fc.constantFrom('add' as const, 'update' as const, 'delete' as const), object }),
      fc.record({ type: fc.constant('replace' as const), objects: fc.array(object, { maxLength: 4 }) }),
    );
    fc.assert(
      fc.property(fc.array(op, { maxLength: 30 }), (ops) => {
        const store = make();
        let model = new Map<string, KubeObject>();
        for (const step of ops) {
          if (step.type === 'replace') {
            store.replace(step.objects, '1');
            model = new Map(step.objects.map((each) => [keyFor(each), each]));
          } else {
            store[step.type](step.object);
            if (step.type === 'delete') model.delete(keyFor(step.object));
            else model.set(keyFor(step.object), step.object);
          }
          expect(store.keys()).toEqual([...model.keys()]);
          expect(store.list()).toEqual([...model.values()]);
          for (const [k, each] of model) expect(store.get(k)).toBe(each);
        }
      }),
    );
  });
});

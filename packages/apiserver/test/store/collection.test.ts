import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tailAt } from '../../src/store/record.ts';
import { configMap, play, shown, steps, storeRig } from './workload.ts';

describe('a collection', () => {
  test('an exact list equals what the collection was after that revision, for any workload', () => {
    fc.assert(
      fc.property(steps, (workload) => {
        const rig = storeRig();
        const states = play(rig, workload);
        for (const [revision, state] of states) expect(shown(rig.collection.at(revision))).toEqual(state);
      }),
    );
  });

  test('replaying the changes after any revision over the state at it gives the newest state', () => {
    fc.assert(
      fc.property(steps, (workload) => {
        const rig = storeRig();
        const states = play(rig, workload);
        for (const [revision] of states) {
          const fold = new Map(rig.collection.at(revision).map((record) => [record.key, record]));
          for (const { key, record } of rig.collection.after(revision)) {
            if (record === undefined) fold.delete(key);
            else fold.set(key, record);
          }
          const folded = [...fold.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
          expect(shown(folded)).toEqual(shown(rig.collection.current()));
        }
      }),
    );
  });

  test('a namespace or a start key picks the same objects as looking at all of them', () => {
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('', 'a', 'a-b', 'b', 'none'),
        fc.constantFrom('', 'a/n2', 'a-b/n', 'b'),
        (workload, namespace, start) => {
          const rig = storeRig();
          play(rig, workload);
          const expected = rig.collection
            .current()
            .filter((record) => (namespace === '' || record.namespace === namespace) && record.key >= start);
          expect(shown(rig.collection.current({ namespace, start }))).toEqual(shown(expected));
        },
      ),
    );
  });

  test('history of two events only never gives a wrong state: what is not below `oldest` is still exact', () => {
    fc.assert(
      fc.property(steps, (workload) => {
        const rig = storeRig({ history: { events: 2 } });
        const states = play(rig, workload);
        for (const [revision, state] of states)
          if (revision >= rig.collection.oldest) expect(shown(rig.collection.at(revision))).toEqual(state);
      }),
    );
  });

  test('the bytes of a record parse to the object, with the revision as its resourceVersion', () => {
    const { collection } = storeRig();
    const record = collection.put(configMap('a', 'n1', 'red'));
    expect(JSON.parse(`{${record.tail.toString()}`)).toEqual({
      ...configMap('a', 'n1', 'red'),
      metadata: { ...configMap('a', 'n1', 'red').metadata, resourceVersion: '2' },
    });
  });

  test('other digits in a record change nothing but its resourceVersion', () => {
    const { collection, other } = storeRig();
    for (const target of [collection, other]) {
      const record = target.put({ ...configMap('a', 'ü-1', 'red'), a: 1 });
      const moved = JSON.parse(`{${tailAt(record, 1_234_567).toString()}`);
      expect(moved.metadata.resourceVersion).toBe('1234567');
      expect({ ...moved.metadata, resourceVersion: undefined }).toEqual({
        ...target.object(record).metadata,
        resourceVersion: undefined,
      });
      expect({ ...moved, metadata: 0 }).toEqual({ ...target.object(record), metadata: 0 });
    }
  });

  test('sorted layout writes keys in order, and metadata around the version too', () => {
    const { other } = storeRig();
    const record = other.put({ spec: { b: 1, a: { d: 1, c: 2 } }, metadata: { uid: 'u', name: 'x', generation: 1 } });
    expect(record.tail.toString()).toBe(
      '"metadata":{"generation":1,"name":"x","resourceVersion":"2","uid":"u"},"spec":{"a":{"c":2,"d":1},"b":1}}',
    );
  });

  test('an object that is handed out and its record do not change when the key is written again', () => {
    const { collection } = storeRig();
    const before = collection.put(configMap('a', 'n1', 'red'));
    const text = before.tail.toString();
    collection.put(configMap('a', 'n1', 'green'));
    expect(before.tail.toString()).toBe(text);
    expect(collection.object(before).metadata?.labels).toEqual({ colour: 'red' });
  });

  test('removing what is not there takes no revision', () => {
    const { store, collection } = storeRig();
    expect(collection.remove('a', 'nothing')).toBeUndefined();
    expect(store.revision).toBe(1);
  });
});

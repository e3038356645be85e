import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordBirth, encodeRecord, recordTailAt } from '../../../src/storage/store/stored-record.ts';
import { configMap, play, shown, steps, storeRig } from '../../rig/workload.ts';

test.each(['struct', 'sorted'] as const)('uid and birth are read from the bytes of a record (%s)', (layout) => {
  const looksLikeOne = '"uid":"none","creationTimestamp":"never","resourceVersion":"1"';
  const metadata = {
    name: 'a',
    namespace: 'größe',
    uid: 'its-own',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { uid: looksLikeOne },
    annotations: { [looksLikeOne]: looksLikeOne },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'of-another' }],
  };
  const record = encodeRecord({ metadata, spec: { uid: 'x', resourceVersion: 'y' } }, 7, layout);
  expect(recordBirth(record, layout)).toEqual({ uid: 'its-own', creationTimestamp: '2026-01-01T00:00:00Z' });
  expect(JSON.parse(`{${recordTailAt(record, 12).toString()}`)).toEqual({
    metadata: { ...metadata, resourceVersion: '12' },
    spec: { uid: 'x', resourceVersion: 'y' },
  });
  const { uid: _uid, creationTimestamp: _born, ...unborn } = metadata;
  expect(recordBirth(encodeRecord({ metadata: unborn }, 7, layout), layout)).toEqual({});
});

describe('a collection', () => {
  test('an update that changes nothing is not a write, whatever its resourceVersion', () => {
    const { store, collection } = storeRig();
    const object = (text: string, resourceVersion = '') => {
      const { metadata, ...rest } = configMap('a', 'n', text);
      return { ...rest, metadata: { ...metadata, resourceVersion } };
    };
    collection.change(object('1'));
    const { revision } = store;
    collection.change(object('1'));
    collection.change(object('1', '999'));
    expect(store.revision).toBe(revision);
    collection.change(object('2'));
    expect(collection.after(revision).map(({ type }) => type)).toEqual(['MODIFIED']);
  });

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

  test('a namespace or a start key selects the same objects as a full scan', () => {
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

  test('a history of only two events never gives a wrong state: lists from `oldest` on are exact', () => {
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
      const moved = JSON.parse(`{${recordTailAt(record, 1_234_567).toString()}`);
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

  test('a returned object and its record do not change when the key is written again', () => {
    const { collection } = storeRig();
    const before = collection.put(configMap('a', 'n1', 'red'));
    const text = before.tail.toString();
    collection.put(configMap('a', 'n1', 'green'));
    expect(before.tail.toString()).toBe(text);
    expect(collection.object(before).metadata?.labels).toEqual({ colour: 'red' });
  });

  test('removing an absent key takes no revision', () => {
    const { store, collection } = storeRig();
    expect(collection.remove('a', 'nothing')).toBeUndefined();
    expect(store.revision).toBe(1);
  });
});

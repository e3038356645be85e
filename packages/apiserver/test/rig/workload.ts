import fc from 'fast-check';
import type { ApiObject } from '../../src/core/kube-object.ts';
import type { Collection } from '../../src/storage/store/stored-collection.ts';
import { Store, type StoreOptions } from '../../src/storage/store/stored-objects.ts';

/** One write of a random workload. */
export interface Step {
  readonly kind: 'put' | 'remove' | 'other';
  readonly namespace: string;
  readonly name: string;
  readonly label: string;
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('put', 'put', 'put', 'remove', 'other'),
    namespace: fc.constantFrom('a', 'a-b', 'a0', 'b'),
    name: fc.constantFrom('n1', 'n2', 'n-3', 'n'),
    label: fc.constantFrom('red', 'green'),
  }),
  { maxLength: 40 },
);

export const configMap = (namespace: string, name: string, label: string, text = ''): ApiObject => ({
  metadata: { name, namespace, uid: `uid-${name}`, labels: { colour: label } },
  data: { text: `${label} ${text} ü`, resourceVersion: '"1"' },
});

/** A store with one collection under test and one busy neighbour. */
export function storeRig(options: StoreOptions = {}): { store: Store; collection: Collection; other: Collection } {
  const store = new Store(options);
  const collection = store.collection({ id: 'configmaps', layout: 'struct' });
  return { store, collection, other: store.collection({ id: 'others', layout: 'sorted' }) };
}

/** The key and revision of every object in a list. */
export const shown = (records: readonly { key: string; revision: number }[]): string[] =>
  records.map(({ key, revision }) => `${key}@${revision}`);

/** Plays the steps and remembers the state after every revision. */
export function play(
  { store, collection, other }: ReturnType<typeof storeRig>,
  workload: readonly Step[],
): Map<number, string[]> {
  const states = new Map([[store.revision, shown(collection.current())]]);
  for (const [index, { kind, namespace, name, label }] of workload.entries()) {
    if (kind === 'put') collection.put(configMap(namespace, name, label, String(index)));
    else if (kind === 'remove') collection.remove(namespace, name);
    else other.put(configMap(namespace, name, label, String(index)));
    states.set(store.revision, shown(collection.current()));
  }
  return states;
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Indexer, type StagedReplace } from '../../src/store/indexer.ts';
import { coded } from './rig/objects.ts';

/** An object that says itself how each index files it; `bad` names an index that cannot. */
interface Filed {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion?: string };
  readonly values: readonly (readonly string[])[];
  readonly bad: number | undefined;
}

const INDEXES = 3;
const value = fc.constantFrom('x', 'y', 'z', '', '__proto__');
const key = fc.constantFrom('a', 'web/a', 'web/b', 'db/a', 'db/c', '__proto__/constructor');
const filed: fc.Arbitrary<Filed> = fc
  .record({
    key,
    values: fc.array(fc.array(value, { maxLength: 3 }), { minLength: INDEXES, maxLength: INDEXES }),
    version: fc.option(fc.nat({ max: 99 }).map(String), { nil: undefined }),
    bad: fc.option(fc.nat({ max: INDEXES - 1 }), { nil: undefined, freq: 8 }),
  })
  .map(({ key: at, values, version, bad }) => {
    const slash = at.indexOf('/');
    const where = slash === -1 ? {} : { namespace: at.slice(0, slash) };
    const when = version === undefined ? {} : { resourceVersion: version };
    return { metadata: { name: at.slice(slash + 1), ...where, ...when }, values, bad };
  });

const fileBy =
  (index: number) =>
  ({ values, bad }: Filed): readonly string[] => {
    if (bad === index) throw new Error('cannot file this');
    return values[index] ?? [];
  };

const keyFor = ({ metadata }: Filed): string =>
  metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;

/** The truth, rebuilt from scratch each time it is asked for. */
class Model {
  items = new Map<string, Filed>();
  version = '';
  indexes: number;

  constructor(indexes: number) {
    this.indexes = indexes;
  }

  canHold(object: Filed): boolean {
    return object.bad === undefined || object.bad >= this.indexes;
  }

  set(object: Filed): void {
    this.items.set(keyFor(object), object);
    this.version = object.metadata.resourceVersion ?? this.version;
  }

  valuesIn(index: number, object: Filed): readonly string[] {
    return index === -1 ? [object.metadata.namespace ?? ''] : (object.values[index] ?? []);
  }
}

/** Everything the indexer answers is what the model says. */
function check(indexer: Indexer<Filed>, model: Model): void {
  expect(indexer.keys()).toEqual([...model.items.keys()]);
  expect(indexer.list()).toEqual([...model.items.values()]);
  expect([indexer.size, indexer.resourceVersion]).toEqual([model.items.size, model.version]);
  for (let index = -1; index < INDEXES; index += 1) {
    const name = index === -1 ? 'namespace' : `by-${index}`;
    expect(indexer.hasIndex(name)).toBe(index < model.indexes);
    if (index >= model.indexes) continue;
    const held = [...model.items];
    const values = new Set(held.flatMap(([, object]) => model.valuesIn(index, object)));
    expect(new Set(indexer.indexValues(name))).toEqual(values);
    for (const each of values) {
      const matching = held.filter(([, object]) => model.valuesIn(index, object).includes(each));
      expect(indexer.indexKeys(name, each)).toEqual(matching.map(([at]) => at).toSorted());
      expect(new Set(indexer.byIndex(name, each))).toEqual(new Set(matching.map(([, object]) => object)));
    }
    for (const [, object] of held) {
      const mine = model.valuesIn(index, object);
      const sharing = held.filter(([, other]) => model.valuesIn(index, other).some((each) => mine.includes(each)));
      const found = indexer.index(name, object);
      expect(found).toHaveLength(sharing.length);
      expect(new Set(found)).toEqual(new Set(sharing.map(([, other]) => other)));
    }
  }
}

const op = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('add' as const, 'update' as const), object: filed }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), object: filed }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('deleteKey' as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('replace' as const), objects: fc.array(filed, { maxLength: 5 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('transaction' as const), objects: fc.array(filed, { maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'addIndex' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'stage' as const }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('stageSet' as const), object: filed }) },
  { weight: 1, arbitrary: fc.constant({ type: 'commit' as const }) },
);

/** Writes that must either happen or throw INDEX_FAILED, as the model foresees. */
function attempt(possible: boolean, write: () => void): boolean {
  if (possible) write();
  else expect(write).toThrow(coded('INDEX_FAILED'));
  return possible;
}

function rig(indexes: number): Indexer<Filed> {
  const entries = Array.from({ length: indexes }, (_, index) => [`by-${index}`, fileBy(index)] as const);
  return new Indexer<Filed>({ indexers: Object.fromEntries(entries) });
}

test('STO-01, STO-06, STO-07, IDX-02, IDX-03, IDX-04, IDX-05, G7: after any sequence of writes, objects and indexes equal a rebuild', () => {
  fc.assert(
    fc.property(fc.nat({ max: INDEXES }), fc.array(op, { maxLength: 40 }), (indexes, ops) => {
      const indexer = rig(indexes);
      const model = new Model(indexes);
      let stage: { open: StagedReplace<Filed>; items: Map<string, Filed> } | undefined;
      for (const [turn, step] of ops.entries()) {
        switch (step.type) {
          case 'add':
          case 'update':
            if (attempt(model.canHold(step.object), () => indexer[step.type](step.object))) model.set(step.object);
            break;
          case 'delete':
            indexer.delete(step.object);
            model.items.delete(keyFor(step.object));
            model.version = step.object.metadata.resourceVersion ?? model.version;
            break;
          case 'deleteKey':
            expect(indexer.deleteKey(step.key)).toBe(model.items.get(step.key));
            model.items.delete(step.key);
            break;
          case 'replace': {
            const possible = step.objects.every((object) => model.canHold(object));
            if (!attempt(possible, () => indexer.replace(step.objects, `r${turn}`))) break;
            model.items = new Map(step.objects.map((object) => [keyFor(object), object]));
            model.version = `r${turn}`;
            break;
          }
          case 'transaction': {
            const { failures } = indexer.transaction(step.objects.map((object) => ({ type: 'set', object })));
            const failing = step.objects.flatMap((object, at) => (model.canHold(object) ? [] : [at]));
            expect(failures.map(({ at }) => at)).toEqual(failing);
            for (const object of step.objects) if (model.canHold(object)) model.set(object);
            break;
          }
          case 'addIndex': {
            const index = model.indexes;
            if (index === INDEXES) break;
            // What is staged must fit too: a replace comes out with the indexes of the day.
            const held = [...model.items.values(), ...(stage?.items.values() ?? [])];
            const possible = held.every(({ bad }) => bad !== index);
            if (attempt(possible, () => indexer.addIndexers({ [`by-${index}`]: fileBy(index) }))) model.indexes += 1;
            break;
          }
          case 'stage':
            stage = { open: indexer.stageReplace(), items: new Map() };
            break;
          case 'stageSet': {
            if (stage === undefined) break;
            const { open, items } = stage;
            const { object } = step;
            if (attempt(model.canHold(object), () => open.set(keyFor(object), object)))
              items.set(keyFor(object), object);
            expect(open.has(keyFor(object))).toBe(items.has(keyFor(object)));
            break;
          }
          case 'commit': {
            if (stage === undefined) break;
            const { open, items } = stage;
            open.commit(`c${turn}`);
            model.items = items;
            model.version = `c${turn}`;
            stage = undefined;
            break;
          }
        }
        check(indexer, model);
      }
    }),
    { numRuns: 300 },
  );
});

test('IDX-03, G7: a failing write is as if it had never been tried', () => {
  fc.assert(
    fc.property(fc.array(filed, { maxLength: 8 }), filed, fc.nat({ max: INDEXES - 1 }), (objects, last, bad) => {
      const [tried, untouched] = [rig(INDEXES), rig(INDEXES)];
      for (const object of objects.filter((each) => each.bad === undefined)) {
        tried.add(object);
        untouched.add(object);
      }
      expect(() => tried.update({ ...last, bad })).toThrow(coded('INDEX_FAILED'));
      const look = (indexer: Indexer<Filed>): unknown => [
        [...indexer.entries()],
        indexer.resourceVersion,
        ['namespace', 'by-0', 'by-1', 'by-2'].map((name) =>
          indexer.indexValues(name).map((each) => [each, indexer.byIndex(name, each)]),
        ),
      ];
      expect(look(tried)).toEqual(look(untouched));
    }),
  );
});

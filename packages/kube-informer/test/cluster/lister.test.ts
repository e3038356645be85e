import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { Lister, type ListerOptions } from '../../src/cluster/lister.ts';
import { KubeError } from '../../src/core/errors.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../../src/core/object/object.ts';
import { LabelSelector } from '../../src/core/selector/selector.ts';
import { isNotFound } from '../../src/core/status.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { readonlyStore } from '../../src/store/readonly-store.ts';
import type { ReadonlyStore } from '../../src/store/store.ts';
import { fakeEnv, type LogLine } from '../../src/testing/fake-clock.ts';

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName: string };
}

function pod(key: string, labels?: Record<string, string>): Pod {
  const [name = '', namespace] = key.split('/').toReversed();
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(labels === undefined ? {} : { labels }) },
    spec: { nodeName: 'node-1' },
  };
}

const FLEET = [
  pod('web/a', { app: 'shop', tier: 'front' }),
  pod('web/b', { app: 'shop', tier: 'back' }),
  pod('web/c'),
  pod('ops/a', { app: 'shop' }),
  pod('node-1', { app: 'host' }),
];

interface Rig {
  readonly lister: Lister<Pod>;
  readonly store: Indexer<Pod>;
  /** The calls the lister made on the store. */
  readonly calls: string[];
  readonly lines: LogLine[];
}

interface RigOptions extends Partial<ListerOptions<Pod>> {
  readonly objects?: readonly Pod[];
  /** A store without the index `namespace`. */
  readonly isPlain?: boolean;
}

function rig({ objects = FLEET, isPlain = false, ...options }: RigOptions = {}): Rig {
  // The test chooses the keys, so that objects without metadata can be stored at all.
  const store = new Indexer<Pod>();
  for (const [at, object] of objects.entries()) {
    const { name = `#${at}`, namespace } = object.metadata ?? {};
    store.set(namespace === undefined ? name : `${namespace}/${name}`, object);
  }
  const calls: string[] = [];
  const watched: ReadonlyStore<Pod> = {
    ...readonlyStore(store),
    get: (key) => (calls.push(`get ${key}`), store.get(key)),
    list: () => (calls.push('list'), store.list()),
    byIndex: (name, value) => {
      calls.push(`byIndex ${name} ${value}`);
      if (isPlain) throw new KubeError('INVALID_OPTION', 'there is no index');
      return store.byIndex(name, value);
    },
    hasIndex: (name) => !isPlain && store.hasIndex(name),
  };
  const env = fakeEnv();
  const lister = new Lister<Pod>(watched, { resource: 'v1/pods', env, ...options });
  return { lister, store, calls, lines: env.lines };
}

/** Listers promise no order, so tests compare sorted keys. */
function keys(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => [metadata?.namespace, metadata?.name].filter(Boolean).join('/')).sort();
}

/** An access that counts how often labels are read. */
function countingAccess(): { access: ObjectAccess<Pod>; reads: { labels: number } } {
  const reads = { labels: 0 };
  const access: ObjectAccess<Pod> = {
    ...plainAccess,
    labels: (object) => {
      reads.labels += 1;
      return plainAccess.labels(object);
    },
  };
  return { access, reads };
}

function thrown(call: () => unknown): KubeError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(KubeError);
    return error as KubeError;
  }
  throw new Error('expected an error');
}

describe('list', () => {
  test('LIS-01: a selector matches labels, given as a string, a map or a LabelSelector', () => {
    const { lister } = rig();
    expect(keys(lister.list({ labels: 'app=shop' }))).toEqual(['ops/a', 'web/a', 'web/b']);
    expect(keys(lister.list({ labels: { app: 'shop', tier: 'front' } }))).toEqual(['web/a']);
    expect(keys(lister.list({ labels: LabelSelector.parse('app!=shop') }))).toEqual(['node-1', 'web/c']);
    expect(keys(lister.list({ labels: '!app' }))).toEqual(['web/c']);
    expect(lister.list({ labels: 'app=none' })).toEqual([]);
  });

  test('LIS-01: a match-nothing selector does not read the store', () => {
    const { lister, calls } = rig();
    expect(lister.list({ labels: LabelSelector.nothing })).toEqual([]);
    expect(lister.list({ labels: LabelSelector.nothing, namespace: 'web' })).toEqual([]);
    expect(lister.namespace('web').list({ labels: LabelSelector.from(undefined) })).toEqual([]);
    expect(calls).toEqual([]);
  });

  test('LIS-01: a match-all selector reads no labels, any other reads those of each object once', () => {
    const { access, reads } = countingAccess();
    const { lister } = rig({ access });
    for (const query of [{}, { labels: '' }, { labels: {} }, { labels: LabelSelector.everything }]) {
      expect(keys(lister.list(query))).toEqual(keys(FLEET));
    }
    expect(lister.list({ namespace: 'web' })).toHaveLength(3);
    expect(reads.labels).toBe(0);
    lister.list({ labels: 'app' });
    expect(reads.labels).toBe(FLEET.length);
  });

  test('LIS-01: an object without metadata is an error if labels are read', () => {
    for (const broken of [{}, { metadata: null }, { metadata: {} }] as unknown as Pod[]) {
      const { lister } = rig({ objects: [pod('web/a'), broken] });
      expect(lister.list()).toHaveLength(2);
      const error = thrown(() => lister.list({ labels: 'app!=x' }));
      expect(error.code).toBe('INVALID_KEY');
      expect(error.message).toContain('v1/pods');
    }
  });

  test('LIS-01: an access that fails is the cause of that error', () => {
    const cause = new Error('bytes end early');
    const access: ObjectAccess<Pod> = {
      ...plainAccess,
      name: () => {
        throw cause;
      },
    };
    const error = thrown(() => rig({ access }).lister.list({ labels: 'app' }));
    expect([error.code, error.cause]).toEqual(['INVALID_KEY', cause]);
  });

  test('LIS-01: an invalid selector is refused before anything is read', () => {
    const { lister, calls } = rig();
    expect(thrown(() => lister.list({ labels: 'app in' })).code).toBe('INVALID_OPTION');
    expect(calls).toEqual([]);
  });

  test('S31: labels named like properties of Object.prototype are matched as data', () => {
    const { lister } = rig({ objects: [pod('web/a', { constructor: 'x' }), pod('web/b', {}), pod('web/c')] });
    expect(keys(lister.list({ labels: 'constructor' }))).toEqual(['web/a']);
    expect(keys(lister.list({ labels: '!constructor' }))).toEqual(['web/b', 'web/c']);
    expect(lister.list({ labels: 'toString' })).toEqual([]);
  });

  test('LIS-01, LIS-02: property: list returns what a filter over all objects returns', () => {
    const namespaces = fc.constantFrom('', 'web', 'ops', 'constructor');
    const labels = fc.dictionary(fc.constantFrom('a', 'b', 'toString'), fc.constantFrom('1', '2'));
    const object = fc.record({ namespace: namespaces, labels });
    const texts = fc.constantFrom('', 'a=1', 'a!=1', 'b in (1,2)', 'toString,!a', 'b notin (1)');
    fc.assert(
      fc.property(fc.array(object), texts, namespaces, fc.boolean(), (drawn, selector, namespace, isPlain) => {
        const objects = drawn.map((one, i) => ({
          metadata: { name: `n${i}`, namespace: one.namespace, labels: one.labels },
          spec: { nodeName: 'node-1' },
        }));
        const expected = objects.filter(
          ({ metadata }) =>
            (namespace === '' || metadata.namespace === namespace) &&
            LabelSelector.parse(selector).matches(metadata.labels),
        );
        const { lister } = rig({ objects, isPlain });
        expect(keys(lister.list({ labels: selector, namespace }))).toEqual(keys(expected));
        expect(keys(lister.namespace(namespace).list({ labels: selector }))).toEqual(keys(expected));
      }),
    );
  });
});

describe('namespaces', () => {
  test('LIS-02: a namespace is looked up in its index, without a scan', () => {
    const { lister, calls, lines } = rig();
    expect(keys(lister.list({ namespace: 'web' }))).toEqual(['web/a', 'web/b', 'web/c']);
    expect(keys(lister.namespace('web').list({ labels: 'app=shop' }))).toEqual(['web/a', 'web/b']);
    expect(lister.list({ namespace: 'none' })).toEqual([]);
    expect(calls).toEqual(['byIndex namespace web', 'byIndex namespace web', 'byIndex namespace none']);
    expect(lines).toEqual([]);
  });

  test('LIS-02: an empty namespace means all of them', () => {
    const { lister, calls } = rig();
    expect(keys(lister.list({ namespace: '' }))).toEqual(keys(FLEET));
    expect(keys(lister.namespace('').list())).toEqual(keys(FLEET));
    expect(keys(lister.namespace('web').list({ namespace: '' }))).toEqual(['web/a', 'web/b', 'web/c']);
    expect(keys(lister.namespace('web').namespace('').list())).toEqual(['web/a', 'web/b', 'web/c']);
    expect(calls.slice(0, 2)).toEqual(['list', 'list']);
  });

  test('LIS-02: without that index the store is scanned, with one warning for all namespaces together', () => {
    const { lister, calls, lines } = rig({ isPlain: true });
    expect(keys(lister.list({ namespace: 'web', labels: 'app' }))).toEqual(['web/a', 'web/b']);
    expect(keys(lister.namespace('web').list())).toEqual(['web/a', 'web/b', 'web/c']);
    expect(keys(lister.namespace('ops').list())).toEqual(['ops/a']);
    expect(keys(lister.namespace('ops').namespace('ops').list())).toEqual(['ops/a']);
    expect(calls).toEqual(['list', 'list', 'list', 'list']);
    expect(lines).toEqual([
      { level: 'warn', message: expect.stringContaining('"namespace"') as string, fields: { resource: 'v1/pods' } },
    ]);
  });

  test('LIS-02: without that index an object without metadata is an error', () => {
    const objects = [pod('web/a'), {} as Pod];
    expect(thrown(() => rig({ isPlain: true, objects }).lister.list({ namespace: 'web' })).code).toBe('INVALID_KEY');
  });

  test('LIS-02: a lister of one namespace refuses another', () => {
    const web = rig().lister.namespace('web');
    for (const call of [() => web.list({ namespace: 'ops' }), () => web.namespace('ops')]) {
      const error = thrown(call);
      expect(error.code).toBe('INVALID_OPTION');
      expect(error.message).toContain('"web"');
    }
    expect(keys(web.list({ namespace: 'web' }))).toEqual(['web/a', 'web/b', 'web/c']);
  });
});

describe('get and find', () => {
  test('LIS-03: cluster-scoped objects are found by name, others by namespace/name', () => {
    const { lister, store, calls } = rig();
    expect(lister.get('node-1')).toBe(store.get('node-1'));
    expect(lister.get('web/a')).toBe(store.get('web/a'));
    expect(lister.find('web/a')).toBe(store.get('web/a'));
    expect(lister.find('a')).toBeUndefined();
    expect(calls).toEqual(['get node-1', 'get web/a', 'get web/a', 'get a']);
  });

  test('LIS-03: a lister of one namespace also takes a name, and does not find objects of other namespaces', () => {
    const { lister, store } = rig();
    const web = lister.namespace('web');
    expect(web.get('a')).toBe(store.get('web/a'));
    expect(web.get('web/a')).toBe(store.get('web/a'));
    expect(web.find('ops/a')).toBeUndefined();
    expect(isNotFound(thrown(() => web.get('ops/a')))).toBe(true);
    expect(web.find('node-1')).toBeUndefined();
    expect(
      rig({ objects: [pod('webby/a')] })
        .lister.namespace('web')
        .find('webby/a'),
    ).toBeUndefined();
  });

  test('LIS-03: a missing object is NOT_FOUND with the Status a server would send', () => {
    const error = thrown(() => rig().lister.get('web/none'));
    expect(error.code).toBe('NOT_FOUND');
    expect(isNotFound(error)).toBe(true);
    expect(error.message).toBe('pods "web/none" not found');
    expect(error.status).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      code: 404,
      reason: 'NotFound',
      message: 'pods "web/none" not found',
      details: { group: '', kind: 'pods', name: 'none' },
    });
  });

  test('LIS-03: the group is part of that Status, and a lister of one namespace reports the whole key', () => {
    const { lister } = rig({ resource: 'apps/v1/deployments' });
    const error = thrown(() => lister.namespace('web').get('none'));
    expect(error.message).toBe('deployments.apps "web/none" not found');
    expect(error.status?.details).toEqual({ group: 'apps', kind: 'deployments', name: 'none' });
  });

  test('LIS-03, S31: names of properties of Object.prototype are not found', () => {
    const { lister } = rig();
    for (const key of ['__proto__', 'constructor', 'web/toString', '', '/', 'a/b/c']) {
      expect(lister.find(key)).toBeUndefined();
      expect(isNotFound(thrown(() => lister.get(key)))).toBe(true);
    }
  });

  test('LIS-03: objects are shared, each call returns a new array', () => {
    const { lister, store } = rig();
    for (const query of [{}, { namespace: 'web' }, { labels: 'app' }, { namespace: 'web', labels: 'app' }]) {
      const first = lister.list(query);
      expect(first.every((object) => store.list().includes(object))).toBe(true);
      const expected = [...first];
      first.length = 0;
      expect(lister.list(query)).toEqual(expected);
    }
    expect(store.size).toBe(FLEET.length);
  });

  test('LIS-03: reads follow the store', () => {
    const { lister, store } = rig();
    store.deleteKey('web/a');
    expect(lister.find('web/a')).toBeUndefined();
    store.set('web/z', pod('web/z', { app: 'shop' }));
    expect(keys(lister.namespace('web').list({ labels: 'app=shop' }))).toEqual(['web/b', 'web/z']);
  });

  test.each(['', 'pods', '/pods', 'v1/', 'apps//deployments', 'a/b/c/d'])('the resource %j is refused', (resource) => {
    expect(thrown(() => rig({ resource })).code).toBe('INVALID_OPTION');
  });
});

describe('representations', () => {
  test('LIS-04: typed, untyped and foreign objects have the same lister and the same results', () => {
    interface Row {
      readonly text: string;
    }
    const read = ({ text }: Row): KubeObject => JSON.parse(text) as KubeObject;
    const rowAccess: ObjectAccess<Row> = {
      name: (row) => plainAccess.name(read(row)),
      namespace: (row) => plainAccess.namespace(read(row)),
      uid: (row) => plainAccess.uid(read(row)),
      resourceVersion: (row) => plainAccess.resourceVersion(read(row)),
      labels: (row) => plainAccess.labels(read(row)),
      annotations: (row) => plainAccess.annotations(read(row)),
      type: (row) => plainAccess.type(read(row)),
    };
    const untypedStore = new Indexer();
    const rowStore = new Indexer<Row>({ access: rowAccess });
    for (const object of FLEET) {
      untypedStore.add(object);
      rowStore.add({ text: JSON.stringify(object) });
    }
    const typed = rig().lister;
    const untyped = new Lister(untypedStore, { resource: 'v1/pods' });
    const rows = new Lister(rowStore, { resource: 'v1/pods', access: rowAccess });
    for (const query of [{}, { labels: 'app=shop' }, { namespace: 'web', labels: 'tier!=front' }]) {
      expect(keys(untyped.list(query))).toEqual(keys(typed.list(query)));
      expect(keys(rows.list(query).map(read))).toEqual(keys(typed.list(query)));
    }
    expect(read(rows.namespace('web').get('a'))).toEqual(typed.get('web/a'));
    const messages = [typed, untyped, rows].map((lister) => thrown(() => lister.get('x')).message);
    expect(new Set(messages)).toEqual(new Set(['pods "x" not found']));
  });

  test('LIS-04, U1: a check of freshness that returns a promise is refused: the read would not wait for it', () => {
    const requireFresh = (async () => {}) as () => void;
    const lister = new Lister(new Indexer(), { resource: 'v1/pods', requireFresh });
    expect(thrown(() => lister.list({ maxStalenessMs: 1 })).message).toContain('requireFresh returned a promise');
    expect(lister.list()).toEqual([]);
  });

  test('LIS-04: the type of the objects is that of the store', () => {
    const { lister } = rig();
    expectTypeOf(lister.list()).toEqualTypeOf<Pod[]>();
    expectTypeOf(lister.namespace('web').get('a')).toEqualTypeOf<Pod>();
    expectTypeOf(lister.find('a')).toEqualTypeOf<Pod | undefined>();
    const untyped: ReadonlyStore<KubeObject> = new Indexer();
    expectTypeOf(new Lister(untyped, { resource: 'v1/pods' }).list()).toEqualTypeOf<KubeObject[]>();
  });
});

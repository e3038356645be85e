import type { KubeObject } from 'kube-informer';
import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type CacheRecord, CacheTracker } from '../../src/caches/cache-tracker.ts';
import { History } from '../../src/history/inspector-history.ts';
import { IndexMask } from '../../src/mask/index-mask.ts';
import { Mask } from '../../src/mask/mask.ts';
import type { Filters, Row, RowsMessage } from '../../src/protocol/messages.ts';
import { objectEvents } from '../../src/summaries/object-events.ts';
import { rowQueryFilters } from '../../src/summaries/row-query.ts';
import { configMap, fakeCache, follow, rig as inspected, type Rig } from '../rigs/inspector.ts';

const CANARY = 'c4n4ry-hunter2';
const encoded = Buffer.from(CANARY).toString('base64');
const PEM = `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----`;

type Fields = KubeObject & {
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly { readonly env?: readonly { readonly value?: string }[] }[] };
}; // prettier-ignore
const dataOf = (object: KubeObject): string[] => Object.values((object as Fields).data ?? {});
const variablesOf = (object: KubeObject): string[] =>
  ((object as Fields).spec?.containers ?? []).flatMap(({ env = [] }) => env.flatMap(({ value = [] }) => value));
const nodeOf = (object: KubeObject): string[] => [`${object.metadata?.namespace}/${(object as Fields).spec?.nodeName}`];

const pod = (name: string, env: readonly object[]): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name },
  spec: { nodeName: 'node-1', containers: [{ name: 'web', image: 'web:1', env }] },
});

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name: 'login' },
  data: { password: encoded },
};

/** Keys of the rows a query finds. */
async function found(rig: Rig, query: string): Promise<readonly string[]> {
  const page = await follow(rig, query);
  const { rows } = await page.until<RowsMessage>('rows');
  page.close();
  return rows.map(({ key }: Row) => key);
}

const values = ({ indexes }: Filters, index: string): readonly string[] =>
  indexes.find(({ name }) => name === index)?.values ?? [];

describe('indexes', () => {
  test.each(['v1/secrets', 'v1/Secret'])('S46: index values of %s are not offered and cannot be guessed, even if objects have no kind', async (resource) => {
    const whole = await inspected();
    whole.server.local.create('', 'secrets', secret);
    const transform = (object: KubeObject): KubeObject => ({ ...object, kind: undefined }) as unknown as KubeObject;
    const secrets = whole.cluster.informer<KubeObject>(resource, { indexers: { byValue: dataOf }, transform });
    await secrets.synced({ timeoutMs: 30_000 });
    expect(secrets.list().map(({ kind }) => kind)).toEqual([undefined]);
    const cache = `cache=${encodeURIComponent(resource)}`;
    const answers = await Promise.all(
      [`/api/filters?${cache}`, '/api/overview', `/api/object?${cache}&key=default/login`].map(async (path) => (await whole.ask(path)).text),
    );
    for (const text of answers) expect(text).not.toContain(encoded);
    expect(await whole.json<Filters>(`/api/filters?${cache}`)).toMatchObject({ indexes: [] });
    const guessed = (value: string): Promise<readonly string[]> => found(whole, `${cache}&index=byValue&value=${encodeURIComponent(value)}`);
    expect(await guessed(encoded)).toEqual(await guessed('wrong'));
  }); // prettier-ignore

  test('S46: index values that are masked in their objects are neither offered nor matched; others are', async () => {
    const whole = await inspected();
    const { server, cluster } = whole;
    server.load([
      configMap('keys', { pem: PEM, line: `password=${CANARY}`, colour: 'blue' }),
      pod('hidden', [{ name: 'DB_PASSWORD', value: CANARY }, { name: 'LOG_LEVEL', value: 'debug' }]),
      // A value masked in one object may be visible in another.
      pod('shown', [{ name: 'GREETING', value: 'hello' }]),
      pod('both', [{ name: 'TOKEN', value: 'hello' }]),
    ] as unknown as Parameters<typeof server.load>[0]);
    const maps = cluster.informer('v1/configmaps', { indexers: { byValue: dataOf } });
    const pods = cluster.informer('v1/pods', { indexers: { byVariable: variablesOf, byNode: nodeOf } });
    await Promise.all([maps.synced({ timeoutMs: 30_000 }), pods.synced({ timeoutMs: 30_000 })]);
    expect(values(await whole.json<Filters>('/api/filters?cache=v1/configmaps'), 'byValue')).toEqual(['blue']);
    const offered = await whole.json<Filters>('/api/filters?cache=v1/pods');
    expect(values(offered, 'byVariable')).toEqual(['debug', 'hello']);
    expect(values(offered, 'byNode')).toEqual(['default/node-1']);
    const byVariable = (value: string): Promise<readonly string[]> => found(whole, `cache=v1/pods&index=byVariable&value=${encodeURIComponent(value)}`);
    expect(await byVariable(CANARY)).toEqual([]);
    expect(await byVariable('debug')).toEqual(['default/hidden']);
    expect(await byVariable('hello')).toEqual(['default/shown']);
    expect(await found(whole, `cache=v1/configmaps&index=byValue&value=${encodeURIComponent(PEM)}`)).toEqual([]);
    // With a key the index is not used, so a guess reveals nothing.
    for (const guess of [CANARY, 'wrong'])
      expect(await found(whole, `cache=v1/pods&key=default/hidden&index=byVariable&value=${guess}`)).toEqual(['default/hidden']);
  }); // prettier-ignore

  test('S46: index values derived from masked text are not offered, unless they are visible anyway', () => {
    const mask = new IndexMask(new Mask());
    const object = pod('web', [{ name: 'API_KEY', value: CANARY }]) as KubeObject;
    const hides = (value: string): boolean => mask.hides('v1/pods', object, value);
    expect([CANARY, CANARY.toUpperCase(), encoded, `web:${CANARY}`, CANARY.slice(2)].map(hides)).toEqual(Array(5).fill(true));
    expect(['node-1', 'default/web', 'web:1', 'node-1,default'].map(hides)).toEqual(Array(4).fill(false));
    const plain = pod('web', [{ name: 'LEVEL', value: 'info' }]) as KubeObject;
    expect(mask.hides('v1/pods', plain, 'made up')).toBe(false);
    // For example decoded from an object without masked parts.
    expect([PEM, `password=${CANARY}`].map((value) => mask.hides('v1/pods', plain, value))).toEqual([true, true]);
    // A password that also occurs elsewhere in the object must not be confirmed by the index.
    const unlucky = pod('web', [{ name: 'PASSWORD', value: 'node-1' }]) as KubeObject;
    expect(mask.hides('v1/pods', unlucky, 'node-1')).toBe(true);
    const applied = { ...plain, metadata: { ...plain.metadata, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"was":"${CANARY}"}` } } };
    expect(mask.hides('v1/pods', applied, CANARY)).toBe(true);
    expect(mask.hides('v1/pods', applied, 'made up')).toBe(false);
  }); // prettier-ignore

  test('S46: a label with the name of a secret is masked in rows, and no selector matches its value', async () => {
    const whole = await inspected();
    whole.server.local.create('', 'configmaps', configMap('one', {}, { labels: { password: CANARY, app: 'web' } }));
    await whole.cluster.informer('v1/configmaps').synced({ timeoutMs: 30_000 });
    const page = await follow(whole, 'cache=v1/configmaps');
    const { rows } = await page.until<RowsMessage>('rows');
    expect(rows[0]?.labels).toContain('app=web');
    expect(rows[0]?.labels).not.toContain(CANARY);
    expect(await found(whole, `cache=v1/configmaps&labels=password%3D${CANARY}`)).toEqual([]);
    expect(await found(whole, `cache=v1/configmaps&text=${CANARY}`)).toEqual([]);
    expect(await found(whole, 'cache=v1/configmaps&labels=app%3Dweb')).toEqual(['default/one']);
  }); // prettier-ignore

  test('S48: of an index with many values a limited number is offered, and the rest is counted', async () => {
    const objects = Array.from({ length: 700 }, (_, at): KubeObject => ({ kind: 'Thing', metadata: { namespace: 'a', name: `n${at}` } }));
    const { informer, cache } = await fakeCache(objects);
    informer.addIndexers({ byName: ({ metadata }) => [metadata?.name ?? ''] });
    const env = fakeEnv();
    const [record] = new CacheTracker(() => [cache], env, new History()).refresh();
    if (record === undefined) throw new Error('no cache');
    const { indexes } = await rowQueryFilters(record, new IndexMask(new Mask()), env);
    expect(indexes.map(({ name, values: offered, more }) => [name, offered.length, more])).toEqual([['byName', 500, 200]]);
  }); // prettier-ignore

  test('S122: filters examine a bounded part of large objects, and still hide what is masked', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`l${at}`, `x${at}`]));
    const objects = Array.from({ length: 30 }, (_, at) => ({
      kind: 'Thing',
      metadata: { namespace: 'a', name: `n${at}`, labels: { tier: `t${at}`, ...many } },
      spec: { password: `${CANARY}${at}` },
    })) as readonly KubeObject[]; // prettier-ignore
    let most = 0;
    class CountingMask extends Mask {
      override object(resource: string, object: KubeObject): KubeObject {
        most = Math.max(most, Object.keys(object.metadata?.labels ?? {}).length);
        return super.object(resource, object);
      }
    }
    const { informer, cache } = await fakeCache(objects);
    const passwordOf = (object: KubeObject): string =>
      (object as { spec?: { password?: string } }).spec?.password ?? '';
    informer.addIndexers({
      tier: ({ metadata }) => [metadata?.labels?.['tier'] ?? ''],
      password: (object) => [passwordOf(object)],
    });
    const env = fakeEnv();
    const [record] = new CacheTracker(() => [cache], env, new History()).refresh();
    if (record === undefined) throw new Error('no cache');
    const { indexes } = await rowQueryFilters(record, new IndexMask(new CountingMask()), env);
    const offered = new Map(indexes.map(({ name, values }) => [name, values]));
    expect(offered.get('tier')).toHaveLength(30);
    expect(offered.get('password')).toEqual([]);
    expect(most).toBeLessThanOrEqual(200);
  });

  test('S122: of thousands of events about an object only those that are shown are masked', () => {
    let masked = 0;
    class CountingMask extends Mask {
      override text(text: string): string {
        masked += 1;
        return super.text(text);
      }
    }
    const events = Array.from({ length: 5_000 }, (_, at) => ({
      metadata: { namespace: 'a', name: `e${at}` },
      involvedObject: { uid: 'u' },
      message: `${at}`,
      lastTimestamp: new Date(at * 1_000).toISOString(),
    })) as readonly KubeObject[]; // prettier-ignore
    const store = { byIndex: () => events };
    const record = {
      cache: { resource: 'v1/events', metadataOnly: false, informer: { store } },
    } as unknown as CacheRecord;
    const shown = objectEvents({ metadata: { uid: 'u', namespace: 'a', name: 'x' } }, [record], new CountingMask());
    expect(shown.map(({ message }) => message).slice(0, 2)).toEqual(['4999', '4998']);
    expect(shown).toHaveLength(20);
    expect(masked).toBe(40);
  });
});

import fc from 'fast-check';
import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { CacheTracker } from '../../src/caches/cache-tracker.ts';
import { History } from '../../src/history/inspector-history.ts';
import { IndexMask } from '../../src/mask/index-mask.ts';
import { Mask } from '../../src/mask/mask.ts';
import type { Row } from '../../src/protocol/messages.ts';
import { RowFeed } from '../../src/summaries/row-feed.ts';
import { parseRowQuery } from '../../src/summaries/row-query.ts';
import { fakeCache } from '../rigs/inspector.ts';

const NEVER = new AbortController().signal;

const thing = (name: string, namespace: string, tier: string): KubeObject => ({
  kind: 'Thing',
  metadata: { namespace, name, labels: { tier } },
});

async function rig(objects: readonly KubeObject[], query: string, mask = new Mask(), env: Env = fakeEnv()) {
  const { source, informer, cache } = await fakeCache(objects);
  informer.addIndexers({ tier: (object) => [object.metadata?.labels?.['tier'] ?? ''] });
  const [record] = new CacheTracker(() => [cache], env, new History()).refresh();
  if (record === undefined) throw new Error('no cache');
  const indexMask = new IndexMask(mask);
  const feed = new RowFeed({ record, query: parseRowQuery(new URLSearchParams(query)), mask, indexMask, env });
  const keys = async (): Promise<readonly string[]> => (await feed.snapshot(NEVER))?.rows.map(({ key }) => key) ?? [];
  return { feed, source, informer, keys };
}

const THREE = [thing('b', 'web', 'front'), thing('a', 'web', 'back'), thing('a', 'db', 'back')];

describe('rows of a cache', () => {
  test.each([
    ['', ['db/a', 'web/a', 'web/b']],
    ['namespace=web', ['web/a', 'web/b']],
    ['labels=tier%3Dback', ['db/a', 'web/a']],
    ['labels=tier+notin+(back)', ['web/b']],
    ['text=WEB', ['web/a', 'web/b']],
    ['text=web+front', ['web/b']],
    ['text=web+nothing', []],
    ['index=tier&value=back', ['db/a', 'web/a']],
    ['index=tier&value=back&namespace=web', ['web/a']],
    ['index=unknown&value=back', ['db/a', 'web/a', 'web/b']],
    ['key=web/a', ['web/a']],
    ['limit=2', ['db/a', 'web/a']],
    ['limit=0', ['db/a']],
    ['limit=-5', ['db/a']],
    ['limit=nonsense', ['db/a', 'web/a', 'web/b']],
  ] as const)('%s', async (query, expected) => {
    const { keys } = await rig(THREE, query);
    expect(await keys()).toEqual(expected);
  });

  test('S50: a query that is too long is rejected, and a hostile name is an ordinary name', () => {
    const long = new URLSearchParams({ cache: 'v1/pods', text: 'x'.repeat(1_001) });
    expect(() => parseRowQuery(long)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    const query = parseRowQuery(new URLSearchParams('cache=__proto__&index=constructor&value=toString&polluted=1'));
    expect(query).toMatchObject({ cache: '__proto__', index: 'constructor', value: 'toString' });
    expect('polluted' in query).toBe(false);
  });

  test('a snapshot and the changes after it always equal the cache', async () => {
    const step = fc.record({
      key: fc.constantFrom('web/a', 'web/b', 'db/a', 'db/c'),
      tier: fc.constantFrom('front', 'back'),
      isDelete: fc.boolean(),
      isTold: fc.boolean(),
    });
    const queries = fc.constantFrom('', 'namespace=web', 'labels=tier%3Dback', 'index=tier&value=back', 'text=front');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), queries, async (steps, query) => {
        const { feed, source, informer } = await rig(THREE, query);
        const shown = new Map((await feed.snapshot(NEVER))?.rows.map((row): [string, Row] => [row.key, row]));
        const tell = async (): Promise<void> => {
          const changes = await feed.changes(NEVER);
          for (const row of changes?.rows ?? []) shown.set(row.key, row);
          for (const key of changes?.gone ?? []) shown.delete(key);
          if (changes !== undefined) expect(changes.matching).toBe(shown.size);
        };
        for (const { key, tier, isDelete, isTold } of steps) {
          const [namespace = '', name = ''] = key.split('/');
          if (isDelete) source.delete(key);
          else source.update(thing(name, namespace, tier));
          while (informer.store.resourceVersion !== source.resourceVersion) await new Promise((resolve) => setImmediate(resolve));
          feed.touch(key);
          if (isTold) await tell();
        }
        await tell();
        const fresh = await feed.snapshot(NEVER);
        const strip = (rows: Iterable<Row>): unknown => [...rows].map(({ key, labels }) => `${key} ${labels}`).toSorted();
        expect(strip(shown.values())).toEqual(strip(fresh?.rows ?? []));
      }),
      { numRuns: 40 },
    );
  }); // prettier-ignore

  test('the rows within the limit are the first in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (numbers, limit) => {
        const { keys } = await rig(numbers.map((number) => thing(`n${number}`, 'web', '')), `limit=${limit}`);
        expect(await keys()).toEqual(numbers.map((number) => `web/n${number}`).toSorted().slice(0, limit));
      }),
      { numRuns: 30 },
    );
  }); // prettier-ignore
});

/** A mask that takes 20 ms per object, and what it was given. */
class SlowMask extends Mask {
  readonly env: Env;
  yields = 0;
  mostLabels = 0;
  #ms = 0;

  constructor() {
    super();
    const env = fakeEnv();
    const turn = (): Promise<void> => {
      this.yields += 1;
      return env.yield();
    };
    this.env = { ...env, now: () => env.now() + this.#ms, yield: turn };
  }

  override labels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    this.#ms += 20;
    this.mostLabels = Math.max(this.mostLabels, Object.keys(labels).length);
    return super.labels(labels);
  }
}

describe('large objects do not block the inspected process', () => {
  const labels = { ...Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`l${at}`, 'x'])), last: 'yes' };
  const large = Array.from({ length: 20 }, (_, at): KubeObject => ({ metadata: { namespace: 'web', name: `n${at}`, labels } }));

  test.each(['', 'text=l1', 'text=nothing', 'labels=last%3Dyes'])('S122: rows and changes yield by work: %s', async (query) => {
    const mask = new SlowMask();
    const { feed } = await rig(large, query, mask, mask.env);
    const rows = await feed.snapshot(NEVER);
    expect(rows?.rows.length).toBe(query === 'text=nothing' ? 0 : 20);
    expect(mask.yields).toBeGreaterThanOrEqual(20);
    const before = mask.yields;
    for (const { metadata } of large) feed.touch(`web/${metadata?.name}`);
    await feed.changes(NEVER);
    expect(mask.yields - before).toBeGreaterThanOrEqual(20);
    // A row shows few labels; a selector also reads those it names.
    expect(mask.mostLabels).toBeLessThanOrEqual(201);
  });
}); // prettier-ignore

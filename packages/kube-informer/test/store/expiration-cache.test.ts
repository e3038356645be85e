import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { ExpirationCache, type ExpirationCacheOptions } from '../../src/store/expiration-cache.ts';
import { FakeClock, fakeEnv } from '../../src/testing/fake-clock.ts';
import { coded, keyFor, pod } from './rig/objects.ts';

function rig(options: Omit<ExpirationCacheOptions<KubeObject>, 'env'> = { ttlMs: 100 }): {
  cache: ExpirationCache;
  clock: FakeClock;
} {
  const clock = new FakeClock();
  return { cache: new ExpirationCache({ ...options, env: fakeEnv({ clock }) }), clock };
}

test('EXP-02: an expired object is no longer found, and looking for it removes it', () => {
  const { cache, clock } = rig();
  cache.add(pod('web/a'));
  clock.freeze(101);
  expect(cache.keys()).toEqual(['web/a']);
  expect(cache.get('web/a')).toBeUndefined();
  expect(cache.keys()).toEqual([]);
});

test('EXP-02: a list returns only objects that have not expired, and removes the others', () => {
  const { cache, clock } = rig();
  cache.add(pod('web/a'));
  cache.add(pod('web/b'));
  clock.freeze(60);
  const young = pod('web/c');
  cache.add(young);
  clock.freeze(60);
  expect(cache.list()).toEqual([young]);
  expect(cache.list()[0]).toBe(young);
  expect(cache.keys()).toEqual(['web/c']);
});

test('EXP-02: keys are returned without checking their age', () => {
  const { cache, clock } = rig();
  cache.add(pod('web/a'));
  clock.freeze(10_000);
  expect(cache.keys()).toEqual(['web/a']);
  expect(cache.keys()).toEqual(['web/a']);
});

test('EXP-01: writing an object again starts its time anew', () => {
  for (const write of ['add', 'update'] as const) {
    const { cache, clock } = rig();
    cache.add(pod('web/a', '1'));
    clock.freeze(80);
    cache[write](pod('web/a', '2'));
    clock.freeze(80);
    expect(cache.get('web/a')).toEqual(pod('web/a', '2'));
    clock.freeze(21);
    expect(cache.get('web/a')).toBeUndefined();
  }
});

test('EXP-01, EXP-02: an object added again after it expired has its full lifetime', () => {
  const { cache, clock } = rig();
  cache.add(pod('web/a', '1'));
  clock.freeze(150);
  cache.add(pod('web/a', '2'));
  clock.freeze(100);
  expect(cache.get('web/a')).toEqual(pod('web/a', '2'));
  expect(cache.list()).toHaveLength(1);
});

test('EXP-01: all objects of a replace have the same age, even if their keys took time', () => {
  const clock = new FakeClock();
  const slowKey = (object: KubeObject): string => {
    clock.freeze(30);
    return keyFor(object);
  };
  const cache = new ExpirationCache<KubeObject>({ ttlMs: 100, env: fakeEnv({ clock }), key: slowKey });
  cache.replace([pod('web/a'), pod('web/b'), pod('web/c')], '1');
  expect(clock.now()).toBe(90);
  clock.freeze(10);
  expect(cache.list()).toHaveLength(3);
  clock.freeze(1);
  expect(cache.list()).toEqual([]);
});

test('EXP-03: an object exactly as old as the limit has not expired, an older one has', () => {
  const { cache, clock } = rig();
  cache.add(pod('web/a'));
  clock.freeze(100);
  expect(cache.get('web/a')).toBeDefined();
  clock.freeze(0.5);
  expect(cache.get('web/a')).toBeUndefined();
});

test('EXP-03: without a limit, or with the limit 0, nothing ever expires', () => {
  for (const options of [{}, { ttlMs: 0 }]) {
    const { cache, clock } = rig(options);
    cache.add(pod('web/a'));
    clock.freeze(Number.MAX_SAFE_INTEGER);
    expect(cache.get('web/a')).toBeDefined();
    expect(cache.list()).toHaveLength(1);
  }
});

test('EXP-03: a jump of the wall clock expires nothing', () => {
  const { cache, clock } = rig();
  cache.add(pod('web/a'));
  clock.jumpWall(86_400_000);
  expect(cache.get('web/a')).toBeDefined();
});

test('EXP-03: an invalid limit is refused', () => {
  for (const ttlMs of [-1, Number.NaN]) expect(() => rig({ ttlMs })).toThrow(coded('INVALID_OPTION'));
});

test('EXP-02, EXP-03: a policy decides instead of the age, from the object and its stamp', () => {
  const asked: unknown[] = [];
  const { cache, clock } = rig({
    ttlMs: 1,
    policy: (entry) => {
      asked.push(entry);
      return entry.object.metadata?.labels?.['gone'] === 'yes';
    },
  });
  clock.freeze(7);
  const [alive, gone] = [pod('web/a'), pod('web/b', '1', { labels: { gone: 'yes' } })];
  cache.replace([alive, gone], '1');
  clock.freeze(1000);
  expect(cache.list()).toEqual([alive]);
  expect(asked).toEqual([
    { object: alive, storedAt: 7 },
    { object: gone, storedAt: 7 },
  ]);
  expect(cache.keys()).toEqual(['web/a']);
});

test('EXP-01, EXP-02, EXP-03: whatever happens when, it behaves like a table of stamps', () => {
  const key = fc.constantFrom('web/a', 'web/b', 'web/c');
  const op = fc.oneof(
    fc.record({ type: fc.constantFrom('add' as const, 'update' as const, 'delete' as const, 'get' as const), key }),
    fc.record({ type: fc.constant('replace' as const), keys: fc.uniqueArray(key) }),
    fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ type: fc.constantFrom('list' as const, 'keys' as const) }),
  );
  fc.assert(
    fc.property(fc.constantFrom(0, 50), fc.array(op, { maxLength: 60 }), (ttlMs, ops) => {
      const { cache, clock } = rig({ ttlMs });
      let stamps = new Map<string, { object: KubeObject; at: number }>();
      const alive = (k: string): KubeObject | undefined => {
        const entry = stamps.get(k);
        if (entry === undefined || ttlMs === 0 || clock.now() - entry.at <= ttlMs) return entry?.object;
        stamps.delete(k);
        return undefined;
      };
      ops.forEach((step, turn) => {
        const stamped = (k: string): { object: KubeObject; at: number } => ({
          object: pod(k, String(turn)),
          at: clock.now(),
        });
        switch (step.type) {
          case 'add':
          case 'update': {
            const entry = stamped(step.key);
            cache[step.type](entry.object);
            stamps.set(step.key, entry);
            break;
          }
          case 'delete':
            cache.delete(pod(step.key));
            stamps.delete(step.key);
            break;
          case 'replace':
            stamps = new Map(step.keys.map((k) => [k, stamped(k)]));
            cache.replace(
              [...stamps.values()].map((entry) => entry.object),
              '1',
            );
            break;
          case 'wait':
            clock.freeze(step.ms);
            break;
          case 'get':
            expect(cache.get(step.key)).toBe(alive(step.key));
            break;
          case 'list':
            expect(cache.list()).toEqual([...stamps.keys()].map(alive).filter((object) => object !== undefined));
            break;
          case 'keys':
            expect(cache.keys()).toEqual([...stamps.keys()]);
            break;
        }
      });
    }),
  );
});

import type { ClusterInformer, KubeObject } from 'kube-informer';
import { expect, test } from 'vitest';
import {
  type DeclaredCache,
  newestInDeclaredCache,
  newestOfDeclaredCaches,
} from '../../src/freshness/declared-cache.ts';
import { WriteLedger } from '../../src/freshness/write-ledger.ts';

const PRIMARY = { namespace: 'web', name: 'a', uid: 'u1' };
const MAPS = 'v1/configmaps';
const KEY = 'web/map';

/** A cache of config maps that a test fills. */
function cache(isPartial = false) {
  const objects = new Map<string, KubeObject>();
  const state = { version: 0 };
  const informer = {
    get: (key: string) => objects.get(key),
    list: () => [...objects.values()],
    hasReached: (version: string) => state.version >= Number(version),
  } as unknown as ClusterInformer<KubeObject, string>;
  const declared: DeclaredCache = {
    resource: MAPS,
    informer,
    namespaces: [],
    hasFields: false,
    isElsewhere: false,
    isPartial,
  };
  return { declared, objects, state };
}

const map = (resourceVersion: string, data?: object): KubeObject => ({
  metadata: { name: 'map', namespace: 'web', uid: 'm1', resourceVersion },
  ...(data === undefined ? {} : { data }),
});

test('CTR-31: F01 of a resource with two caches, a key waits for both, after a write and after a delete', () => {
  const [first, second] = [cache(), cache()];
  const ledger = new WriteLedger(
    () => [first.declared, second.declared],
    () => 0,
  );
  const pending = (): unknown => ledger.pending('web/a').map(({ waitsFor }) => waitsFor);
  ledger.sending(PRIMARY, MAPS, KEY).answered(map('12'));
  second.state.version = 12;
  expect(pending()).toEqual(['version']);
  first.state.version = 12;
  expect(pending()).toEqual([]);
  first.objects.set(KEY, map('12'));
  second.objects.set(KEY, map('12'));
  ledger.sending(PRIMARY, MAPS, KEY).gone('m1');
  second.objects.clear();
  expect(pending()).toEqual(['deleted']);
  first.objects.clear();
  expect(pending()).toEqual([]);
});

test('CTR-31: the uid of an object is known from whichever cache has it', () => {
  const [first, second] = [cache(), cache()];
  const ledger = new WriteLedger(
    () => [first.declared, second.declared],
    () => 0,
  );
  second.objects.set(KEY, map('12'));
  expect(ledger.cachedUid(MAPS, KEY)).toBe('m1');
});

test('CTR-33: of two caches the one with metadata only does not hide the fields of the other, however new it is', () => {
  const [whole, partial] = [cache(), cache(true)];
  const both = [whole.declared, partial.declared];
  whole.objects.set(KEY, map('12', { a: '1' }));
  partial.objects.set(KEY, map('13'));
  expect(newestInDeclaredCache(both, KEY)).toEqual(map('12', { a: '1' }));
  expect(newestOfDeclaredCaches(both, {})).toEqual([map('12', { a: '1' })]);
  whole.objects.clear();
  expect(newestInDeclaredCache(both, KEY)).toEqual(map('13'));
  expect(newestOfDeclaredCaches(both, {})).toEqual([map('13')]);
});

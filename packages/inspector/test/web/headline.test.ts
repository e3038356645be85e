import { expect, test } from 'vitest';
import type { CacheState, CacheSummary } from '../../src/protocol/messages.ts';
import { headlineOf } from '../../web/parts/headline.ts';

const cache = (state: CacheState, reason?: string): CacheSummary =>
  ({
    id: 'v1/pods',
    state,
    problem: reason === undefined ? undefined : { reason, detail: '', since: 0 },
  }) as unknown as CacheSummary;

test.each<[tone: string, text: string, caches: CacheSummary[]]>([
  ['plain', 'This process has no informers yet', []],
  ['good', '2 informers, all up to date', [cache('synced'), cache('synced')]],
  ['warn', '1 of 2 informers seconds late: buffered', [cache('synced'), cache('polling', 'buffered')]],
  ['warn', '1 of 2 informers synced', [cache('starting'), cache('polling', 'buffered')]],
  ['bad', 'v1/pods is stale: dns for 5.0s', [cache('stale', 'dns'), cache('polling', 'buffered')]],
])('the headline is %s: %s', (tone, text, caches) => {
  expect(headlineOf(caches, 5_000)).toEqual({ tone, text });
});

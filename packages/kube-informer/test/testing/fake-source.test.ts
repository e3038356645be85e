import { describe, expect, test } from 'vitest';
import type { ListOptions, WatchOptions } from '../../src/core/object/list-options.ts';
import { isExpired, isTooLargeResourceVersion, retryAfterOf } from '../../src/core/status.ts';
import { INITIAL_EVENTS_END } from '../../src/core/object/watch-event.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { expired, FakeSource, type FakeSourceOptions, statusFailure, tooLarge } from '../../src/testing/fake-source.ts';
import { gate, type Pod, pod, versionOf } from '../informer/rig/informer-rig.ts';

/** A source with three objects at versions 2 to 4, and a way to list and watch it in words. */
function rig(options: FakeSourceOptions = {}) {
  const source = new FakeSource<Pod>(options);
  for (const name of 'abc') source.create(pod(`web/${name}`));
  const stop = new AbortController();
  const list = async (query: ListOptions = {}): Promise<string> => {
    const { items, metadata } = await source.list(query, stop.signal);
    const names = items.map((item) => `${item.metadata?.name}@${versionOf(item)}`).join(' ');
    return `${names} at ${metadata?.resourceVersion}`;
  };
  const watch = (query: WatchOptions): string[] => {
    const heard: string[] = [];
    void (async () => {
      try {
        for await (const { type, object } of source.watch(query, stop.signal)) {
          heard.push(`${type} ${(object as Pod).metadata?.name ?? ''}@${versionOf(object as Pod)}`);
        }
        heard.push('end');
      } catch (error) {
        heard.push(String((error as Error).message));
      }
    })();
    return heard;
  };
  return { source, stop, list, watch };
}

describe('lists', () => {
  test('OTH-04: in pages of one moment, however the world changes between them', async () => {
    const { source, stop } = rig();
    const first = await source.list({ limit: 2 }, stop.signal);
    source.create(pod('web/aa'));
    source.delete('web/c');
    const rest = await source.list({ limit: 2, continue: first.metadata?.continue as string }, stop.signal);
    expect([...first.items, ...rest.items].map(({ metadata }) => metadata?.name)).toEqual(['a', 'b', 'c']);
    expect([first.metadata?.resourceVersion, rest.metadata]).toEqual(['4', { resourceVersion: '4' }]);
  });

  test('OTH-04: exactly as it was at a version of the history, and not beyond its ends', async () => {
    const { source, list } = rig();
    source.update(pod('web/a', { n: 1 }));
    source.delete('web/b');
    const exactly = (resourceVersion: string): Promise<string> =>
      list({ resourceVersion, resourceVersionMatch: 'Exact' });
    expect(await exactly('3')).toBe('a@2 b@3 at 3');
    expect(await exactly('5')).toBe('a@5 b@3 c@4 at 5');
    expect(await list()).toBe('a@5 c@4 at 6');
    await expect(exactly('7')).rejects.toSatisfy(isTooLargeResourceVersion);
    source.expireHistory();
    expect(await exactly('6')).toBe('a@5 c@4 at 6');
    await expect(exactly('5')).rejects.toSatisfy(isExpired);
  });

  test('OTH-04: not older than a version it has not reached is refused, as a server does', async () => {
    const { list } = rig();
    expect(await list({ resourceVersion: '4', resourceVersionMatch: 'NotOlderThan' })).toBe('a@2 b@3 c@4 at 4');
    await expect(list({ resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' })).rejects.toSatisfy(
      isTooLargeResourceVersion,
    );
  });

  test('OTH-04: tokens expire with the history and with the storage', async () => {
    for (const end of ['expire', 'restore'] as const) {
      const { source, stop } = rig();
      const { metadata } = await source.list({ limit: 1 }, stop.signal);
      if (end === 'expire') source.expireHistory();
      else source.restore([], 1);
      await expect(source.list({ continue: metadata?.continue as string }, stop.signal)).rejects.toSatisfy(isExpired);
    }
  });
});

describe('watches', () => {
  test('OTH-04 (TestRCNumber, TestResetWatch): from a version they get what came after; from an expired one, 410', async () => {
    const { source, watch } = rig();
    const from2 = watch({ resourceVersion: '2' });
    source.update(pod('web/a', { n: 1 }));
    await settle();
    expect([from2, source.openWatches]).toEqual([['ADDED b@3', 'ADDED c@4', 'MODIFIED a@5'], 1]);
    source.expireHistory();
    const [old, now] = [watch({ resourceVersion: '4' }), watch({ resourceVersion: '5' })];
    await settle();
    expect([old, now]).toEqual([['too old resource version: 4 (5)'], []]);
  });

  test('OTH-04: with initial events they get everything, then the marker, then what follows', async () => {
    const { source, stop, watch } = rig();
    const heard = watch({ sendInitialEvents: true });
    source.delete('web/a');
    await settle();
    expect(heard).toEqual(['ADDED a@2', 'ADDED b@3', 'ADDED c@4', 'BOOKMARK @4', 'DELETED a@5']);
    const iterator = source.watch({ sendInitialEvents: true }, stop.signal)[Symbol.asyncIterator]();
    for (let i = 0; i < 2; i += 1) await iterator.next();
    const { value } = await iterator.next();
    expect(value).toMatchObject({ object: { metadata: { annotations: { [INITIAL_EVENTS_END]: 'true' } } } });
    expect(watch({ sendInitialEvents: true, resourceVersion: '99' })).toEqual([]);
    await settle();
    expect(source.openWatches).toBe(2);
  });

  test('OTH-04: at a version from the future they are silent, as a real server is', async () => {
    const { source, watch } = rig();
    const blind = watch({ resourceVersion: '99' });
    await settle();
    expect([blind, source.openWatches]).toEqual([[], 1]);
  });

  test('OTH-04: from any state they get everything as adds', async () => {
    const { watch } = rig();
    const heard = watch({ resourceVersion: '0' });
    await settle();
    expect(heard).toEqual(['ADDED a@2', 'ADDED b@3', 'ADDED c@4']);
  });

  test('OTH-04: an abort closes them', async () => {
    const { source, stop, watch } = rig();
    const heard = watch({ resourceVersion: '4' });
    await settle();
    stop.abort();
    await settle();
    expect([heard, source.openWatches]).toEqual([['end'], 0]);
    await expect(source.list({}, stop.signal)).rejects.toThrow();
  });
});

describe('faults', () => {
  test('OTH-04, F32, F90: lost changes are applied, and no watch ever gets them', async () => {
    const { source, list, watch } = rig();
    const open = watch({ resourceVersion: '4' });
    source.loseNext(2);
    source.update(pod('web/a', { n: 1 }));
    source.delete('web/b');
    source.update(pod('web/c', { n: 1 }));
    await settle();
    const later = watch({ resourceVersion: '4' });
    await settle();
    expect([open, later]).toEqual([['MODIFIED c@7'], ['MODIFIED c@7']]);
    expect(await list()).toBe('a@5 c@7 at 7');
    expect(await list({ resourceVersion: '5', resourceVersionMatch: 'Exact' })).toBe('a@5 b@3 c@4 at 5');
  });

  test('OTH-04: streams can be cut, fed with anything, fed twice', async () => {
    const { source, watch } = rig();
    const heard = watch({ resourceVersion: '4' });
    source.bookmark();
    source.repeat(1);
    source.send({ type: 'NONSENSE' as 'ADDED', object: pod('web/x') });
    source.cut(new Error('connection reset'));
    await settle();
    expect(heard).toEqual(['BOOKMARK @4', 'ADDED c@4', 'NONSENSE x@undefined', 'connection reset']);
    expect(source.openWatches).toBe(0);
  });

  test('OTH-04: the next requests of one kind can be made to fail, and lists to wait', async () => {
    const { source, list, watch } = rig();
    source.failNext('list', new Error('no list'), 2);
    source.failNext('watch', new Error('no watch'));
    const refused = watch({ resourceVersion: '4' });
    await expect(list()).rejects.toThrow('no list');
    await expect(list()).rejects.toThrow('no list');
    await settle();
    expect([refused, source.openWatches]).toEqual([['no watch'], 0]);
    const answer = gate();
    source.delayLists(answer.opened);
    let listed = '';
    const waiting = list().then((text) => (listed = text));
    source.create(pod('web/d'));
    await settle();
    expect(listed).toBe('');
    answer.open();
    expect(await waiting).toBe('a@2 b@3 c@4 d@5 at 5');
  });

  test('OTH-04, F28: a restored storage goes back in time, and forgets what came after', async () => {
    const { source, list } = rig();
    const a = source.get('web/a') as Pod;
    source.restore([a], 2);
    expect([await list(), source.resourceVersion, source.objects.length]).toEqual(['a@2 at 2', '2', 1]);
    await expect(list({ resourceVersion: '4', resourceVersionMatch: 'NotOlderThan' })).rejects.toSatisfy(
      isTooLargeResourceVersion,
    );
    expect(versionOf(source.create(pod('web/z')))).toBe('3');
  });

  test('OTH-04: every request is written down, and answers look like those of a server', async () => {
    const { source, list, watch } = rig({ startVersion: 10, watchList: false });
    await list({ limit: 5 });
    watch({ resourceVersion: '11' });
    expect(source.calls).toEqual([
      { verb: 'list', options: { limit: 5 } },
      { verb: 'watch', options: { resourceVersion: '11' } },
    ]);
    expect([source.watchListUnsupported, source.resourceVersion]).toEqual([true, '13']);
    expect(retryAfterOf(statusFailure(429, 'TooManyRequests', 'later', { details: { retryAfterSeconds: 3 } }))).toBe(
      3_000,
    );
    expect([
      isExpired(expired('x')),
      isTooLargeResourceVersion(tooLarge('9', '8')),
      retryAfterOf(tooLarge('9', '8')),
    ]).toEqual([true, true, 1_000]);
  });

  test('OTH-04: names, versions and UIDs are given as a server gives them', () => {
    const { source } = rig();
    const first = source.get('web/a');
    const second = source.update(pod('web/a', { n: 1 }));
    expect([second.metadata?.uid, versionOf(second)]).toEqual([first?.metadata?.uid, '5']);
    source.delete('web/a');
    source.delete('web/never');
    const again = source.update(pod('web/a'));
    expect([again.metadata?.uid === first?.metadata?.uid, versionOf(again)]).toEqual([false, '7']);
    expect(source.create(pod('web/own', {}, { uid: 'mine' })).metadata?.uid).toBe('mine');
  });
});

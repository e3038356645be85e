import { describe, expect, test } from 'vitest';
import type { KubeError } from '../../../src/core/errors.ts';
import type { WatchEvent } from '../../../src/core/object/watch-event.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import { type FakeSource, statusFailure } from '../../../src/testing/fake-source.ts';
import { CountingMetrics, type Pod, pod, QUEUES, rig } from '../rig/informer-rig.ts';

const at = (key: string, version: string, spec: Record<string, unknown> = {}, uid = 'uid-1'): Pod =>
  pod(key, spec, { resourceVersion: version, uid });

describe.each(QUEUES)('versions that mislead, queue %s', (queue) => {
  test('G1, F27: one absurdly high version does not make all later events old', async () => {
    const metrics = new CountingMetrics();
    const { informer, source, heard, start, clock } = rig({ queue, metrics, startVersion: 10 });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.send({ type: 'MODIFIED', object: at('web/a', '99999999999999999999999', { n: 'absurd' }) });
    await settle();
    for (let n = 2; n < 6; n += 1) source.update(pod('web/a', { n }));
    await clock.advance(5_000);
    expect(informer.get('web/a')?.spec).toEqual({ n: 5 });
    expect(informer.state.kind).toBe('synced');
    expect(heard.lines.at(-1)).toBe('update web/a@99999999999999999999999→15');
    // The epoch is announced: what was said with that version is taken back.
    expect(metrics.sum('reflector_epoch_resets_total')).toBe(1);
    source.update(pod('web/a', { n: 6 }));
    await clock.advance(0);
    expect(informer.get('web/a')?.spec).toEqual({ n: 6 });
    await informer.stop();
  });

  test('G1: one absurdly high bookmark does not make them old either', async () => {
    const { informer, source, start, clock } = rig({ queue, startVersion: 10 });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '999999' } } } as WatchEvent<Pod>);
    await settle();
    source.update(pod('web/a', { n: 2 }));
    await clock.advance(5_000);
    expect(informer.get('web/a')?.spec).toEqual({ n: 2 });
    expect(informer.health()).toMatchObject({ state: { kind: 'synced' } });
    expect(BigInt(informer.health().resourceVersion)).toBeLessThan(1_000n);
    await informer.stop();
  });

  test('F27, G1: a replay of events that were seen is dropped as before, without a list', async () => {
    const { informer, source, start, clock, env } = rig({ queue, startVersion: 10 });
    source.create(pod('web/a', { n: 1 }));
    await start();
    for (let n = 2; n < 6; n += 1) source.update(pod('web/a', { n }));
    await settle();
    const steps = (): number => informer.timeline.filter(({ kind }) => kind === 'list' || kind === 'stream').length;
    const before = steps();
    for (const version of ['11', '12', '13', '14']) source.send({ type: 'MODIFIED', object: at('web/a', version) });
    await clock.advance(1_000);
    expect(steps()).toBe(before);
    expect(informer.get('web/a')?.spec).toEqual({ n: 5 });
    expect(env.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await informer.stop();
  });

  test('G19, F46: one list without a version, or older than its items, switches order checks off, two good ones on again', async () => {
    for (const version of ['', '3']) {
      let isBad = false;
      const wrap = (source: FakeSource<Pod>): ListWatch<Pod> => ({
        watchListUnsupported: true,
        watch: source.watch,
        async list(options, signal) {
          const list = await source.list(options, signal);
          return isBad ? { ...list, metadata: version === '' ? {} : { resourceVersion: version } } : list;
        },
      });
      const { informer, source, start, relist, clock } = rig({ queue, wrap, startVersion: 10 });
      source.create(pod('web/a', { n: 1 }));
      await start();
      expect(informer.health().versions).toBe('ordered');
      isBad = true;
      await relist();
      expect(informer.health().versions).toBe('opaque');
      isBad = false;
      await relist();
      await clock.advance(60_000);
      expect(informer.health().versions).toBe('opaque');
      await relist();
      await clock.advance(60_000);
      expect(informer.health().versions).toBe('ordered');
      source.update(pod('web/a', { n: 2 }));
      await clock.advance(0);
      // A newest state that is older than what was seen is announced, as ever; one without a version is not.
      expect(informer.health()).toMatchObject({ epochs: version === '' ? 0 : 1, state: { kind: 'synced' } });
      expect(informer.get('web/a')?.spec).toEqual({ n: 2 });
      await informer.stop();
    }
  });

  test('G5: a DELETED that carries the last version of the object deletes it', async () => {
    const { informer, source, heard, start } = rig({ queue, startVersion: 10 });
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    await start();
    const last = informer.get('web/a') as Pod;
    source.send({ type: 'DELETED', object: { ...last } });
    await settle();
    expect(heard.lines.at(-1)).toBe('delete web/a');
    expect(informer.store.keys()).toEqual(['web/b']);
    expect(informer.health()).toMatchObject({ resourceVersion: '12', staleDropped: 0 });
    await informer.stop();
  });

  test('G1, F27: a DELETED that is older than the object it names, or of another UID, deletes nothing', async () => {
    const { informer, source, start } = rig({ queue, startVersion: 10 });
    source.create(pod('web/a', { n: 1 }));
    source.create(pod('web/b'));
    await start();
    const old = informer.get('web/a') as Pod;
    source.update(pod('web/a', { n: 2 }));
    source.update(pod('web/a', { n: 3 }));
    await settle();
    source.send({ type: 'DELETED', object: { ...old } });
    source.send({
      type: 'DELETED',
      object: { ...informer.get('web/b'), metadata: { ...informer.get('web/b')?.metadata, uid: 'x' } } as Pod,
    });
    await settle();
    expect(informer.get('web/a')?.spec).toEqual({ n: 3 });
    expect(informer.store.keys()).toEqual(['web/a', 'web/b']);
    expect(informer.health().staleDropped).toBe(2);
    await informer.stop();
  });
});

test('F37: a Retry-After of years, in a stream or in a list, is cut to a minute', async () => {
  const busy = { kind: 'Status', code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 99_999_999 } };
  const { informer, source, start, clock } = rig();
  source.create(pod('web/a', { n: 1 }));
  await start();
  source.send({ type: 'ERROR', object: busy } as WatchEvent<Pod>);
  await clock.advance(0);
  expect(informer.health().reflector).toMatchObject({ kind: 'waiting', ms: 60_000 });
  source.update(pod('web/a', { n: 2 }));
  await clock.advance(60_000);
  expect(informer.get('web/a')?.spec).toEqual({ n: 2 });
  await informer.stop();
});

test('ERR-10, REF-05: a version that the server cannot parse is asked for once; then the newest state is listed', async () => {
  const unparsable = (code: number, reason: string): KubeError =>
    statusFailure(
      code,
      reason,
      'resourceVersion: Invalid value: "9x": strconv.ParseUint: parsing "9x": invalid syntax',
    );
  const asked: string[] = [];
  const wrap = (source: FakeSource<Pod>): ListWatch<Pod> => ({
    watch(options, signal) {
      asked.push(`watch ${options.resourceVersion ?? ''}`);
      if (options.resourceVersion === '9x') throw unparsable(500, '');
      return source.watch(options, signal);
    },
    async list(options, signal) {
      asked.push(`list ${options.resourceVersion ?? ''}`);
      if (options.resourceVersion === '9x') throw unparsable(400, 'BadRequest');
      return source.list(options, signal);
    },
  });
  for (const watchList of [true, false]) {
    const { informer, source, start, clock } = rig({ wrap, watchList });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.send({ type: 'MODIFIED', object: at('web/a', '9x') });
    await settle();
    asked.length = 0;
    source.cut();
    await clock.advance(60_000);
    expect(asked.filter((one) => one.endsWith('9x')).length).toBeLessThanOrEqual(3);
    expect(informer.state.kind).toBe('synced');
    expect(informer.health().usesWatchList).toBe(watchList);
    await informer.stop();
  }
});

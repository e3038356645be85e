import { describe, expect, test } from 'vitest';
import { keyOf } from '../../src/core/object/key.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import type { ListWatch } from '../../src/informer/list-watch/list-watch.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { statusFailure } from '../../src/testing/fake-source.ts';
import { coded, CountingMetrics, gate, pod, QUEUES, rig, type Rig, type RigOptions } from './rig/informer-rig.ts';

const PERIOD = 60_000;

/** The same source; its objects are copies, as if they had come over a wire. */
const overWire = <T extends object>(source: ListWatch<T>): ListWatch<T> => ({
  list: async (options, signal) => structuredClone(await source.list(options, signal)),
  watch: async function* (options, signal) {
    for await (const event of source.watch(options, signal)) yield structuredClone(event);
  },
});

async function audited(options: RigOptions<never> = {}): Promise<Rig & { readonly metrics: CountingMetrics }> {
  const metrics = new CountingMetrics();
  const made = rig({ audit: { everyMs: PERIOD }, metrics, ...options });
  for (const name of 'abc') made.source.create(pod(`web/${name}`));
  await made.start();
  return { ...made, metrics };
}

describe.each(QUEUES)('the audit, queue %s', (queue) => {
  test.each<[string, string, (rig: Rig) => void, Record<string, string[]>, string[]]>([
    [
      'F32',
      'update',
      ({ source }) => void source.update(pod('web/b', { n: 1 })),
      { missing: [], extra: [], different: ['web/b'] },
      ['update web/b@3→5'],
    ],
    [
      'F32',
      'add',
      ({ source }) => void source.create(pod('web/d')),
      { missing: ['web/d'], extra: [], different: [] },
      ['add web/d@5'],
    ],
    [
      'F33',
      'delete',
      ({ source }) => source.delete('web/b'),
      { missing: [], extra: ['web/b'], different: [] },
      ['delete web/b unknown'],
    ],
    [
      'F33, G6',
      'delete and create',
      ({ source }) => {
        source.loseNext(1);
        source.delete('web/b');
        source.create(pod('web/b'));
      },
      { missing: [], extra: [], different: ['web/b'] },
      ['update web/b@3→6 replaced'],
    ],
  ])('%s: a lost %s is found within one period, named, counted, and healed', async (_, __, lose, named, received) => {
    const it = await audited({ queue });
    const { source, clock, heard, informer, logged, metrics } = it;
    heard.clear();
    source.loseNext(1);
    lose(it);
    // A bookmark runs ahead of what was lost: the cache takes itself to be current.
    source.bookmark();
    await clock.advance(PERIOD - 1);
    expect([heard.lines, informer.lastSyncResourceVersion]).toEqual([[], source.resourceVersion]);
    await clock.advance(1 + 2_000);
    expect(heard.lines).toEqual(received);
    expect(logged('error', 'the audit found').map(({ fields }) => fields)).toEqual([
      { name: 'SharedInformer pods', ...named },
    ]);
    expect(metrics.sum('reflector_missed_events_total')).toBe(1);
    expect([...heard.view.keys()].sort()).toEqual(source.objects.map(({ metadata }) => `web/${metadata?.name}`).sort());
    expect((await informer.verify()).consistent).toBe(true);
    await informer.stop();
  });

  test('F31: a bookmark ahead of an undelivered event is reported with the key that was lost', async () => {
    const { source, clock, informer, logged } = await audited({ queue });
    source.loseNext(1);
    source.update(pod('web/a', { n: 1 }));
    source.bookmark();
    source.update(pod('web/c', { n: 1 }));
    await clock.advance(PERIOD);
    expect(logged('error', 'the audit found')[0]?.fields).toMatchObject({ different: ['web/a'] });
    await clock.advance(2_000);
    expect(informer.get('web/a')?.spec).toEqual({ n: 1 });
    await informer.stop();
  });

  test('F32: a cache that is right is left alone, however busy the server', async () => {
    const { source, clock, informer, logged, metrics } = await audited({ queue });
    for (let minute = 0; minute < 20; minute += 1) {
      for (const name of 'cba') source.update(pod(`web/${name}`, { minute }));
      if (minute % 3 === 0) source.delete('web/a');
      await clock.advance(PERIOD);
    }
    expect(logged('error', 'the audit found')).toEqual([]);
    expect(metrics.sum('reflector_missed_events_total')).toBe(0);
    const audits = source.calls.filter(({ options }) => options.resourceVersionMatch === 'Exact');
    expect(audits).toHaveLength(20);
    expect(source.calls.filter(({ options }) => 'sendInitialEvents' in options)).toHaveLength(1);
    await informer.stop();
  });

  test('F32: an audit that cannot list logs it at debug level and runs again', async () => {
    const { source, clock, informer, heard, logged } = await audited({ queue });
    heard.clear();
    source.loseNext(1);
    source.update(pod('web/a', { n: 1 }));
    source.bookmark();
    // A quiet stream is asked about before.
    await clock.advance(PERIOD - 1_000);
    source.failNext('list', statusFailure(503, 'ServiceUnavailable', 'busy'));
    await clock.advance(1_000);
    expect([heard.lines, logged('debug', 'the audit could not compare the cache with the server').length]).toEqual([
      [],
      1,
    ]);
    await clock.advance(PERIOD + 2_000);
    expect(heard.lines).toEqual(['update web/a@2→5']);
    await informer.stop();
  });

  test.each(['its own signal', 'none'])('G21: a stop ends a verify that gets no answer; signal: %s', async (which) => {
    let isDeaf = false;
    const { clock, informer } = rig({
      queue,
      wrap: (source) => ({
        watch: source.watch.bind(source),
        list: (options, signal) => (isDeaf ? new Promise(() => {}) : source.list(options, signal)),
      }),
    });
    informer.start();
    await clock.advance(0);
    isDeaf = true;
    const signal = which === 'none' ? undefined : new AbortController().signal;
    const verified = expect(informer.verify(signal)).rejects.toThrow(coded('ABORTED'));
    await informer.stop();
    await verified;
    await expect(informer.verify(signal)).rejects.toThrow(coded('ABORTED'));
  });

  test('G16: the signal of a verify ends it, also when it has aborted before', async () => {
    const { clock, informer } = rig({ queue });
    informer.start();
    await clock.advance(0);
    const end = new AbortController();
    const verified = informer.verify(end.signal);
    end.abort();
    await expect(verified).rejects.toThrow(coded('ABORTED'));
    await expect(informer.verify(end.signal)).rejects.toThrow(coded('ABORTED'));
    await informer.stop();
  });

  test('G16: verify names the differences and the version they were found at, and changes nothing', async () => {
    const { source, clock, informer } = rig({ queue });
    await expect(informer.verify()).rejects.toThrow(coded('ILLEGAL_STATE'));
    source.create(pod('web/a'));
    informer.start();
    await clock.advance(0);
    source.loseNext(2);
    source.create(pod('web/b'));
    source.update(pod('web/a', { n: 1 }));
    source.bookmark();
    await clock.advance(0);
    expect(await informer.verify()).toEqual({
      resourceVersion: '4',
      checked: 2,
      missing: ['web/b'],
      extra: [],
      different: ['web/a'],
      consistent: false,
    });
    expect(informer.store.keys()).toEqual(['web/a']);
    await informer.stop();
  });
});

describe.each(QUEUES)('other content at the same version, queue %s', (queue) => {
  test('G16, F32: verify finds it, and the audit repairs it', async () => {
    const { source, clock, informer, heard } = await audited({ queue });
    heard.clear();
    const defaulted = source.objects.map((object) => ({ ...object, spec: { added: 'by a new default' } }));
    source.restore(defaulted, Number(source.resourceVersion));
    expect(await informer.verify()).toMatchObject({ different: defaulted.map(keyOf).toSorted(), consistent: false });
    await clock.advance(PERIOD + 2_000);
    expect(informer.list().map(({ spec }) => spec)).toEqual(defaulted.map(({ spec }) => spec));
    expect(heard.lines).toHaveLength(defaulted.length);
    expect((await informer.verify()).consistent).toBe(true);
    await clock.advance(PERIOD * 3);
    expect(heard.lines).toHaveLength(defaulted.length);
    await informer.stop();
  });

  test('G10, G16: an object that user code changed in the cache is found, and repaired', async () => {
    const { clock, informer } = await audited({ queue, freeze: false, wrap: overWire });
    (informer.get('web/a') as { spec?: unknown }).spec = { vandalised: true };
    expect(await informer.verify()).toMatchObject({ different: ['web/a'] });
    await clock.advance(PERIOD + 2_000);
    expect(informer.get('web/a')?.spec).toBeUndefined();
    await informer.stop();
  });
});

describe('verify after a transform', () => {
  const withoutVersion = <T extends KubeObject>(object: T): T =>
    ({ ...object, metadata: { name: object.metadata?.name, namespace: object.metadata?.namespace } }) as T;

  test.each(QUEUES)(
    'G16, G20: one that removes the version: no false alarm, and waitForVersion is reached: %s',
    async (queue) => {
      const { source, clock, informer, heard, relist, logged } = await audited({ queue, transform: withoutVersion });
      source.update(pod('web/a', { n: 1 }));
      source.create(pod('web/new'));
      await informer.waitForVersion(source.resourceVersion, { timeoutMs: 1_000 });
      source.delete('web/new');
      await informer.waitForVersion(source.resourceVersion, { timeoutMs: 1_000 });
      expect(await informer.verify()).toMatchObject({ consistent: true, resourceVersion: source.resourceVersion });
      heard.clear();
      await relist();
      await clock.advance(PERIOD);
      expect([heard.lines, logged('error', 'the audit found')]).toEqual([[], []]);
      source.loseNext(1);
      source.update(pod('web/a', { n: 2 }));
      source.bookmark();
      await clock.advance(0);
      expect(await informer.verify()).toMatchObject({ different: ['web/a'] });
      await informer.stop();
    },
  );

  test.each(QUEUES)('G9, G20: one that throws on the newest state does not hide its version: %s', async (queue) => {
    const transform = <T extends KubeObject>(object: T): T => {
      if (object.metadata?.name === 'bad') throw new Error('not this one');
      return object;
    };
    const { source, informer } = await audited({ queue, transform });
    source.create(pod('web/bad'));
    await informer.waitForVersion(source.resourceVersion, { timeoutMs: 1_000 });
    expect((await informer.verify()).consistent).toBe(true);
    await informer.stop();
  });

  test('G16: one that gives other results each time is compared by version only', async () => {
    let calls = 0;
    const transform = <T extends KubeObject>(object: T): T => ({ ...object, seen: (calls += 1) });
    const { source, informer } = await audited({ transform });
    expect((await informer.verify()).consistent).toBe(true);
    source.loseNext(1);
    source.update(pod('web/a', { n: 1 }));
    source.bookmark();
    await settle();
    expect(await informer.verify()).toMatchObject({ different: ['web/a'] });
    await informer.stop();
  });
});

test('G19: a delta queue with waiting changes cannot be verified: its cache shows no single version', async () => {
  const { source, clock, informer } = await audited({ queue: 'delta' });
  const held = gate();
  informer.on({ add: () => held.opened }, { policy: 'block', limit: 1 });
  for (const name of 'xyz') source.create(pod(`web/${name}`));
  await clock.advance(0);
  source.update(pod('web/a', { n: 1 }));
  source.create(pod('web/new'));
  source.update(pod('web/a', { n: 2 }));
  await clock.advance(0);
  expect(informer.health().pending).toBeGreaterThan(0);
  await expect(informer.verify()).rejects.toThrow(coded('STALE_CACHE'));
  held.open();
  await clock.advance(0);
  expect(await informer.verify()).toMatchObject({ consistent: true, resourceVersion: source.resourceVersion });
  await informer.stop();
});

test('F32: an audit waits for the first list, and a stop in the middle of one is not a failure', async () => {
  const { source, clock, informer, start, logged } = rig({ audit: { everyMs: 1_000 }, serverStreams: false });
  const answered = gate();
  source.delayLists(answered.opened);
  await start();
  await clock.advance(10_000);
  expect(logged('debug', 'the audit could not compare the cache with the server')).toEqual([]);
  answered.open();
  await clock.advance(0);
  source.delayLists(new Promise(() => {}));
  await clock.advance(1_000);
  await informer.stop();
  expect(logged('debug', 'the audit could not compare the cache with the server')).toEqual([]);
});

test('F32: an audit has a period of at least a second, and there is none by default', async () => {
  for (const everyMs of [0, 999, Number.NaN]) {
    expect(() => rig({ audit: { everyMs } })).toThrow(coded('INVALID_OPTION'));
  }
  const { source, clock, start, informer } = rig();
  await start();
  for (let hour = 0; hour < 3; hour += 1) {
    for (let minute = 0; minute < 60; minute += 1) {
      source.bookmark();
      await clock.advance(60_000);
    }
  }
  expect(source.calls.filter(({ options }) => options.resourceVersionMatch === 'Exact')).toEqual([]);
  await informer.stop();
});

test('F32, G9: a poisoned key is not a missed event: the audit leaves it alone, and verify does not call it a difference', async () => {
  const transform = <T extends { metadata?: { name?: string } }>(object: T): T => {
    if (object.metadata?.name === 'bad') throw new Error('not this one');
    return object;
  };
  const { source, clock, informer, logged } = await audited({ transform });
  source.create(pod('web/bad'));
  source.create(pod('web/good'));
  await clock.advance(PERIOD * 3);
  expect(informer.health().poisoned.map(({ key }) => key)).toEqual(['web/bad']);
  expect(logged('error', 'the audit found')).toEqual([]);
  expect((await informer.verify()).consistent).toBe(true);
});

test('F32, G9: a later state of a poisoned key that was missed is found by the audit', async () => {
  const transform = <T extends { metadata?: { labels?: Record<string, string> } }>(object: T): T => {
    if (object.metadata?.labels?.['bad'] === 'yes') throw new Error('not this one');
    return object;
  };
  const { source, clock, informer, logged } = await audited({ transform });
  const labelled = (bad: string): KubeObject => ({ metadata: { namespace: 'web', name: 'x', labels: { bad } } });
  source.create(labelled('no'));
  source.update(labelled('yes'));
  await clock.advance(PERIOD);
  expect(informer.health().poisoned.map(({ key }) => key)).toEqual(['web/x']);
  expect(logged('error', 'the audit found')).toEqual([]);
  source.loseNext(1);
  source.update(labelled('no'));
  source.create(pod('web/later'));
  await clock.advance(PERIOD * 2);
  expect(logged('error', 'the audit found')).toHaveLength(1);
  expect(informer.health().poisoned).toEqual([]);
  expect((await informer.verify()).consistent).toBe(true);
  await informer.stop();
});

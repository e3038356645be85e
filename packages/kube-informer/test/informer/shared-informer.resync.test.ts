import { describe, expect, test } from 'vitest';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { coded, type Pod, pod, QUEUES, rig, type RigOptions } from './rig/informer-rig.ts';

/** An informer with two objects and one recorder per period asked for. */
async function resyncing(periods: readonly (number | undefined)[], options: RigOptions<never> = {}) {
  const made = rig(options);
  made.source.create(pod('web/a'));
  made.source.create(pod('web/b'));
  const received = periods.map((resyncMs) => {
    const recorder = new HandlerRecorder<Pod>();
    made.informer.on(recorder, resyncMs === undefined ? {} : { resyncMs });
    return recorder;
  });
  await made.start();
  /** Returns the number of resyncs of each handler, and resets them. */
  const heard = (): number[] =>
    received.map((recorder) => {
      const { length } = recorder.events.filter((event) => event.type === 'update' && event.resync);
      recorder.clear();
      return length / 2;
    });
  heard();
  return { ...made, received, heard };
}

describe.each(QUEUES)('resync, queue %s', (queue) => {
  test('INF-07, PRO-05, PRO-06 (TestListenerResyncPeriods): handlers with periods of 0, 2 and 3 seconds get exactly theirs', async () => {
    const { clock, heard, informer, source } = await resyncing([0, 2_000, 3_000, undefined], {
      queue,
      resyncMs: 1_000,
    });
    const requests = source.calls.length;
    const rounds: number[][] = [];
    for (let second = 1; second <= 6; second += 1) {
      await clock.advance(1_000);
      rounds.push(heard());
    }
    expect(rounds).toEqual([
      [0, 0, 0, 1],
      [0, 1, 0, 1],
      [0, 0, 1, 1],
      [0, 1, 0, 1],
      [0, 0, 0, 1],
      [0, 1, 1, 1],
    ]);
    // RSY-01: none of this asked the server.
    expect(source.calls).toHaveLength(requests);
    await informer.stop();
  });

  test('INF-18, EVH-02: a resync sends the cached state again, as an update from itself to itself', async () => {
    const { clock, received, informer } = await resyncing([1_000], { queue, resyncMs: 1_000 });
    await clock.advance(1_000);
    const [event] = received[0]?.events ?? [];
    expect(received[0]?.lines).toEqual(['update web/a@2→2 resync', 'update web/b@3→3 resync']);
    expect(event).toMatchObject({ type: 'update', resync: true, replaced: false });
    expect((event as { old: Pod }).old).toBe(event?.object);
    expect(event?.object).toBe(informer.get('web/a'));
    await informer.stop();
  });

  test('INF-18, G18 (TestSharedInformerWatchDisruption): after a broken watch only changes are announced, and resyncs go only to handlers with a period', async () => {
    const { clock, received, source, informer, relist } = await resyncing([0, 10_000], { queue, resyncMs: 10_000 });
    source.update(pod('web/b', { n: 1 }));
    source.create(pod('web/c'));
    await clock.advance(0);
    for (const recorder of received) recorder.clear();
    source.loseNext(1);
    source.update(pod('web/b', { n: 2 }));
    await relist();
    expect(received.map(({ lines }) => lines)).toEqual([['update web/b@4→6'], ['update web/b@4→6']]);
    for (const recorder of received) recorder.clear();
    await clock.advance(30_000);
    expect(received[0]?.lines).toEqual([]);
    expect(received[1]?.lines.slice(0, 3).sort()).toEqual([
      'update web/a@2→2 resync',
      'update web/b@6→6 resync',
      'update web/c@5→5 resync',
    ]);
    await informer.stop();
  });

  test('INF-18, PRO-02, PRO-03, Trap 11 (TestSharedInformerWatchDisruption): with parity a relist sends unchanged objects to handlers whose resync is due, and to all before the first check', async () => {
    const { clock, received, source, informer, relist } = await resyncing([0, 60_000], {
      queue,
      resyncMs: 60_000,
      parity: 'client-go',
    });
    await relist();
    // No check has run yet: every flag is still up.
    expect(received.map(({ lines }) => lines.length)).toEqual([2, 2]);
    await clock.advance(60_000);
    for (const recorder of received) recorder.clear();
    source.loseNext(1);
    source.update(pod('web/b', { n: 2 }));
    await relist();
    expect(received[0]?.lines).toEqual(['update web/b@3→4']);
    expect(received[1]?.lines.sort()).toEqual(['update web/a@2→2', 'update web/b@3→4']);
    await informer.stop();
  });
});

describe('periods', () => {
  test('INF-05: a period below one second is raised to one second, with a warning', async () => {
    const { clock, heard, informer, logged } = await resyncing([1], { resyncMs: 1_000 });
    expect(logged('warn', 'below the minimum').map(({ fields }) => fields)).toEqual([
      { requestedMs: 1, minimumMs: 1_000 },
    ]);
    await clock.advance(1_000);
    expect(heard()).toEqual([1]);
    await informer.stop();
  });

  test('INF-05: a negative or impossible period is refused, for the informer and for a handler', () => {
    for (const resyncMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => rig({ resyncMs })).toThrow(coded('INVALID_OPTION'));
      expect(() => rig().informer.on({}, { resyncMs })).toThrow(coded('INVALID_OPTION'));
    }
  });

  test('INF-06, INF-07 (TestResyncCheckPeriod): a shorter period before the start makes the informer check more often, and other handlers keep theirs', async () => {
    const { clock, heard, informer } = await resyncing([12_000, 6_000, 4_000, undefined], { resyncMs: 12_000 });
    const at: string[] = [];
    for (let second = 1; second <= 12; second += 1) {
      await clock.advance(1_000);
      const now = heard();
      if (now.some((count) => count > 0)) at.push(`${second}: ${now.join(' ')}`);
    }
    // The check period is 4 s, so 6 s becomes 8: a resync happens on the first check at or after it is due.
    expect(at).toEqual(['4: 0 0 1 0', '8: 0 1 1 0', '12: 1 0 1 1']);
    await informer.stop();
  });

  test('INF-06: a shorter period after the start is raised to that of the running informer', async () => {
    const { clock, informer, source, start, logged } = rig({ resyncMs: 5_000 });
    source.create(pod('web/a'));
    await start();
    const late = new HandlerRecorder<Pod>();
    informer.on(late, { resyncMs: 2_000 });
    expect(logged('warn', 'raised to that of the running informer')).toHaveLength(1);
    await clock.advance(4_999);
    expect(late.lines).toEqual(['add web/a@2 initial']);
    await clock.advance(1);
    expect(late.lines).toEqual(['add web/a@2 initial', 'update web/a@2→2 resync']);
    await informer.stop();
  });

  test('INF-07, Trap 11: an informer without a period resyncs no handler, whatever its options, and logs it', async () => {
    const { clock, heard, informer, logged } = await resyncing([1_000], { resyncMs: 0 });
    expect(logged('warn', 'the informer has no resync period')).toHaveLength(1);
    await clock.advance(3_600_000);
    expect(heard()).toEqual([0]);
    await informer.stop();
  });

  test('INF-24: the period of the informer is the default of its handlers, and 0 is the default of the informer', async () => {
    const asked = await resyncing([undefined], { resyncMs: 3_000 });
    await asked.clock.advance(3_000);
    expect(asked.heard()).toEqual([1]);
    const silent = await resyncing([undefined]);
    await silent.clock.advance(600_000);
    expect(silent.heard()).toEqual([0]);
    await Promise.all([asked.informer.stop(), silent.informer.stop()]);
  });

  test('PRO-04 (TestListenerResyncPeriodsDelayed): an informer that starts late resyncs each handler as if it had started in time', async () => {
    const env = fakeEnv();
    const source = new FakeSource<Pod>();
    source.create(pod('web/a'));
    const informer = new SharedInformer<Pod>(source, { env, resyncMs: 2_000 });
    const recorder = new HandlerRecorder<Pod>();
    informer.on(recorder);
    await env.clock.advance(1_000);
    informer.start();
    await env.clock.advance(0);
    expect(recorder.lines).toEqual(['add web/a@2 initial']);
    await env.clock.advance(2_000);
    expect(recorder.lines).toEqual(['add web/a@2 initial', 'update web/a@2→2 resync']);
    await informer.stop();
  });

  test('RSY-06: resyncs continue while the server is away', async () => {
    const { clock, heard, source, informer } = await resyncing([1_000], { resyncMs: 1_000 });
    const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    source.failNext('watch', away, 1_000);
    source.cut(away);
    await clock.advance(10_000);
    expect(heard()).toEqual([10]);
    expect(informer.state.kind).toBe('stale');
    await informer.stop();
  });
});

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { hasCode, type KubeObject } from 'kube-informer';
import { promMetrics } from 'kube-informer/prometheus';
import { Registry, Counter, Gauge, Histogram } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { RunLog } from '../../src/run/run-log.ts';
import { rig, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';

test('CTR-52: why says what a key waits for', async () => {
  let hold: (() => void) | undefined;
  let result: { requeueAfterMs: number } | undefined;
  const { lab, operator } = await rig({
    labels: 'app=shop',
    reconcile: ({ name }) => (name === 'slow' ? new Promise<void>((resolve) => (hold = resolve)) : result),
  });
  const kind = (key: string): string => operator.why('widgets', key).kind;
  expect(operator.why('widgets', 'web/none').sentence).toBe(
    'web/none is not in the cache: it does not exist, or is not selected by labels app=shop',
  );
  const labels = { labels: { app: 'shop' } };
  await lab.user.apply(widget('a', {}, labels));
  await expect.poll(() => kind(KEY)).toBe('idle');
  expect(operator.why('widgets', KEY).sentence).toMatch(
    /^web\/a ran 0\.0 s ago \(success\) because of created with 0 writes$/,
  );
  result = { requeueAfterMs: 30_000 };
  operator.enqueue('widgets', KEY);
  await expect.poll(() => kind(KEY)).toBe('waiting');
  expect(operator.why('widgets', KEY).sentence).toBe('web/a runs again in 30.0 s because of requeue');
  await lab.user.apply(widget('slow', {}, labels));
  await expect.poll(() => kind('web/slow')).toBe('running');
  hold?.();
  expect(() => operator.why('other', KEY)).toThrow('no controller "other": expected one of widgets');
});

test('CTR-53: five runs per key are kept, of 2,000 keys', () => {
  const log = new RunLog();
  const run = (key: string, startedAt: number) =>
    ({ key, startedAt, durationMs: 0, outcome: 'success', reasons: [], attempt: 1, writes: [], fresh: true }) as const;
  for (let n = 0; n < 7; n += 1) log.add(run('first', n));
  expect(log.of('first').map(({ startedAt }) => startedAt)).toEqual([2, 3, 4, 5, 6]);
  for (let n = 0; n < 2_000; n += 1) log.add(run(`key-${n}`, n));
  expect(log.of('first')).toEqual([]);
  expect(log.of('key-0')).toHaveLength(1);
  // The key that ran least recently goes, not the one that came first.
  log.add(run('key-0', 2_001));
  log.add(run('last', 2_002));
  expect([log.of('key-0').length, log.of('key-1').length]).toEqual([2, 0]);
});

test('CTR-50: metrics of controller-runtime, from the start', async () => {
  const register = new Registry();
  const metrics = promMetrics({ Counter, Gauge, Histogram, register } as never);
  const { lab } = await rig({ reconcile() {} }, { run: { metrics } });
  const text = async (): Promise<string> => register.metrics();
  expect(await text()).toContain('controller_runtime_reconcile_total{controller="widgets",result="error"} 0');
  expect(await text()).toContain('kube_informer_controller_hot_loops_total{controller="widgets"} 0');
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(await text()).toContain('controller_runtime_reconcile_total{controller="widgets",result="success"} 1');
});

test('CTR-55: each run is a message on the channel kube-informer:reconcile, for tracers', async () => {
  const heard: unknown[] = [];
  const hear = (message: unknown): void => void heard.push(message);
  subscribe('kube-informer:reconcile', hear);
  onTestFinished(() => void unsubscribe('kube-informer:reconcile', hear));
  const { lab } = await rig({ reconcile: ({ status }) => status.set({ seen: 1 }) });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(heard).toMatchObject([
    { controller: 'widgets', key: 'web/a', outcome: 'success', attempt: 1, writes: [{ verb: 'apply' }] },
  ]);
});

test('CTR-41: events of a run are stored, and a stop waits for them', async () => {
  const { lab, operator } = await rig({ reconcile: ({ event }) => event.normal('Seen', 'it was looked at') });
  const slow = lab.server.faults.add({
    match: { resource: 'events' },
    at: 'start',
    do: { delay: { ms: 2_000 } },
    times: 1,
  });
  await lab.user.apply(widget('a'));
  await slow.hit;
  const stopped = operator.stop();
  const stored = (): unknown =>
    lab.list('events.k8s.io/v1/events').map(({ reason, regarding }) => [reason, regarding?.name]);
  await lab.env.clock.advance(1_000);
  expect([operator.state.kind, stored()]).toEqual(['stopping', []]);
  await lab.env.clock.advance(1_000);
  await stopped;
  expect(stored()).toEqual([['Seen', 'a']]);
});

test('CTR-58: keys outside the scope do not run', async () => {
  const ran: string[] = [];
  const { lab } = await rig({
    scope: { holds: (key) => key !== 'web/b' },
    reconcile: ({ name }) => void ran.push(name),
  });
  await lab.user.apply(widget('a'));
  await lab.user.apply(widget('b'));
  await lab.settled();
  await lab.user.patch(WIDGETS, 'web/b', { spec: { size: 1 } });
  await lab.settled();
  expect(ran).toEqual(['a']);
});

test('CTR-58: a run whose key leaves the scope writes nothing more, and a scope that throws lets keys run and writes fail', async () => {
  let holds = (): boolean => true;
  const refused: unknown[] = [];
  const { lab, outcomes } = await rig({
    scope: { holds: () => holds() },
    retry: { initialMs: 3_600_000, maxMs: 3_600_000 },
    async reconcile({ patch }) {
      await patch({ metadata: { annotations: { first: 'yes' } } }).catch((error: unknown) => refused.push(error));
      holds = () => false;
      await patch({ metadata: { annotations: { second: 'yes' } } }).catch((error: unknown) => refused.push(error));
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  const annotations = (): unknown => lab.get<KubeObject>(WIDGETS, KEY)?.metadata?.annotations;
  expect([refused.map((error) => hasCode(error, 'LEASE_LOST')), annotations()]).toEqual([[true], { first: 'yes' }]);
  holds = () => {
    throw new Error('no answer');
  };
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 2 } });
  await lab.settled();
  expect([outcomes(KEY).length, refused.length, annotations()]).toEqual([2, 3, { first: 'yes' }]);
});

test('CTR-04: workers begin when the caches of all declared resources are complete', async () => {
  const seen: number[] = [];
  const maps = Array.from({ length: 50 }, (_, n) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `map-${n}`, namespace: 'web' },
  }));
  await rig(
    { owns: ['v1/configmaps'], reconcile: ({ list }) => void seen.push(list('v1/configmaps').length) },
    { lab: { objects: [widget('a'), widget('b'), ...maps] } },
  );
  expect(seen).toEqual([50, 50]);
});

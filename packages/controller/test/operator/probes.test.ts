import { promMetrics } from 'kube-informer/prometheus';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { controller, type Operator } from '../../src/index.ts';
import type { ControllerRun } from '../../src/operator/controller-run.ts';
import { operatorHealth } from '../../src/operator/operator-health.ts';
import { MappingFaults } from '../../src/sources/mapping-faults.ts';
import { startLab } from '../../src/testing/lab.ts';
import { definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

function ask(operator: Operator, url: string): { readonly status: number; readonly text: string } {
  let [status, text] = [0, ''];
  operator.probes()({ url }, { writeHead: (code) => (status = code), end: (body = '') => (text = body) });
  return { status, text };
}

test('CTR-51: more hung runs than workers fail /livez, which names the last request of one', async () => {
  const { lab, operator } = await rig({
    concurrency: 1,
    timeoutMs: 1_000,
    async reconcile({ client, key }) {
      await client.resource<Widget>(WIDGETS).get(key);
      await new Promise(() => {});
    },
  });
  await lab.user.apply(widget('a'));
  await expect.poll(() => operator.why('widgets', 'web/a').sentence).toContain('last request: get');
  await lab.env.clock.advance(12_000);
  expect([operator.health().controllers[0]?.hung, ask(operator, '/livez').status]).toEqual([1, 200]);
  await lab.user.apply(widget('b'));
  await expect.poll(() => operator.why('widgets', 'web/b').sentence).toContain('last request: get');
  await lab.env.clock.advance(12_000);
  expect(ask(operator, '/livez')).toEqual({
    status: 503,
    text: `controller widgets has 2 hung runs; the last request of one: get ${WIDGETS} web/a\n`,
  });
});

test('CTR-51: a lease that cannot be read for a minute fails /readyz; an elector that hangs fails /livez', async () => {
  const { lab, operator } = await rig({ reconcile() {} }, { run: { election: 'ops/widgets' } });
  expect(ask(operator, '/readyz').status).toBe(200);
  lab.env.clock.freeze(35_001); // the elector has had no turn to find out
  expect(ask(operator, '/livez')).toEqual({ status: 503, text: 'the lease is overdue: last renewed 35 s ago\n' });
  await lab.advance(30_000);
  expect([ask(operator, '/livez').status, ask(operator, '/readyz').status]).toEqual([200, 200]);
  lab.server.faults.failRequests({ match: { resource: 'leases' }, status: 503, times: Infinity });
  await lab.advance(55_000);
  expect(ask(operator, '/readyz').status).toBe(200);
  await lab.advance(10_000);
  expect(ask(operator, '/readyz')).toEqual({
    status: 503,
    text: expect.stringMatching(/^the lease was last read 6\d s ago\n$/),
  });
  expect(ask(operator, '/livez').status).toBe(200);
});

test('CTR-51: a key that is ready for ten minutes while a worker is idle fails /livez', () => {
  const live = (oldestReadyMs: number, activeWorkers: number): boolean => {
    const queue = { oldestReadyMs, size: 1, waiting: 0, running: 0, held: 0 };
    const run = {
      name: 'widgets',
      state: { kind: 'leading' },
      definition: { cluster: { isClosed: false }, options: { concurrency: 2 }, faults: new MappingFaults() },
      queue,
      activeWorkers,
      keys: { terminal: () => [] },
    };
    const about = { isEnded: false, wallNow: 0, missing: [], election: undefined };
    return operatorHealth([run as unknown as ControllerRun], about).live;
  };
  expect([live(600_001, 1), live(600_000, 1), live(600_001, 2)]).toEqual([false, true, true]);
});

test('CTR-03: a cache that is not filled after 120 s is named in health, and the operator is not ready', async () => {
  const lab = await startLab({ definitions: [definition()] });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  lab.server.faults.failRequests({ match: { resource: 'configmaps' }, status: 503, times: Infinity });
  const operator = lab.run([
    controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', owns: ['v1/configmaps'], reconcile() {} }),
  ]);
  const reasons = async (): Promise<string> => {
    await lab.env.clock.advance(500);
    return operator.health().reasons.join();
  };
  await expect
    .poll(reasons, { interval: 5 })
    .toMatch(/^controller widgets has not started: caches fill \(v1\/configmaps.*\)$/);
  await expect
    .poll(reasons, { interval: 1, timeout: 20_000 })
    .toMatch(/^controller widgets has not started: caches fill \(v1\/configmaps: .+\), for more than 120 s$/);
  expect(ask(operator, '/readyz').status).toBe(503);
  expect(ask(operator, '/livez').status).toBe(200);
});

test('CTR-50: every metric that a dashboard of controller-runtime reads exists before anything happens', async () => {
  const register = new Registry();
  const metrics = promMetrics({ Counter, Gauge, Histogram, register } as never);
  await rig({ reconcile() {} }, { run: { metrics, election: 'ops/widgets' } });
  const text = await register.metrics();
  const names = (prefix: string, all: string): string[] => all.split(' ').map((name) => `${prefix}_${name}`);
  const expected = [
    ...names('workqueue', 'depth adds_total queue_duration_seconds work_duration_seconds unfinished_work_seconds longest_running_processor_seconds retries_total'),
    ...names('controller_runtime', 'reconcile_total reconcile_errors_total terminal_reconcile_errors_total reconcile_panics_total reconcile_timeouts_total reconcile_time_seconds max_concurrent_reconciles active_workers client_consistency_wait_duration_seconds'),
    ...names('leader_election', 'master_status slowpath_total'),
    ...names('kube_informer_controller', 'stale_keys hung_runs hot_loops_total fenced_writes_total unsent_applies_total events_dropped_total oldest_ready_seconds unmapped_objects mapping_errors_total contests_total'),
  ]; // prettier-ignore
  expect(expected.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
  // A histogram has no sample before the first observation; everything else is there at 0.
  const samples = (name: string): number => text.split('\n').filter((line) => line.startsWith(`${name}{`)).length;
  const histograms = expected.filter((name) => text.includes(`# TYPE ${name} histogram`));
  expect(expected.filter((name) => samples(name) === 0)).toEqual(histograms);
});

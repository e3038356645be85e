import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goProgram, whatGoLacks } from '../program.ts';
import { bounds, labelNames, readMetrics, sum } from './metric-text.ts';
import { startOurs, startTheirs } from './operators.ts';
import { type FaultScript, faultScripts } from './scripts.ts';
import { seededScript } from './seeded-scripts.ts';
import { live, type Outcome } from './world.ts';

const lacking = await whatGoLacks();
if (lacking !== undefined) console.warn(`\nSKIPPED: an operator next to one of controller-runtime: ${lacking}\n`);

/** Seeded scripts; with those written by hand there are 60. */
const SEEDS = 39;

const COUNTS = [
  'workqueue_adds_total',
  'workqueue_retries_total',
  'workqueue_queue_duration_seconds_count',
  'workqueue_work_duration_seconds_count',
  'controller_runtime_reconcile_total',
];

describe.skipIf(lacking !== undefined)('one operator here and with controller-runtime', () => {
  let program: string;
  beforeAll(async () => {
    program = await goProgram();
  }, 1_800_000);

  const results: { script: string; ours: Cost; theirs: Cost }[] = [];
  const RESULTS = process.env['OPERATORS_RESULTS'];
  afterAll(() => {
    if (RESULTS !== undefined) writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  });

  for (const script of [...faultScripts, ...Array.from({ length: SEEDS }, (_, at) => seededScript(at + 1))])
    test(`V03 ${script.name}: the same objects at the end`, async () => {
      const [ours, theirs] = await Promise.all([live(startOurs, script), live(startTheirs(program), script)]);
      expect(ours.objects).toEqual(theirs.objects);
      console.log(`${script.name}: ${ours.seconds.toFixed(1)} s here, ${theirs.seconds.toFixed(1)} s there`);
      results.push({ script: script.name, ours: cost(ours), theirs: cost(theirs) });
    });

  test('V04 the metrics of queue and runs have the names, labels and meaning of controller-runtime', async () => {
    // With failures: the counters of errors and retries must count.
    const script = faultScripts.find(({ name }) => name === 'applies of children fail with 500') as FaultScript;
    const [ours, theirs] = await Promise.all([live(startOurs, script), live(startTheirs(program), script)]);
    const [here, there] = [readMetrics(ours.metrics), readMetrics(theirs.metrics)];
    // Webhooks and the REST client of Go have no counterpart.
    const names = [...there.keys()].filter((name) =>
      /^(workqueue|controller_runtime_(?!webhook|conversion_webhook|client))/.test(name),
    );
    expect(names.length).toBeGreaterThan(15);
    expect([...here.keys()]).toEqual(expect.arrayContaining(names));
    for (const name of names) {
      const [our = new Map(), their = new Map()] = [here.get(name), there.get(name)];
      expect([name, labelNames(our).toSorted()]).toEqual([name, labelNames(their).toSorted()]);
      expect([name, bounds(our)]).toEqual([name, bounds(their)]);
    }
    for (const metrics of [here, there]) {
      expect(sum(metrics, 'controller_runtime_max_concurrent_reconciles')).toBe(4);
      expect(sum(metrics, 'workqueue_depth')).toBe(0);
      const runs = sum(metrics, 'controller_runtime_reconcile_total');
      const failed = sum(metrics, 'controller_runtime_reconcile_total', 'result="error"');
      expect(sum(metrics, 'controller_runtime_reconcile_errors_total')).toBe(failed);
      expect(failed).toBeGreaterThan(0);
      expect(sum(metrics, 'workqueue_retries_total')).toBeGreaterThanOrEqual(failed);
      expect(runs).toBeGreaterThan(failed + 8);
      expect(sum(metrics, 'controller_runtime_reconcile_time_seconds_count')).toBe(runs);
      // A key of an object that is gone is a run of controller-runtime, and none here.
      expect(sum(metrics, 'workqueue_adds_total')).toBeGreaterThanOrEqual(runs);
      const worked = sum(metrics, 'workqueue_work_duration_seconds_count');
      expect(worked).toBeGreaterThanOrEqual(runs);
      // A key that was taken and is held until the caches have its writes has not been worked on yet.
      const held = sum(metrics, 'kube_informer_controller_stale_keys');
      const unworked = sum(metrics, 'workqueue_queue_duration_seconds_count') - worked - held;
      expect([0, 1]).toContain(unworked); // one may be at work while the metrics are read
    }
    for (const name of COUNTS) console.log(`${name}: ${sum(here, name)} here, ${sum(there, name)} there`);
    const runs = [here, there].map((metrics) => sum(metrics, 'controller_runtime_reconcile_total'));
    console.log(`${names.length} metrics of the same name and labels; ${runs[0]} runs here, ${runs[1]} there`);
  });
});

interface Cost {
  readonly writes: number;
  readonly requests: number;
}

const cost = ({ writes, requests }: Outcome): Cost => ({
  writes,
  requests: Object.values(requests).reduce((total, count) => total + count, 0),
});

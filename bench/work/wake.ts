import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type KubeObject } from 'kube-informer';
import { WRITTEN_AT, nameOf, namespaceOf, selectorOf } from '../data/workload.ts';
import { quantile } from '../measure/statistics.ts';
import { startController, untilQuiet } from './start-controller.ts';
import type { Work } from './work.ts';

const CHANGES = 200;
const BETWEEN_MS = 20;
const OBJECTS = 1_000;

/** The time from the event handler of an idle controller to the run that it causes. */
export const wake: Work = {
  name: 'wake',
  cases: () => [{ changes: CHANGES }],
  takes: ({ role }) => role === 'controller',
  async measure({ rig, objects }, contestant) {
    const { kubeconfig } = await rig.server();
    const size = Math.min(objects, OBJECTS);
    await using started = await startController(contestant, kubeconfig, { selector: selectorOf('friendly', size) });
    await untilQuiet(started, size);
    await started.process.ask({ do: 'expect', events: CHANGES });
    const [done] = await Promise.all([started.process.next(), changeWidgets(kubeconfig)]);
    const latencies = (done.latenciesUs ?? []).toSorted((a, b) => a - b);
    return { p50Ms: quantile(latencies, 0.5) / 1_000, p99Ms: quantile(latencies, 0.99) / 1_000 };
  },
};

async function changeWidgets(kubeconfigFile: string): Promise<void> {
  await using cluster = await Cluster.connect({ kubeconfigFile });
  const widgets = cluster.resource<KubeObject>('bench.example.com/v1/widgets');
  for (let i = 0; i < CHANGES; i += 1) {
    const at = String(Math.round((performance.timeOrigin + performance.now()) * 1_000));
    const key = `${namespaceOf(i)}/${nameOf('friendly', i)}`;
    await widgets.patch(key, { metadata: { annotations: { [WRITTEN_AT]: at } } });
    await sleep(BETWEEN_MS);
  }
}

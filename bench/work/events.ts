import { Cluster } from 'kube-informer';
import { nameOf, namespaceOf, selectorOf } from '../data/workload.ts';
import { quantile } from '../measure/statistics.ts';
import { WRITTEN_AT } from '../contestants/node/protocol.ts';
import { isCache, startContestant, type Work } from './work.ts';

/** Sent before measuring: compilers and connections are warm then. */
const WARM_UP = 2_000;
const EVENTS = 20_000;
const LATENCY_SECONDS = 5;

/** Events at full speed, from recorded bytes: what one costs, and how many a second are possible. */
export const events: Work = {
  name: 'events',
  cases: ({ isQuick }) => (isQuick ? [{ read: 'key' }] : [{ read: 'key' }, { read: 'phase' }]),
  takes: ({ role, resources }) => role === 'cache' && resources.includes('pods'),
  async measure({ rig }, contestant, one) {
    const replay = await rig.replay();
    const read = one['read'] as 'key' | 'phase';
    await using started = await startContestant(contestant, replay.kubeconfig, { selector: '', read });
    const { contestant: running } = started;
    const send = async (events: number): Promise<{ cpuUs: number; ms: number }> => {
      const armed = await running.ask({ do: 'expect', events });
      const began = performance.now();
      const [done] = await Promise.all([running.next(), replay.do({ do: 'change', events })]);
      return { cpuUs: done.cpuUs - armed.cpuUs, ms: performance.now() - began };
    };
    await send(WARM_UP);
    const { cpuUs, ms } = await send(EVENTS);
    return { cpuUsPerEvent: cpuUs / EVENTS, eventsPerSecond: (EVENTS / ms) * 1_000 };
  },
};

/** The way of a change from its write to the handler, on the real server, at two rates. */
export const latency: Work = {
  name: 'latency',
  cases: () => [{ perSecond: 100 }, { perSecond: 1_000 }],
  takes: isCache,
  async measure({ rig, objects }, contestant, one) {
    const { kubeconfig } = await rig.server();
    const perSecond = one['perSecond'] as number;
    const total = perSecond * LATENCY_SECONDS;
    await using started = await startContestant(contestant, kubeconfig, { selector: selectorOf('friendly', objects) });
    const { contestant: running } = started;
    const armed = await running.ask({ do: 'expect', events: total, latency: true });
    const [done, reachedPerSecond] = await Promise.all([
      running.next(),
      writeChanges(kubeconfig, Math.min(objects, 500), total, perSecond),
    ]);
    const latencies = (done.latenciesUs ?? []).toSorted((a, b) => a - b);
    return {
      p50Ms: quantile(latencies, 0.5) / 1_000,
      p99Ms: quantile(latencies, 0.99) / 1_000,
      reachedPerSecond,
      cpuUsPerEvent: (done.cpuUs - armed.cpuUs) / total,
    };
  },
};

/** Writes the time into pods in turn, at a rate; returns the rate that was reached. */
async function writeChanges(kubeconfigFile: string, pods: number, total: number, perSecond: number): Promise<number> {
  await using cluster = await Cluster.connect({ kubeconfigFile });
  const client = cluster.resource('v1/pods');
  const began = performance.now();
  const writes: Promise<unknown>[] = [];
  for (let i = 0; i < total;) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) * perSecond) / 1_000));
    for (; i < due; i += 1) {
      const key = `${namespaceOf(i % pods)}/${nameOf('friendly', i % pods)}`;
      const at = String(Math.round((performance.timeOrigin + performance.now()) * 1_000));
      writes.push(client.patch(key, { metadata: { annotations: { [WRITTEN_AT]: at } } }));
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(writes);
  return (total / (performance.now() - began)) * 1_000;
}

import { quantile } from '../measure/statistics.ts';
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

/** The way of a change from the server to the handler, at two rates. */
export const latency: Work = {
  name: 'latency',
  cases: () => [{ perSecond: 100 }, { perSecond: 1_000 }],
  takes: isCache,
  async measure({ rig }, contestant, one) {
    // On two cores kube-apiserver writes some 80 pods a second, and its own waits would be all that is seen.
    const replay = await rig.replay();
    const perSecond = one['perSecond'] as number;
    const events = perSecond * LATENCY_SECONDS;
    await using started = await startContestant(contestant, replay.kubeconfig, { selector: '' });
    const { contestant: running } = started;
    const armed = await running.ask({ do: 'expect', events, latency: true });
    const [done] = await Promise.all([running.next(), replay.do({ do: 'change', events, perSecond })]);
    const latencies = (done.latenciesUs ?? []).toSorted((a, b) => a - b);
    return {
      p50Ms: quantile(latencies, 0.5) / 1_000,
      p99Ms: quantile(latencies, 0.99) / 1_000,
      cpuUsPerEvent: (done.cpuUs - armed.cpuUs) / events,
    };
  },
};

import { setTimeout as sleep } from 'node:timers/promises';
import { namespaceOf, selectorOf } from '../data/workload.ts';
import { isCache, startContestant, type Work } from './work.ts';

const IDLE_SECONDS = 5;

/** Several informers, several handlers: what they take to sync, what they hold, and what they cost when nothing happens. */
export const informers: Work = {
  name: 'informers',
  cases: () => [
    { informers: 1, handlers: 1 },
    { informers: 10, handlers: 1 },
    { informers: 50, handlers: 1 },
    { informers: 1, handlers: 10 },
    { informers: 1, handlers: 100 },
  ],
  takes: isCache,
  async measure({ rig, objects }, contestant, one) {
    const { kubeconfig } = await rig.server();
    const count = one['informers'] as number;
    const namespaces = count === 1 ? [''] : Array.from({ length: count }, (_, i) => namespaceOf(i));
    const selector = selectorOf('friendly', objects);
    const handlers = one['handlers'] as number;
    await using started = await startContestant(contestant, kubeconfig, { selector, namespaces, handlers });
    const { contestant: running, sync, emptyBytes } = started;
    await sleep(1_000);
    const before = await running.ask({ do: 'gc' });
    await sleep(IDLE_SECONDS * 1_000);
    const after = await running.ask({ do: 'tell' });
    return {
      cpuMs: sync['cpuMs'] as number,
      heldBytes: (before.heapBytes ?? 0) - emptyBytes,
      idleMsPerSecond: (after.cpuUs - before.cpuUs) / 1_000 / IDLE_SECONDS,
    };
  },
};

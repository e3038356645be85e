import { setTimeout as sleep } from 'node:timers/promises';
import { selectorOf } from '../data/workload.ts';
import { startController, untilQuiet } from './start-controller.ts';
import type { Work } from './work.ts';

const WARM_WITHIN_MS = 120_000;
const POLL_MS = 50;
/** A warm standby may still have work of its start to do. */
const SETTLE_MS = 2_000;

let leases = 0;

/** A warm standby gets the lease: from that moment to its first run. */
export const takeover: Work = {
  name: 'takeover',
  cases: ({ objects }) => [{ objects }],
  takes: ({ role }) => role === 'controller',
  async measure({ rig }, contestant, one) {
    const { kubeconfig } = await rig.server();
    const objects = one['objects'] as number;
    leases += 1;
    const options = {
      selector: selectorOf('friendly', objects),
      election: `bench-0/takeover-${process.pid}-${leases}`,
    };
    await using leader = await startController(contestant, kubeconfig, options);
    await untilQuiet(leader, objects);
    await using standby = await startController(contestant, kubeconfig, options);
    const until = async (isSo: (answer: Awaited<ReturnType<typeof tell>>) => boolean): ReturnType<typeof tell> => {
      const deadline = performance.now() + WARM_WITHIN_MS;
      for (;;) {
        const told = await tell();
        if (isSo(told)) return told;
        if (performance.now() > deadline) throw new Error(`${contestant.name} did not take over`);
        await sleep(POLL_MS);
      }
    };
    const tell = () => standby.process.ask({ do: 'tell' });
    await until(({ warm }) => warm === true);
    await sleep(SETTLE_MS);
    await leader.process.ask({ do: 'stop' });
    const { firstRunMs = 0, firstRunCpuMs = 0 } = await until(({ firstRunMs: ms }) => ms !== undefined);
    return { firstRunMs, firstRunCpuMs };
  },
};

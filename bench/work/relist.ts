import { setTimeout as sleep } from 'node:timers/promises';
import { isCache, startContestant, type Work } from './work.ts';

/** Clients wait before they list again, some of them for several seconds. */
const RELIST_WITHIN_MS = 8_000;

/** A relist of unchanged objects after 410: what it costs, how far memory rises, and how many objects handlers receive. */
export const relist: Work = {
  name: 'relist',
  cases: ({ objects }) => [{ objects }],
  takes: isCache,
  async measure({ rig }, contestant) {
    const replay = await rig.replay();
    await using started = await startContestant(contestant, replay.kubeconfig, { selector: '' });
    const { contestant: running } = started;
    await running.ask({ do: 'gc' });
    await sleep(1_000);
    const before = await running.ask({ do: 'tell' });
    const steady = running.residentBytes;
    running.resetPeak();
    await replay.do({ do: 'expire' });
    await sleep(RELIST_WITHIN_MS);
    const after = await running.ask({ do: 'tell' });
    return {
      cpuMs: (after.cpuUs - before.cpuUs) / 1_000,
      peakOverSteady: running.peakBytes / steady,
      notifications: (after.notifications ?? 0) - (before.notifications ?? 0),
    };
  },
};

import { setTimeout as sleep } from 'node:timers/promises';
import { isOurs, startContestant, type Work } from './work.ts';

/** Clients wait before they list again, some of them for several seconds. */
const RELIST_WITHIN_MS = 8_000;

/** A relist of unchanged objects after 410: what it costs, how far memory rises, and how many objects handlers are told about. */
export const relist: Work = {
  name: 'relist',
  cases: ({ objects }) => [{ objects }],
  takes: isOurs,
  async measure({ replay }, contestant) {
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

/** Many updates of the same objects: what is held in the end, and how long a full garbage collection takes. */
export const churn: Work = {
  name: 'churn',
  cases: ({ churn: events }) => [{ events }],
  takes: isOurs,
  async measure({ replay }, contestant, one) {
    const events = one['events'] as number;
    await using started = await startContestant(contestant, replay.kubeconfig, { selector: '' });
    const { contestant: running, emptyBytes } = started;
    const first = await running.ask({ do: 'gc' });
    await running.ask({ do: 'expect', events });
    await Promise.all([running.next(), replay.do({ do: 'change', events })]);
    await sleep(1_000);
    const { heapBytes = 0, gcMs = 0 } = await running.ask({ do: 'gc' });
    const held = heapBytes - emptyBytes;
    return {
      heldBytes: held,
      heldOverFirst: held / ((first.heapBytes ?? 0) - emptyBytes),
      gcMs,
      residentBytes: running.residentBytes,
    };
  },
};

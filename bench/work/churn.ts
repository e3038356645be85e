import { setTimeout as sleep } from 'node:timers/promises';
import { startContestant, type Work } from './work.ts';

/** A contestant that is slower than this has stopped. */
const MAX_MS_PER_EVENT = 3;

/** Many updates of the same objects: what is held in the end, and how long a full garbage collection takes. */
export const churn: Work = {
  name: 'churn',
  cases: ({ churn: events }) => [{ events }],
  // One run takes minutes, and memory is the same in all.
  maxRounds: 1,
  takes: ({ role, isMain }) => role === 'cache' && isMain,
  async measure({ rig }, contestant, one) {
    const replay = await rig.replay();
    const events = one['events'] as number;
    await using started = await startContestant(contestant, replay.kubeconfig, { selector: '' });
    const { contestant: running, emptyBytes } = started;
    const first = await running.ask({ do: 'gc' });
    await running.ask({ do: 'expect', events });
    await Promise.all([running.next(events * MAX_MS_PER_EVENT), replay.do({ do: 'change', events })]);
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

import { ContestantProcess } from '../measure/contestant-process.ts';
import type { Work } from './work.ts';

const KEYS = 100_000;

/** The queue of a controller alone, with metrics: CPU for a key that is added, taken and done, and the bytes it holds. */
export const queue: Work = {
  name: 'queue',
  cases: () => [{ keys: KEYS }],
  takes: ({ role }) => role === 'queue',
  async measure(_, contestant, one) {
    await using running = new ContestantProcess(contestant.program('watch-list'), '');
    await running.next();
    const keys = one['keys'] as number;
    const {
      queueUs = 0,
      readyBytes = 0,
      delayedBytes = 0,
    } = await running.ask({
      do: 'queue',
      form: contestant.form,
      keys,
    });
    return { queueUs, readyBytes, delayedBytes };
  },
};

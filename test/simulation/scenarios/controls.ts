import { NEVER, type Setup } from '../world/setup.ts';
import { repeatedly, type Scenario, type Stage } from './scenario.ts';

/** A watch lives five to ten minutes, and each is followed by one echo. */
const REOPENED_PER_HOUR = 2 * 9;
/** Bookmarks date themselves from the second on; after a burst of writes of other resources one is asked about. */
const STEADY_PER_HOUR = REOPENED_PER_HOUR + 2;
/** A bookmark of a replica that is two seconds behind may not date itself: now and then a witness, both requests of it. */
const UNEQUAL_PER_HOUR = STEADY_PER_HOUR + 6;
/** Where writes are not even, a question before each bookmark: one a minute, and one more before the last of a watch. */
const UNEVEN_PER_HOUR = REOPENED_PER_HOUR + 66;
/** Where nothing is written, bookmarks do not come, and each question is answered by itself. */
const QUIET_PER_HOUR = REOPENED_PER_HOUR + 57;
/** Where there are no bookmarks, both requests of a witness; two more each until that is known. */
const BOOKMARKLESS_PER_HOUR = REOPENED_PER_HOUR + 132;
/** Where bookmarks stand still, a question before each, a short watch after it, and again if it came to another of up to three replicas. */
const STANDING_PER_HOUR = REOPENED_PER_HOUR + 190;

/** Nothing is wrong: the informer stays synced, and does not pay for its doubts. */
export const CONTROLS: readonly Scenario[] = [
  control('healthy', 'leases are renewed, bookmarks, progress notify', STEADY_PER_HOUR, { othersEvenly: true }),
  control('healthy-uneven', 'other resources are written now and then', UNEVEN_PER_HOUR),
  control('healthy-quiet', 'nothing is written anywhere', QUIET_PER_HOUR, {
    writeEveryMs: NEVER,
    othersEveryMs: NEVER,
  }),
  control('healthy-no-progress', 'no progress notify', STANDING_PER_HOUR, {
    progressNotify: false,
  }),
  control('healthy-no-bookmarks', 'no bookmarks', BOOKMARKLESS_PER_HOUR, { bookmarks: false }),
  control(
    'healthy-unequal',
    'replicas that are up to two seconds apart',
    UNEQUAL_PER_HOUR,
    { replicas: 3, othersEvenly: true },
    (stage) => {
      const { world, dice } = stage;
      repeatedly(stage, [1_000, 8_000], () => world.lag(dice.pick(world.replicas), dice.magnitude(100, 2_000)));
    },
  ),
];

function control(
  name: string,
  about: string,
  requestsPerHour: number,
  setup: Partial<Setup> = {},
  begin: (stage: Stage) => void = () => {},
): Scenario {
  return {
    name,
    about: `nothing is wrong: ${about}`,
    setup: (dice) => ({
      bookmarks: true,
      watchLifeMs: NEVER,
      writeEveryMs: dice.magnitude(20_000, 600_000),
      othersEveryMs: 4_000,
      hiccups: 0,
      window: 400,
      ...setup,
    }),
    begin,
    minutes: 65,
    alone: true,
    expects: { healthy: true, requestsPerHour },
  };
}

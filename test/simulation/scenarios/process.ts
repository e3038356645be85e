import { repeatedly, type Scenario, type Stage } from './scenario.ts';

const HOUR = 3_600_000;

/** Cases e and f: the process itself. */
export const PROCESS: readonly Scenario[] = [
  {
    name: 'block-hangs',
    about: "a handler with policy 'block' never returns",
    setup: (dice) => ({
      writeEveryMs: 1_500,
      removeAtMs: undefined,
      joinAtMs: 1e9,
      handlers: [
        { temper: 'recording', options: { name: 'recording', policy: 'coalesce', limit: 1_024 } },
        { temper: 'stuck', options: { name: 'stuck', policy: 'block', limit: dice.whole(1, 12) } },
      ],
    }),
    begin: ({ world }) => world.path.strike('a handler hangs'),
    expects: { maxLagMs: undefined },
  },
  {
    name: 'suspend',
    about: 'the machine sleeps for up to eight hours: its monotonic clock and its timers stand still',
    setup: (dice) => ({ bootClock: dice.chance(0.7) }),
    begin: (stage) => {
      const { clock, dice } = stage;
      clock.after(dice.between(20_000, 300_000), () => sleep(stage, 8 * HOUR));
      repeatedly(stage, [60_000, 400_000], () => sleep(stage, dice.magnitude(20_000, 8 * HOUR)));
    },
    expects: {},
  },
  {
    name: 'wall-clock',
    about: 'the wall clock is set by up to an hour, forward and back',
    setup: () => ({ bootClock: true }),
    begin: setWallClock,
    alone: true,
    expects: { healthy: true },
  },
  {
    name: 'wall-clock-only',
    about: 'the wall clock is set, on a platform without a boot clock',
    setup: () => ({ bootClock: false }),
    begin: setWallClock,
    expects: {},
  },
  {
    name: 'loop-blocked',
    about: 'the event loop is blocked for 30 seconds and more, again and again',
    begin: (stage) => {
      const { clock, dice, world, workload } = stage;
      repeatedly(stage, [20_000, 180_000], () => {
        world.path.strike('the event loop is blocked');
        clock.freeze(dice.pick([30_000, 30_000, 100_000]), () => workload.write(dice.whole(1, 10)));
      });
    },
    expects: {},
  },
];

/** Connections do not survive: packets of the others are lost, and after a long sleep they have given up. */
function sleep({ clock, dice, world, workload }: Stage, ms: number): void {
  world.path.strike(`the machine sleeps for ${Math.round(ms / 1_000)} s`);
  const dead = dice.chance(0.6);
  if (dead) for (const stream of world.streams) stream.fallSilent('the sleep');
  clock.suspend(ms, () => workload.write(dice.whole(1, 20)));
  if (!dead) world.reconnect();
}

function setWallClock(stage: Stage): void {
  const { clock, dice, world } = stage;
  repeatedly(stage, [20_000, 120_000], () => {
    world.path.strike('the wall clock is set');
    clock.setWall(dice.pick([HOUR, -HOUR, 40_000, -40_000]));
  });
}

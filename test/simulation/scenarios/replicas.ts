import type { Replica } from '../world/replica.ts';
import type { Scenario, Stage } from './scenario.ts';

/** Without echoes a replica that stands still looks like one with nothing to say. */
const WITH_ECHO: Scenario['setup'] = (dice) => ({
  replicas: 2,
  othersEveryMs: 3_000,
  othersEvenly: dice.chance(0.5),
  bookmarks: true,
  watchList: true,
});

/** Case b: a replica that does not know what happened since. */
export const REPLICAS: readonly Scenario[] = [
  {
    name: 'replica-behind',
    about: 'the copy of one replica stops following the storage for minutes; watches beyond it are silent',
    setup: WITH_ECHO,
    begin: (stage) => {
      const { world, dice } = stage;
      const behind = last(stage);
      if (dice.chance(0.5)) world.path.add({ oldBookmarks: true });
      world.path.add({ route: (role) => (role === 'long' && dice.chance(0.7) ? behind : undefined) });
      inTurns(stage, (on) => void (behind.lagging = on));
    },
    // Every try to watch may meet the same replica again.
    expects: { maxLagMs: 240_000, spread: true },
  },
  {
    name: 'replica-cut-off',
    about: 'one replica has lost the storage: still bookmarks, old lists, and no response to what needs the storage',
    setup: WITH_ECHO,
    begin: (stage) => {
      const { world, dice } = stage;
      const frozen = last(stage);
      // Behind one address that keeps a client where it is, or behind one that spreads its requests.
      const sticky = dice.chance(0.5);
      world.path.add({ route: () => (sticky || dice.chance(0.5) ? frozen : undefined) });
      inTurns(stage, (on) => void (frozen.cutOff = on));
    },
    expects: { maxLagMs: undefined, spread: true },
  },
];

function last({ world }: Stage): Replica {
  return world.replicas.at(-1) as Replica;
}

/** Minutes with the fault and minutes without it, so that streams are opened before, in and after it. */
function inTurns(stage: Stage, turn: (on: boolean) => void): void {
  const { world, clock, dice } = stage;
  const flip = (on: boolean): void => {
    if (world.parts.swarm.isHealthy) return;
    turn(on);
    world.path.strike(on ? 'a replica stands still' : 'the replica follows again');
    if (!on) world.follow();
    // Some streams stay where they are; others are reopened when the client is already ahead of that replica.
    if (on && dice.chance(0.6)) clock.after(dice.between(5_000, 30_000), () => world.reconnect());
    clock.after(on ? dice.magnitude(120_000, 400_000) : dice.magnitude(20_000, 120_000), () => flip(!on));
  };
  clock.after(dice.between(1_000, 60_000), () => flip(true));
}

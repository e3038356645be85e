import type { Replica } from '../world/replica.ts';
import { NEVER } from '../world/setup.ts';
import type { Scenario, Stage } from './scenario.ts';

/** Setup with echoes: without them a stale replica looks like one without changes. */
const WITH_ECHO: Scenario['setup'] = (dice) => ({
  replicas: 2,
  othersEveryMs: 3_000,
  othersEvenly: dice.chance(0.5),
  bookmarks: true,
  watchList: true,
});

/** 75 s, and a bookmark more. */
const ODD_LAG_MS = 135_000;

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
  {
    name: 'replica-cut-off-oddly',
    about: 'the only replica loses the storage just after the writes of a whole minute came at once',
    setup: () => ({
      replicas: 1,
      othersEveryMs: 4_000,
      othersEvenly: true,
      writeEveryMs: NEVER,
      bookmarks: true,
      watchList: true,
      hiccups: 0,
    }),
    begin: oddMinutes,
    minutes: 40,
    alone: true,
    expects: { maxLagMs: undefined, spread: true, maxSyncedLagMs: ODD_LAG_MS },
  },
];

/**
 * Its next bookmark is what an even minute would have brought, so that it dates itself, and nothing in it tells otherwise: the
 * bookmark after it does, a minute later (`odd-minute.test.ts` says why that is the best for this number of requests).
 */
function oddMinutes(stage: Stage): void {
  const { world, clock, workload, dice } = stage;
  const only = last(stage);
  let nextAt = clock.now() + 240_000;
  const strike = (): void => {
    // 10 writes every 4 s; some come by themselves before the storage is lost.
    world.skip(dice.whole(140, 148));
    clock.after(dice.between(500, 3_000), () => {
      if (world.parts.swarm.isHealthy) return;
      only.cutOff = true;
      world.path.strike('the replica has lost its storage, in an odd minute');
      workload.write(3);
    });
    clock.after(200_000, () => {
      only.cutOff = false;
      world.follow();
    });
  };
  world.path.add({
    rewriteFrame: (frame) => {
      if (frame.type === 'BOOKMARK' && clock.now() >= nextAt) {
        nextAt = clock.now() + 500_000;
        clock.after(dice.between(10, 500), strike);
      }
      return frame;
    },
  });
}

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

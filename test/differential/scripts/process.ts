import type { Script } from '../script.ts';
import type { World } from '../world.ts';
import { changes } from './parts.ts';
import { TRIES_TO_GO_ON } from './reasons.ts';

const CANNOT_SAY = 'G16: nothing tells how old the cache is: HasSynced stays true';
const HOUR_MS = 3_600_000;
/** Time of a suspend: longer than the interval at which an open stream is checked. */
const SUSPENDED_MS = 14_000;
/** A process that was suspended knows it from its clocks, without a request. */
const WOKEN_WITHIN_MS = 2_000;
/** G19: a change that has waited for 10 s to be applied, or 5 s without a stream. */
const TOLD_WITHIN_MS = 20_000;
const MORE_THAN_A_QUEUE = 40;

/** Waits until the client reports that its cache is stale. */
async function admits(world: World, withinMs: number): Promise<void> {
  const { subject } = world;
  if (subject.isBehind === undefined)
    return world.claim('told', 'the cache is behind, and the client has no way to say so', false);
  await world.until('it says that its cache is behind', () => subject.isBehind === true, 'told', withinMs);
}

/** Faults of the client's own process: it is stopped, its clock is moved, its user's code hangs. */
export const processes: readonly Script[] = [
  {
    name: 'process-suspended',
    faults: ['F64'],
    guarantees: ['G16', 'G19'],
    title: 'the process is stopped for 14 s and nothing arrives when it goes on: it says at once that its cache is old',
    ownProcess: true,
    resumes: true,
    withinMs: 60_000,
    clientGo: { breaks: { told: CANNOT_SAY } },
    play: async (world) => {
      await world.ready();
      world.front.hold();
      world.front.turn('stalled');
      changes(world);
      await world.subject.suspend?.(SUSPENDED_MS);
      await admits(world, WOKEN_WITHIN_MS);
      world.front.turn('open');
      world.front.cut();
    },
  },
  {
    name: 'process-suspended-and-history-lost',
    faults: ['F21', 'F64'],
    guarantees: ['G4', 'G5'],
    title: 'while the process is stopped, the server forgets the history: deletes of that time are found by a list',
    ownProcess: true,
    withinMs: 60_000,
    moreRequests: { most: 3, because: TRIES_TO_GO_ON },
    play: async (world) => {
      await world.ready();
      world.front.hold();
      changes(world);
      world.elsewhere(3);
      world.server.history.compact();
      await world.subject.suspend?.(SUSPENDED_MS);
      world.front.cut();
    },
  },
  {
    name: 'process-wall-clock',
    faults: ['F63'],
    guarantees: ['G16', 'G19'],
    title:
      'the wall clock moves an hour forward and two back: a good cache stays good, one without a connection stays behind (client-go cannot be given another clock: its connection is lost, its clock stays)',
    notForClientNode: 'its informer compares no times, and says nothing about its age',
    resumes: true,
    withinMs: 60_000,
    clientGo: { breaks: { told: CANNOT_SAY } },
    play: async (world) => {
      await world.ready();
      const { subject } = world;
      for (const step of [HOUR_MS, -2 * HOUR_MS]) {
        subject.stepWallClock?.(step);
        await world.pause(500);
        world.update('a');
        await world.settled();
        world.claim('told', 'nothing is wrong, and it says that its cache is behind', subject.isBehind !== true);
      }
      world.front.turn('stalled');
      world.front.cut();
      changes(world);
      await admits(world, TOLD_WITHIN_MS);
      // Both directions: an age that came from the wall clock would be negative, or hours.
      for (const step of [-HOUR_MS, 2 * HOUR_MS]) {
        subject.stepWallClock?.(step);
        await world.pause(500);
        world.claim('told', 'without a connection it says that it is current', subject.isBehind !== false);
      }
      world.front.turn('open');
      world.front.cut();
    },
  },
  {
    name: 'process-handler-hangs',
    faults: ['F81'],
    guarantees: ['G16', 'G19'],
    title:
      'a second handler does not return (ours: with the policy "block"; client-go: its buffer grows): the cache is current, or says that it is not',
    hangingHandler: true,
    notForClientNode: 'it waits for no callback: one that does not return holds nothing back',
    resumes: true,
    withinMs: 60_000,
    play: async (world) => {
      await world.ready();
      world.subject.hang?.();
      for (let i = 0; i < MORE_THAN_A_QUEUE; i += 1) world.update('a');
      const { subject } = world;
      // A cache that kept up need not report staleness.
      const isHonest = (): boolean => world.isSettled || subject.isBehind === true;
      await world.until('it has everything, or says that it is behind', isHonest, 'told', TOLD_WITHIN_MS);
      subject.release?.();
      await world.settled();
      if (subject.isBehind !== undefined)
        await world.until('it says that it is current again', () => subject.isBehind === false, 'told');
    },
  },
];

import { BOUND_MS, type Script } from '../script.ts';
import type { World } from '../world.ts';
import { ALWAYS, changes, RESUME, WATCH } from './parts.ts';
import { LASTS } from './reasons.ts';

const WATCHED_FOR_MINUTES = 'G4: watches last for minutes, and what they send is believed to come at once';
const NO_WATCH_NO_CHANGE = 'G4: after the list nothing but a watch brings changes';
const SILENCE_IS_BELIEVED = 'G17: a watch that is silent is believed; the server ends it after 5 to 10 minutes';
const CANNOT_SAY = 'G16: nothing tells how old the cache is: HasSynced stays true';

/** Every watch is cut after so long, as load balancers do with idle ones: longer than a watch that failed lives. */
const CUT_AFTER_MS = 5_200;
const CUTS = 8;
/** G17: 75 s, and some slack. */
const TOLD_WITHIN_MS = 80_000;
/** Backoff after cuts that count as failures would be many times longer. */
const MAX_LATE_MS = 3_000;

/** Changes something right after each cut, and checks that it arrives soon: a quiet watch that is cut is reopened at once. */
async function changesAfterCuts(world: World, cut: { readonly count: number }): Promise<void> {
  for (let i = 1; i <= CUTS; i += 1) {
    await world.until(`cut ${i}`, () => cut.count >= i);
    // Every other watch stays quiet, so that no event hides what became of it.
    if (i % 2 === 1) continue;
    const at = performance.now();
    world.update('a');
    await world.settled();
    const late = Math.round(performance.now() - at);
    world.claim('prompt', `the change after cut ${i} arrived after ${late} ms`, late <= MAX_LATE_MS);
  }
}

/** Waits until the client reports, within the promised time, that its cache is stale. */
async function admits(world: World): Promise<void> {
  const { subject } = world;
  if (subject.isBehind !== undefined)
    await world.until('it says that its cache is behind', () => subject.isBehind === true, 'told', TOLD_WITHIN_MS);
  else world.claim('told', 'the cache is behind, and the client has no way to say so', false);
}

/** Streams that deliver nothing, or late, while everything else about the server looks well. */
export const streams: readonly Script[] = [
  {
    name: 'watch-headers-come-with-their-end',
    faults: ['F17'],
    guarantees: ['G17'],
    title: 'a proxy keeps headers and body of a watch until the watch ends, as nginx does by default',
    buffersWatches: 'with-headers',
    ours: { markerTimeoutMs: 3_000 },
    withinMs: 90_000,
    clientGo: {
      breaks: { synced: WATCHED_FOR_MINUTES, equal: WATCHED_FOR_MINUTES },
      withinMs: BOUND_MS,
    },
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'watch-headers-come-with-their-end-after-a-list',
    faults: ['F17'],
    guarantees: ['G17'],
    title: 'the same without streaming lists: the list comes, and no change after it',
    watchList: false,
    buffersWatches: 'with-headers',
    withinMs: 90_000,
    clientGo: { breaks: { equal: WATCHED_FOR_MINUTES }, withinMs: BOUND_MS },
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'watch-headers-never-come',
    faults: ['F17'],
    guarantees: ['G17'],
    title: 'no watch gets a response any more, and lists work',
    withinMs: BOUND_MS,
    clientGo: { breaks: { equal: NO_WATCH_NO_CHANGE } },
    play: async (world) => {
      await world.ready();
      world.server.faults.add({ match: WATCH, do: { hang: 'headers' }, times: ALWAYS });
      world.server.faults.cutWatches();
      changes(world);
      await world.settled();
      world.update('c');
    },
  },
  {
    name: 'silent-before-the-first-bookmark',
    faults: ['F30'],
    guarantees: ['G17'],
    resumes: true,
    title:
      'the first watch after a list is open and delivers nothing, not even one bookmark; a new watch would deliver',
    watchList: false,
    withinMs: BOUND_MS,
    clientGo: { breaks: { equal: SILENCE_IS_BELIEVED } },
    first: [{ match: WATCH, at: { event: 0 }, do: { silence: true } }],
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  ...(['rst', 'fin', 'end'] as const).map((how): Script => ({
    name: `idle-cuts-${how}`,
    faults: ['F2'],
    resumes: true,
    title: `a load balancer ends every watch after five quiet seconds (${how}): each is reopened at once, also after the eighth`,
    withinMs: 100_000,
    moreRequests: { most: 12, because: LASTS },
    play: async (world) => {
      await world.ready();
      const cut = world.server.faults.add({
        match: WATCH,
        at: { ms: CUT_AFTER_MS },
        do: how === 'end' ? { end: true } : { cut: how },
        times: CUTS,
      });
      await changesAfterCuts(world, cut);
    },
  })),
  {
    name: 'replica-with-an-older-history',
    faults: ['F30', 'F25'],
    guarantees: ['G17'],
    title: 'a resumed watch is accepted by a replica that gets no changes and is behind; other replicas are well',
    withinMs: BOUND_MS,
    server: { bookmarks: { everyMs: 2_000, tickMs: 500 } },
    clientGo: { breaks: { equal: SILENCE_IS_BELIEVED } },
    play: async (world) => {
      await world.ready();
      const replica = await world.server.addReplica({ lagMs: 3_600_000 });
      changes(world);
      await world.settled();
      world.front.leadTo(replica.url);
      const asked = world.requests.length;
      await world.until('the client watches the replica', () => world.requests.length > asked);
      await world.pause(500);
      world.front.leadTo(world.server.url, { cut: false });
      world.update('a');
    },
  },
  {
    name: 'server-cut-off-from-its-storage',
    faults: ['F30'],
    guarantees: ['G17'],
    title:
      'the server has lost its storage: bookmarks come at one old version, cached lists work, consistent ones do not; later it is replaced',
    withinMs: 240_000,
    server: { bookmarks: { everyMs: 2_000, tickMs: 500 } },
    clientGo: { breaks: { told: CANNOT_SAY } },
    before: async (world) => {
      for (const name of ['a', 'b', 'c']) world.create(name);
      const cutOff = await world.server.addReplica({ lagMs: 3_600_000, consistentReads: 'wait' });
      world.front.leadTo(cutOff.url);
    },
    play: async (world) => {
      await world.ready();
      changes(world);
      await admits(world);
      world.front.leadTo(world.server.url);
    },
  },
  {
    name: 'watches-refused-in-turn',
    faults: ['F41'],
    title: 'every watch is answered with 500, 502, 503 or 504, some as HTML, and lists work',
    withinMs: 120_000,
    moreRequests: { most: 30, because: LASTS },
    play: async (world) => {
      await world.ready();
      for (const [nth, code] of [500, 502, 503, 504].entries())
        world.server.faults.add({
          match: {
            ...RESUME,
            where: ({ query }) => !query.has('sendInitialEvents') && world.requests.length % 4 === nth,
          },
          do: { status: { code, form: nth % 2 === 0 ? 'status' : 'html' } },
          times: ALWAYS,
        });
      world.server.faults.cutWatches();
      changes(world);
      await world.settled();
      world.update('c');
    },
  },
];

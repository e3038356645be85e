import type { FaultHandle } from '@kube-informer/apiserver';
import { BOUND_MS, type Script, WIDGETS } from '../script.ts';
import type { World } from '../world.ts';
import { ALWAYS, changes, changesWhileAway, INITIAL, LIST, NEXT_PAGE, RESUME, WATCH } from './parts.ts';

const DAYS_SECONDS = 100_000_000;
const ABSURD = '9223372036854775000';
const ASKED_FOR_EVER = 'G4: the version that the server cannot parse is asked for again and again';
const PARKED = 'G22: it waits as long as it is told to, without a limit';
const NO_CHECK =
  'G3: a watch at a version the server has not reached is accepted and silent, and client-go does not check';
const NOT_ASKED_AGAIN = 'G4: a list whose pages never end is read for ever';
const NO_MINIMUM_PACE = 'G4: a body has no time limit as long as a byte comes now and then';

const tooMany = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'too many requests, please try again in three years',
  reason: 'TooManyRequests',
  details: { retryAfterSeconds: DAYS_SECONDS },
  code: 429,
} as const;

const held = (world: World, name: string): { readonly metadata: { readonly resourceVersion: string } } =>
  world.state().find((object) => (object as { metadata: { name: string } }).metadata.name === name) as never;

const nested = (depth: number): object => Array.from({ length: depth }).reduce<object>((inner) => ({ inner }), {});

/** One bad response, or one bad object, that must change nothing lasting. */
export const inputs: readonly Script[] = [
  {
    name: 'version-not-understood',
    faults: ['F25'],
    title:
      'the server cannot parse the version any more: 500 for the watch, 400 for the list; it is not asked for again',
    withinMs: 60_000,
    watchList: false,
    clientGo: { breaks: { equal: ASKED_FOR_EVER }, withinMs: BOUND_MS },
    play: async (world) => {
      await world.ready();
      const old = Number(world.server.store.revision);
      const asks = ({ query }: { query: URLSearchParams }): boolean => {
        const version = Number(query.get('resourceVersion') ?? '0');
        return version > 0 && version <= old;
      };
      world.server.faults.add({
        match: { verb: ['list', 'watch'], where: asks },
        do: { query: { resourceVersion: 'v-of-old' } },
        times: ALWAYS,
      });
      world.server.faults.cutWatches();
      changes(world);
    },
  },
  {
    name: 'continue-token-repeats',
    faults: ['F42'],
    title:
      'every page of a list names the same next page, as a proxy does that ignores "continue"; an unpaged list is well',
    watchList: false,
    withinMs: 60_000,
    clientGo: { breaks: { synced: NOT_ASKED_AGAIN, equal: NOT_ASKED_AGAIN } },
    first: [
      { match: NEXT_PAGE, at: 'start', do: { query: { continue: null } }, times: ALWAYS },
      { match: NEXT_PAGE, at: 'start', do: { delay: { ms: 100 } }, times: ALWAYS },
      {
        match: { ...LIST, query: { limit: '*' } },
        do: {
          body: (list) => ({ ...list, metadata: { ...(list['metadata'] as object), continue: 'again' } }) as never,
        },
        times: ALWAYS,
      },
    ],
    play: async (world) => {
      await world.synced();
      const lists = world.requests.filter(({ verb }) => verb === 'list').length;
      world.claim('modest', `${lists} lists`, lists <= 20);
      changes(world);
    },
  },
  {
    name: 'years-of-retry-after-in-a-stream',
    faults: ['F37'],
    guarantees: ['G22'],
    title: 'a stream ends with 429 and a Retry-After of three years',
    withinMs: 100_000,
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { error: tooMany } });
      changes(world);
      await world.spent(fault);
    },
  },
  {
    name: 'years-of-retry-after-in-a-list',
    faults: ['F37'],
    guarantees: ['G22'],
    title: 'a list is answered with 200, and its body is a Status with 429 and a Retry-After of three years',
    watchList: false,
    withinMs: 100_000,
    first: [{ match: LIST, do: { body: () => tooMany } }],
  },
  {
    name: 'years-of-retry-after-in-a-header',
    faults: ['F37'],
    guarantees: ['G22'],
    title: 'a list is answered with 429 and a Retry-After of three years',
    watchList: false,
    withinMs: 100_000,
    clientGo: { breaks: { synced: PARKED, equal: PARKED }, withinMs: BOUND_MS },
    first: [{ match: LIST, do: { status: { code: 429, retryAfterSeconds: DAYS_SECONDS } } }],
  },
  {
    name: 'trickling-list',
    faults: ['F11'],
    title: 'a list comes at one byte in three seconds; the next one would be well',
    watchList: false,
    withinMs: BOUND_MS,
    clientGo: { breaks: { synced: NO_MINIMUM_PACE, equal: NO_MINIMUM_PACE } },
    first: [{ match: LIST, do: { throttle: { bytesPerSecond: 1 / 3, chunk: 1 } } }],
  },
  {
    name: 'delete-with-the-last-version',
    faults: ['F57'],
    guarantees: ['G5'],
    title: 'a DELETED carries the version that the object had last, not one of its own',
    play: async (world) => {
      await world.ready();
      const last = held(world, 'b');
      const { faults } = world.server;
      const lost = faults.add({ match: WATCH, at: { event: 1 }, do: { drop: 'events' }, illegal: true });
      world.remove('b');
      await world.spent(lost);
      faults.add({
        match: WATCH,
        do: { inject: JSON.parse(JSON.stringify({ type: 'DELETED', object: last })) as never },
        illegal: true,
      });
      await world.settled();
      world.update('a');
    },
  },
  {
    name: 'older-event-after-a-list-without-a-version',
    faults: ['F27', 'F46'],
    guarantees: ['G1'],
    title: 'one list has no version; later ones have one, and an older state of an object is recognised again',
    watchList: false,
    withinMs: 60_000,
    clientGo: { breaks: { monotonic: 'G1: the older state is applied', equal: 'G1: and stays in the cache' } },
    first: [{ match: LIST, do: { list: 'no-resource-version' } }],
    play: async (world) => {
      await world.synced();
      await world.watching();
      for (let i = 0; i < 2; i += 1) {
        const gone = world.server.faults.add({ match: WATCH, do: { error: 'expired' } });
        await world.spent(gone);
        world.update('c');
        await world.settled();
        await world.watching();
      }
      const old = held(world, 'a');
      world.update('a');
      await world.settled();
      world.server.faults.add({
        match: WATCH,
        do: { inject: JSON.parse(JSON.stringify({ type: 'MODIFIED', object: old })) as never },
        illegal: true,
      });
      await world.pause(500);
    },
  },
  {
    name: 'absurdly-high-version-in-a-list',
    faults: ['F27'],
    guarantees: ['G1'],
    title: 'one list claims a version that the server reaches in a million years: later events are not older than it',
    watchList: false,
    withinMs: BOUND_MS,
    clientGo: { breaks: { equal: NO_CHECK } },
    first: [
      {
        match: LIST,
        do: {
          body: (list) =>
            ({ ...list, metadata: { ...(list['metadata'] as object), resourceVersion: ABSURD } }) as never,
        },
      },
    ],
    play: async (world) => {
      await world.synced();
      changes(world);
      await world.settled();
      world.update('c');
    },
  },
  {
    name: 'absurdly-high-version-in-an-event',
    faults: ['F27'],
    guarantees: ['G1'],
    title:
      'one event carries a version that the server reaches in a million years: later states of the object are not older',
    withinMs: BOUND_MS,
    moreRequests: {
      most: 2,
      because: 'a version that newer events contradict is doubted, and the state is listed again',
    },
    play: async (world) => {
      await world.ready();
      const object = { ...held(world, 'a') };
      const event = {
        type: 'MODIFIED',
        object: { ...object, metadata: { ...object.metadata, resourceVersion: ABSURD } },
      };
      world.server.faults.add({
        match: WATCH,
        do: { inject: JSON.parse(JSON.stringify(event)) as never },
        illegal: true,
      });
      world.subject.story.disbelieve(ABSURD);
      await world.pause(300);
      world.update('a');
      world.update('c');
      await world.settled();
      world.update('a');
    },
  },
  {
    name: 'data-nested-600',
    faults: ['F52'],
    guarantees: ['G9'],
    title: 'one object is nested 600 levels deep, from the start and later: all others are unaffected',
    subjects: WIDGETS,
    withinMs: 60_000,
    uncompared: 'default/deep',
    before: (world) => {
      world.define();
      for (const name of ['a', 'b', 'c']) world.create(name);
      world.create('deep', { spec: nested(600) });
    },
    play: async (world) => {
      await world.ready();
      world.update('deep');
      changes(world);
      await world.settled();
    },
  },
  {
    name: 'first-stream-silent-from-the-first-byte',
    faults: ['F44', 'F30'],
    guarantees: ['G15'],
    title: 'the first stream is open and delivers nothing at all; a list would be well',
    ours: { markerTimeoutMs: 1_500 },
    clientGo: {
      breaks: {
        synced: 'G15: a streaming list that delivers nothing is waited for',
        equal: 'G15: a streaming list that delivers nothing is waited for',
      },
      withinMs: BOUND_MS,
    },
    first: [{ match: INITIAL, at: { event: 0 }, do: { silence: true } }],
    play: async (world) => {
      await world.spent(world.first[0] as FaultHandle);
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'watch-400-from-a-gateway',
    faults: ['F41'],
    title: 'a gateway answers a watch with 400 and a page of HTML once, and lists work',
    withinMs: 60_000,
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: RESUME, do: { status: { code: 400, form: 'html' } } });
      await changesWhileAway(world);
      await world.spent(fault);
    },
  },
];

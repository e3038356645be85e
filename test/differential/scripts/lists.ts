import type { FaultHandle } from '@kube-informer/apiserver';
import { BOUND_MS, type Script } from '../script.ts';
import {
  ALWAYS,
  changes,
  changesWhileAway,
  INITIAL,
  LIST,
  NEXT_PAGE,
  PAGES_OF_TWO,
  RESUME,
  seed,
  WATCH,
} from './parts.ts';
import { LISTS_AT_ONCE } from './reasons.ts';

const NO_END = 'G15: a streaming list without its end is tried again or waited for; a plain list is not';

const NOT_ANNOUNCED =
  'a watch from no version begins with the current objects, and deletes in between are not announced';

/** Streaming lists, plain lists, and lists in pages. */
export const lists: readonly Script[] = [
  {
    name: 'no-streaming-lists',
    faults: [],
    title: 'the server refuses streaming lists: a plain list is used',
    first: [],
    before: (world) => {
      world.server.faults.withoutWatchList();
      seed(3)(world);
    },
    play: async (world) => {
      await world.synced();
      await changesAfter(world);
    },
  },
  {
    name: 'no-streaming-lists-relist',
    faults: ['F21'],
    title: 'the server refuses streaming lists, and later responds with 410',
    mode: 'dynamic',
    server: { watchList: false },
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: RESUME, do: { status: 410 } });
      await changesWhileAway(world);
      await world.spent(fault);
    },
  },
  {
    name: 'old-server-ignores-the-question',
    faults: ['F44'],
    title: 'an old server does not know streaming lists and begins an ordinary watch instead',
    ours: { markerTimeoutMs: 1_500 },
    clientGo: { breaks: { synced: NO_END, equal: NO_END }, withinMs: BOUND_MS },
    before: (world) => {
      world.server.faults.emulate('1.15');
      for (const name of ['a', 'b', 'c']) world.create(name);
    },
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'end-bookmark-missing',
    faults: ['F44'],
    title: 'the bookmark that ends the initial events never comes',
    ours: { markerTimeoutMs: 1_500 },
    first: [{ match: WATCH, do: { drop: 'end-bookmark' }, times: ALWAYS }],
    clientGo: { breaks: { synced: NO_END, equal: NO_END }, withinMs: BOUND_MS },
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'end-bookmark-missing-and-the-stream-ends',
    faults: ['F44'],
    title: 'the stream ends without the bookmark that ends the initial events, every time',
    first: [
      { match: INITIAL, do: { drop: 'end-bookmark' }, times: ALWAYS },
      { match: INITIAL, at: { ms: 300 }, do: { end: true }, times: ALWAYS },
    ],
    clientGo: { breaks: { synced: NO_END, equal: NO_END }, withinMs: BOUND_MS },
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'end-bookmark-late',
    faults: [],
    title: 'the bookmark that ends the initial events comes late',
    first: [{ match: INITIAL, at: 'end-bookmark', do: { delay: { ms: 1_500 } } }],
    play: async (world) => {
      await world.pause(500);
      world.claim('honest', 'synced before the end of the initial events', !world.subject.isSynced);
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'initial-events-slow',
    faults: [],
    title: 'the initial events come one by one',
    mode: 'dynamic',
    first: [{ match: INITIAL, do: { delay: { ms: 1_000 } } }],
    play: async (world) => {
      await world.pause(400);
      world.claim('honest', 'synced before the end of the initial events', !world.subject.isSynced);
      world.claim('complete', 'a part of the state was told of', world.subject.story.notices.length === 0);
      changes(world);
    },
  },
  {
    name: 'initial-events-out-of-order',
    faults: ['F59'],
    title: 'the first events of a stream are not in the order of their versions, and it breaks after the newest',
    before: (world) => {
      for (const name of ['a', 'b', 'c']) world.create(name);
      world.update('a');
    },
    moreRequests: { most: 3, because: LISTS_AT_ONCE },
    first: [{ match: INITIAL, at: { event: 1 }, do: { cut: 'rst' } }],
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'empty-collection',
    faults: [],
    title: 'the collection is empty, and later has objects',
    before: () => {},
    play: async (world) => {
      await world.ready();
      world.create('a');
      world.create('b');
      await world.settled();
      world.remove('a');
    },
  },
  {
    name: 'empty-collection-plain-list',
    faults: [],
    title: 'the same with a plain list',
    watchList: false,
    before: () => {},
    play: async (world) => {
      await world.ready();
      world.create('a');
      world.create('b');
      await world.settled();
      world.remove('a');
    },
  },
  {
    name: 'slow-list',
    faults: [],
    title: 'a list takes two seconds, and things change meanwhile',
    watchList: false,
    first: [{ match: LIST, do: { delay: { ms: 2_000 } } }],
    play: async (world) => {
      await world.struck(world.first[0] as FaultHandle);
      changes(world);
    },
  },
  {
    name: 'pages',
    faults: [],
    title: 'a list comes in many pages',
    watchList: false,
    before: seed(9),
    first: [PAGES_OF_TWO],
  },
  {
    name: 'pages-while-things-change',
    faults: [],
    title: 'objects come and go between two pages',
    watchList: false,
    mode: 'dynamic',
    before: seed(9),
    first: [{ match: NEXT_PAGE, at: 'start', do: { delay: { ms: 300 } } }, PAGES_OF_TWO],
    play: async (world) => {
      await world.struck(world.first[0] as FaultHandle);
      world.remove('o-0000');
      world.create('o-0000-b');
      world.update('o-0001');
      world.remove('o-0008');
    },
  },
  ...([500, 429] as const).map((status): Script => ({
    name: `page-fails-${status}`,
    faults: [status === 429 ? 'F37' : 'F41'],
    title: `the third page is answered with ${status}`,
    watchList: false,
    before: seed(9),
    first: [{ match: { ...NEXT_PAGE, nth: 2 }, do: { status } }, PAGES_OF_TWO],
  })),
  {
    name: 'page-is-cut',
    faults: [],
    title: 'the third page breaks in the middle',
    watchList: false,
    mode: 'dynamic',
    before: seed(9),
    first: [{ match: { ...NEXT_PAGE, nth: 2 }, at: { bytes: 200 }, do: { cut: 'rst' } }, PAGES_OF_TWO],
  },
  {
    name: 'list-without-a-version',
    faults: [],
    title: 'a list has no version, and an object is deleted before the watch is open',
    watchList: false,
    withinMs: 8_000,
    first: [
      { match: LIST, do: { list: 'no-resource-version' } },
      { match: WATCH, at: 'start', do: { delay: { ms: 2_500 } } },
    ],
    clientGo: { breaks: { equal: `G5: ${NOT_ANNOUNCED}` } },
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'object-twice-in-a-list',
    faults: ['F43'],
    title: 'a list has an object twice',
    watchList: false,
    first: [{ match: LIST, do: { list: 'duplicate-item' } }],
    clientGo: { breaks: { legal: 'I5: the object is announced as new twice' } },
  },
  {
    name: 'many-objects',
    faults: ['F45'],
    title: 'two thousand objects by streaming list, cut once in the middle',
    withinMs: 60_000,
    before: seed(2_000),
    moreRequests: { most: 6, because: LISTS_AT_ONCE },
    first: [{ match: INITIAL, at: { event: 1_000 }, do: { cut: 'rst' } }],
  },
  {
    name: 'many-objects-plain-list',
    faults: [],
    title: 'two thousand objects by plain list, with 410 once',
    watchList: false,
    withinMs: 60_000,
    before: seed(2_000),
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { error: 'expired' } });
      world.update('o-0007');
      await world.spent(fault);
      world.remove('o-0008');
    },
    moreRequests: {
      most: 9,
      because:
        'the first list is a consistent one in pages of 500; client-go accepts any cached state, in one response',
    },
  },
];

async function changesAfter(world: Parameters<NonNullable<Script['play']>>[0]): Promise<void> {
  await world.watching();
  world.create('d');
  world.update('o-0001');
  world.remove('o-0002');
}

import type { FaultHandle } from '@kube-informer/apiserver';
import { BOUND_MS, type Script } from '../script.ts';
import { changes, INITIAL, LIST, WATCH } from './parts.ts';

const MANY_BYTES = { metadata: { annotations: { text: 'Grüße, 世界 🚀👩‍👩‍👧‍👦 '.repeat(12) } } };
const UNFINISHED = {
  most: 3,
  because: 'an event that is unfinished for 3 s is looked for with another watch',
} as const;
const NO_LIMIT = 'G4: there is no time limit for response headers';

const NO_SHORT_WATCH = 'G4: watches last for minutes, and what they send is believed to come at once';

/** Peers that are not there any more, or hardly. */
export const silence: readonly Script[] = [
  {
    name: 'silence-deaf-server',
    faults: ['F1'],
    guarantees: ['G17'],
    resumes: true,
    title: 'the server neither reads nor writes any more, and the connection stays: a PING without a response finds it',
    withinMs: 30_000,
    play: async (world) => {
      await world.ready();
      world.server.faults.silence({}, { deaf: true });
      changes(world);
    },
  },
  {
    name: 'silence-half-open',
    faults: ['F1', 'F2'],
    guarantees: ['G17'],
    resumes: true,
    title: 'a proxy in between keeps the connection and passes nothing on any more',
    withinMs: 30_000,
    play: async (world) => {
      await world.ready();
      world.front.hold();
      changes(world);
    },
  },
  {
    name: 'silence-from-the-server',
    faults: ['F3'],
    guarantees: ['G17'],
    resumes: true,
    title: 'what the client sends arrives, and nothing comes back any more',
    withinMs: 30_000,
    play: async (world) => {
      await world.ready();
      world.front.hold('from-the-server');
      changes(world);
    },
  },
  {
    name: 'silence-half-open-among-initial-events',
    faults: ['F1', 'F45'],
    guarantees: ['G17'],
    title: 'a proxy in between passes nothing on any more in the middle of the initial events',
    withinMs: 30_000,
    first: [{ match: INITIAL, at: { event: 2 }, do: { silence: true } }],
    play: async (world) => {
      await world.spent(world.first[0] as FaultHandle);
      world.front.hold();
    },
  },
  {
    name: 'silence-half-open-http1',
    faults: ['F1', 'F2'],
    guarantees: ['G17'],
    resumes: true,
    title: 'a proxy in between keeps an HTTP/1.1 connection and passes nothing on, so TCP keep-alive sees nothing',
    http1: true,
    ours: { silenceMs: 3_000 },
    clientGo: {
      breaks: { equal: 'G17: without HTTP/2 there are no PINGs, and silence is not noticed' },
      withinMs: BOUND_MS,
    },
    play: async (world) => {
      await world.ready();
      world.front.hold();
      changes(world);
    },
  },
  {
    name: 'silence-instead-of-a-head',
    faults: [],
    title: 'a watch gets no response',
    ours: { headersMs: 2_000 },
    clientGo: { breaks: { synced: NO_LIMIT, equal: NO_LIMIT }, withinMs: BOUND_MS },
    first: [{ match: WATCH, do: { hang: 'headers' } }],
  },
  {
    name: 'silence-instead-of-a-list',
    faults: [],
    title: 'a list gets no response',
    watchList: false,
    ours: { headersMs: 2_000 },
    clientGo: { breaks: { synced: NO_LIMIT, equal: NO_LIMIT }, withinMs: BOUND_MS },
    first: [{ match: LIST, do: { hang: 'headers' } }],
  },
  {
    name: 'stalled-handshake',
    faults: ['F9'],
    resumes: true,
    title: 'connections are accepted and then nothing happens, for a while',
    withinMs: 30_000,
    play: async (world) => {
      await world.ready();
      world.front.turn('stalled');
      world.front.cut();
      changes(world);
      await world.pause(3_000);
      world.front.turn('open');
    },
  },
  {
    name: 'trickle',
    faults: ['F11'],
    resumes: true,
    moreRequests: UNFINISHED,
    title: 'bytes come slowly, a few at a time',
    // A busy machine makes it slower still.
    withinMs: 60_000,
    play: async (world) => {
      await world.ready();
      world.server.faults.add({ match: WATCH, do: { throttle: { bytesPerSecond: 1500, chunk: 7 } } });
      changes(world);
    },
  },
  {
    name: 'trickle-of-initial-events',
    faults: ['F11'],
    title: 'the initial events come slowly, a few bytes at a time',
    withinMs: 60_000,
    first: [{ match: INITIAL, do: { throttle: { bytesPerSecond: 1500, chunk: 5 } } }],
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'many-chunks',
    faults: ['F50'],
    title: 'every event comes in a hundred chunks',
    mode: 'dynamic',
    first: [{ match: WATCH, do: { split: 100 } }],
    play: async (world) => {
      await world.ready();
      changes(world);
    },
  },
  {
    name: 'buffering-proxy',
    faults: ['F17', 'F50'],
    title: 'events are collected on the way and come together',
    play: async (world) => {
      await world.ready();
      world.server.faults.add({ match: WATCH, do: { merge: { ms: 500 } } });
      changes(world);
    },
  },
  {
    name: 'watches-come-with-their-end',
    faults: ['F17'],
    guarantees: ['G17'],
    title: 'a proxy keeps everything that a watch sends until the watch ends, from the start',
    buffersWatches: 'body',
    ours: { markerTimeoutMs: 3_000 },
    withinMs: 60_000,
    clientGo: { breaks: { synced: NO_SHORT_WATCH, equal: NO_SHORT_WATCH }, withinMs: BOUND_MS },
    play: async (world) => {
      await world.synced();
      changes(world);
    },
  },
  {
    name: 'watches-come-with-their-end-after-a-list',
    faults: ['F17'],
    guarantees: ['G17'],
    title: 'the same without streaming lists: the list comes, and no change after it',
    watchList: false,
    buffersWatches: 'body',
    withinMs: 60_000,
    clientGo: { breaks: { equal: NO_SHORT_WATCH }, withinMs: BOUND_MS },
    play: async (world) => {
      await world.ready();
      changes(world);
    },
  },
  {
    name: 'split-characters',
    faults: ['F47', 'F50'],
    moreRequests: UNFINISHED,
    title: 'texts of characters of several bytes come three bytes at a time, first and later',
    mode: 'dynamic',
    withinMs: 60_000,
    before: (world) => {
      world.create('a', MANY_BYTES);
    },
    first: [{ match: WATCH, do: { throttle: { bytesPerSecond: 2_000, chunk: 3 } } }],
    play: async (world) => {
      await world.ready();
      world.create('b', MANY_BYTES);
    },
  },
  {
    name: 'late-events',
    faults: [],
    title: 'events are held back for two seconds',
    play: async (world) => {
      await world.ready();
      world.server.faults.pauseEvents();
      changes(world);
      await world.pause(2_000);
      world.server.faults.resumeEvents();
    },
  },
  {
    name: 'frozen-watch-cache',
    faults: ['F30'],
    guarantees: ['G17'],
    resumes: true,
    title: 'a watch delivers nothing any more, not even bookmarks, on a healthy connection; a new watch would deliver',
    server: { bookmarks: { everyMs: 200, tickMs: 50 } },
    withinMs: BOUND_MS,
    clientGo: {
      breaks: {
        equal: 'G17: missing bookmarks are not noticed; the server ends the watch after 5 to 10 minutes',
      },
    },
    play: async (world) => {
      await world.ready();
      world.elsewhere(3);
      await world.pause(1_000);
      world.server.faults.add({ match: WATCH, do: { hold: true } });
      changes(world);
    },
  },
  {
    name: 'frozen-replica',
    faults: ['F30'],
    guarantees: ['G17'],
    title: 'the server behind the connection gets no more changes, and its watch stays open; other servers are well',
    withinMs: BOUND_MS,
    clientGo: {
      breaks: { equal: 'G17: a watch that is silent is believed; the server ends it after 5 to 10 minutes' },
    },
    before: async (world) => {
      for (const name of ['a', 'b', 'c']) world.create(name);
      const replica = await world.server.addReplica({ lagMs: 3_600_000 });
      world.front.leadTo(replica.url);
    },
    play: async (world) => {
      await world.ready();
      world.front.leadTo(world.server.url, { cut: false });
      changes(world);
    },
  },
  {
    name: 'quiet-http1',
    faults: [],
    resumes: true,
    title:
      'nothing happens for a while on HTTP/1.1, where a quiet peer looks like a dead one: the watch is reopened, and nothing is listed',
    http1: true,
    ours: { silenceMs: 3_000 },
    withinMs: 40_000,
    moreRequests: { most: 4, because: 'a quiet HTTP/1.1 connection is left after 3 s, and opened again' },
    play: async (world) => {
      await world.ready();
      await world.pause(8_000);
      changes(world);
    },
  },
];

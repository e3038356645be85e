import type { FaultHandle } from '@kube-informer/apiserver';
import { BOUND_MS, type Script } from '../script.ts';
import { changes, INITIAL, LIST, WATCH } from './parts.ts';

const NO_LIMIT = 'G17: there is no limit for the head of an answer';

/** Peers that are not there any more, or hardly. */
export const silence: readonly Script[] = [
  {
    name: 'silence-deaf-server',
    faults: ['F1', 'F3'],
    title: 'the server neither reads nor writes any more, and the connection stays: a PING without an answer finds it',
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
    title: 'a proxy in between keeps the connection and passes nothing on any more',
    withinMs: 30_000,
    play: async (world) => {
      await world.ready();
      world.front.hold();
      changes(world);
    },
  },
  {
    name: 'silence-half-open-among-initial-events',
    faults: ['F1', 'F45'],
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
    title: 'a proxy in between keeps an HTTP/1.1 connection and passes nothing on, so TCP keep-alive sees nothing',
    http1: true,
    ours: { silenceMs: 3_000 },
    clientGo: {
      breaks: { equal: 'G17: without HTTP/2 there are no PINGs, and silence is not looked at' },
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
    faults: ['F9'],
    title: 'a watch is never answered',
    ours: { headersMs: 2_000 },
    clientGo: { breaks: { synced: NO_LIMIT, equal: NO_LIMIT }, withinMs: BOUND_MS },
    first: [{ match: WATCH, do: { hang: 'headers' } }],
  },
  {
    name: 'silence-instead-of-a-list',
    faults: ['F9'],
    title: 'a list is never answered',
    watchList: false,
    ours: { headersMs: 2_000 },
    clientGo: { breaks: { synced: NO_LIMIT, equal: NO_LIMIT }, withinMs: BOUND_MS },
    first: [{ match: LIST, do: { hang: 'headers' } }],
  },
  {
    name: 'stalled-handshake',
    faults: ['F9'],
    title: 'connections are accepted and then nothing happens, for a while',
    withinMs: 30_000,
    play: async (world) => {
      await world.ready();
      world.front.stall(true);
      world.front.cut();
      changes(world);
      await world.pause(3_000);
      world.front.stall(false);
    },
  },
  {
    name: 'trickle',
    faults: ['F11'],
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
    faults: ['F11', 'F47'],
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
    name: 'late-events',
    faults: ['F30'],
    title: 'a frozen watch cache: events are held back for two seconds',
    play: async (world) => {
      await world.ready();
      world.server.faults.pauseEvents();
      changes(world);
      await world.pause(2_000);
      world.server.faults.resumeEvents();
    },
  },
];

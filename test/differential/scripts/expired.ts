import type { FaultHandle } from '@kube-informer/apiserver';
import type { Script } from '../script.ts';
import { changes, changesWhileAway, INITIAL, LIST, NEXT_PAGE, PAGES_OF_TWO, RESUME, seed, WATCH } from './parts.ts';
import { TRIES_TO_GO_ON } from './reasons.ts';

/** The past is gone, in all the forms in which servers say so; and other words inside a stream. */
export const expired: readonly Script[] = [
  {
    name: 'gone-as-status',
    faults: ['F21'],
    title: 'a resumed watch is refused with 410: the list that follows brings exact differences',
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: RESUME, do: { status: 410 } });
      await changesWhileAway(world);
      await world.spent(fault);
    },
  },
  ...(['expired', 'gone', 'no-code'] as const).map((error): Script => ({
    name: `gone-in-the-stream-${error}`,
    faults: ['F22'],
    title: `410 as an event of the stream (${error})`,
    mode: 'dynamic',
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { error } });
      changes(world);
      await world.spent(fault);
    },
  })),
  ...(['internal', 'too-many-requests', 'too-large', 'unknown-reason', 'not-a-status'] as const).map(
    (error): Script => ({
      name: `error-in-the-stream-${error}`,
      faults: [],
      ...(error === 'internal' || error === 'too-many-requests' ? { resumes: true } : {}),
      title: `an error as the last event of a stream (${error})`,
      play: async (world) => {
        await world.ready();
        const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { error } });
        changes(world);
        await world.spent(fault);
      },
    }),
  ),
  ...([500, 504] as const).map((code): Script => ({
    name: `error-and-the-stream-stays-${code}`,
    faults: ['F23'],
    title: `${code} as an event, and the stream stays open without another event`,
    play: async (world) => {
      await world.ready();
      const { server } = world;
      const object = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'no leader', code };
      world.update('a');
      await world.settled();
      server.faults.add({ match: WATCH, do: { inject: { type: 'ERROR', object } }, illegal: true });
      server.faults.silence();
      changes(world);
    },
  })),
  {
    name: 'error-first-in-the-stream',
    faults: ['F22', 'F45'],
    title: '410 instead of the initial events',
    moreRequests: { most: 3, because: 'a plain list follows: the same question is not asked again' },
    first: [{ match: INITIAL, at: { event: 0 }, do: { error: 'expired' } }],
  },
  {
    name: 'gone-and-gone-again',
    faults: ['F24'],
    title: 'the stream that follows a 410 is refused with 410 too',
    play: async (world) => {
      await world.ready();
      const first = world.server.faults.add({ match: RESUME, do: { status: 410 } });
      const second = world.server.faults.add({ match: INITIAL, do: { status: 410 } });
      await changesWhileAway(world);
      await world.spent(first);
      await world.spent(second);
    },
  },
  {
    name: 'gone-on-the-relist',
    faults: ['F24'],
    title: 'the list that follows a 410 is refused with 410: the newest state is asked for',
    watchList: false,
    play: async (world) => {
      await world.ready();
      const first = world.server.faults.add({ match: RESUME, do: { status: 410 } });
      const second = world.server.faults.add({
        match: { ...LIST, query: { resourceVersion: '*' } },
        do: { status: 410 },
      });
      await changesWhileAway(world);
      await world.spent(first);
      await world.spent(second);
    },
  },
  {
    name: 'compaction-while-away',
    faults: ['F19'],
    title: 'the history is compacted while no client is connected; deletes are found by the list',
    play: async (world) => {
      await world.ready();
      await changesWhileAway(world);
      world.server.history.compact();
    },
  },
  {
    name: 'compaction-while-away-plain-list',
    faults: ['F19'],
    title: 'the same without streaming lists',
    watchList: false,
    mode: 'dynamic',
    play: async (world) => {
      await world.ready();
      await changesWhileAway(world);
      world.server.history.compact();
    },
  },
  {
    name: 'everything-deleted-while-away',
    faults: ['F19'],
    title: 'everything is deleted and the history compacted while no client is connected',
    moreRequests: { most: 3, because: TRIES_TO_GO_ON },
    play: async (world) => {
      await world.ready();
      world.server.faults.cutWatches();
      for (const name of ['a', 'b', 'c']) world.remove(name);
      world.server.history.compact();
    },
  },
  {
    name: 'expired-on-resume',
    faults: ['F22'],
    title: 'every watch breaks, and every resumed watch gets 410',
    play: async (world) => {
      await world.ready();
      world.server.faults.scenario('expired-on-resume');
      changes(world);
    },
  },
  {
    name: 'expired-token-of-a-page',
    faults: ['F42'],
    title: 'the token of the second page has expired, and the server offers another one to continue with',
    watchList: false,
    before: seed(7),
    first: [{ match: NEXT_PAGE, do: { status: { code: 410, continue: true } } }, PAGES_OF_TWO],
  },
  {
    name: 'expired-token-of-a-page-for-good',
    faults: ['F42'],
    title: 'the token of the third page has expired: the whole list is asked for',
    watchList: false,
    mode: 'dynamic',
    before: seed(7),
    first: [{ match: { ...NEXT_PAGE, nth: 2 }, do: { status: 410 } }, PAGES_OF_TWO],
  },
  {
    name: 'compaction-between-pages',
    faults: ['F42'],
    title: 'objects come and go and the history is compacted between two pages',
    watchList: false,
    before: seed(7),
    first: [{ match: NEXT_PAGE, at: 'start', do: { delay: { ms: 300 } } }, PAGES_OF_TWO],
    play: async (world) => {
      await world.struck(world.first[0] as FaultHandle);
      world.remove('o-0000');
      world.create('o-0000-b');
      world.update('o-0005');
      world.server.history.compact();
    },
  },
];

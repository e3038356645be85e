import type { Script } from '../script.ts';
import type { World } from '../world.ts';
import { changes, changesWhileAway, INITIAL, LIST, RESUME, WATCH } from './parts.ts';
import { LISTS_AT_ONCE } from './reasons.ts';

type Cut = 'rst' | 'fin' | 'goaway' | 'rst-stream';

const WORDS: Readonly<Record<Cut, string>> = {
  rst: 'a reset',
  fin: 'an early end',
  goaway: 'GOAWAY',
  'rst-stream': 'RST_STREAM',
};
const NON_ASCII = { metadata: { annotations: { text: 'Grüße, 世界 🚀🚀🚀 '.repeat(20) } } };

interface Place {
  readonly name: string;
  faults?(cut: Cut): readonly string[];
  readonly resumes?: boolean;
  readonly title: string;
  readonly kinds: readonly Cut[];
  readonly http1?: readonly Cut[];
  readonly server?: Script['server'];
  readonly moreRequests?: Script['moreRequests'];
  story(cut: Cut): Pick<Script, 'play' | 'first'>;
}

const insideALine = (cut: Cut): readonly string[] => [cut === 'fin' ? 'F5' : cut === 'goaway' ? 'F14' : 'F4'];

/** Where a connection can break. */
const PLACES: readonly Place[] = [
  {
    name: 'before-the-head',
    title: 'the first request is answered with %',
    kinds: ['rst', 'fin', 'rst-stream'],
    moreRequests: { most: 3, because: LISTS_AT_ONCE },
    story: (cut) => ({ first: [{ match: WATCH, at: 'start', do: { cut } }] }),
  },
  {
    name: 'after-the-head',
    faults: (cut) => (cut === 'rst' ? ['F6'] : cut === 'goaway' ? ['F14'] : []),
    resumes: true,
    title: '% comes between the headers and the first byte',
    kinds: ['rst', 'goaway'],
    http1: ['fin'],
    story: (cut) => ({
      play: async (world) => {
        await world.ready();
        const fault = world.server.faults.add({ match: RESUME, at: { event: 0 }, do: { cut } });
        await changesWhileAway(world);
        await world.spent(fault);
      },
    }),
  },
  {
    name: 'among-initial-events',
    faults: () => ['F45'],
    title: '% in the middle of the initial events of a stream',
    kinds: ['rst', 'fin', 'goaway', 'rst-stream'],
    http1: ['rst', 'fin'],
    moreRequests: { most: 3, because: LISTS_AT_ONCE },
    story: (cut) => ({ first: [{ match: INITIAL, at: { event: 2 }, do: { cut } }] }),
  },
  {
    name: 'at-the-end-of-the-initial-events',
    faults: () => ['F45'],
    title: '% right at the bookmark that ends the initial events',
    kinds: ['rst', 'fin'],
    story: (cut) => ({
      first: [{ match: INITIAL, at: 'end-bookmark', do: { cut } }],
      play: async (world) => {
        await world.synced();
        changes(world);
      },
    }),
  },
  {
    name: 'between-events',
    faults: (cut) => (cut === 'goaway' ? ['F14'] : []),
    resumes: true,
    title: '% between two events',
    kinds: ['rst', 'fin', 'goaway', 'rst-stream'],
    http1: ['rst', 'fin'],
    story: (cut) => ({
      play: async (world) => {
        await world.ready();
        const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { cut } });
        changes(world);
        await world.spent(fault);
      },
    }),
  },
  {
    name: 'inside-an-event',
    faults: insideALine,
    resumes: true,
    title: '% in the middle of a line',
    kinds: ['rst', 'fin', 'goaway', 'rst-stream'],
    http1: ['rst', 'fin'],
    story: (cut) => ({
      play: async (world) => {
        await world.ready();
        const fault = world.server.faults.add({ match: WATCH, at: { event: 2, offset: 40 }, do: { cut } });
        changes(world);
        await world.spent(fault);
      },
    }),
  },
  {
    name: 'inside-a-character',
    faults: insideALine,
    resumes: true,
    title: '% in the middle of a character',
    kinds: ['rst', 'fin'],
    http1: ['fin'],
    story: (cut) => ({
      play: async (world) => {
        await world.ready();
        const fault = world.server.faults.add({ match: WATCH, at: { event: 1, offset: 'mid-utf8' }, do: { cut } });
        world.create('d', NON_ASCII);
        world.update('a', NON_ASCII);
        await world.spent(fault);
      },
    }),
  },
  {
    name: 'at-a-bookmark',
    resumes: true,
    title: '% right behind a bookmark',
    kinds: ['rst', 'fin'],
    server: { bookmarks: { everyMs: 200, tickMs: 50 } },
    story: (cut) => ({
      play: async (world) => {
        await world.ready();
        const fault = world.server.faults.add({ match: WATCH, at: 'bookmark', do: { cut } });
        world.elsewhere(3);
        await world.spent(fault);
        changes(world);
      },
    }),
  },
];

const script = (place: Place, cut: Cut, http1: boolean): Script => ({
  name: `cut-${place.name}-${cut}${http1 ? '-http1' : ''}`,
  faults: place.faults?.(cut) ?? [],
  ...(place.faults === insideALine ? { guarantees: ['G8'] } : {}),
  ...(place.resumes === true ? { resumes: true } : {}),
  title: `${place.title.replace('%', WORDS[cut])}${http1 ? ', on HTTP/1.1' : ''}`,
  mode: cut === 'fin' ? 'dynamic' : 'typed',
  ...(http1 ? { http1 } : {}),
  ...(place.server === undefined ? {} : { server: place.server }),
  ...(place.moreRequests === undefined ? {} : { moreRequests: place.moreRequests }),
  ...place.story(cut),
});

export const cuts: readonly Script[] = [
  ...PLACES.flatMap((place) => [
    ...place.kinds.map((cut) => script(place, cut, false)),
    ...(place.http1 ?? []).map((cut) => script(place, cut, true)),
  ]),
  {
    name: 'cut-again-and-again',
    faults: [],
    resumes: true,
    title: 'three watches in a row break after one event each',
    play: async (world) => {
      await world.ready();
      for (let i = 0; i < 3; i += 1) {
        const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { cut: 'rst' } });
        changesOf(world, i);
        await world.spent(fault);
        await world.settled();
        await world.watching();
      }
    },
  },
  {
    name: 'cut-in-a-plain-list',
    faults: [],
    guarantees: ['G8'],
    title: 'a list breaks in the middle of its body',
    watchList: false,
    first: [{ match: LIST, at: { bytes: 300 }, do: { cut: 'rst' } }],
  },
  {
    name: 'goodbye',
    faults: ['F14'],
    resumes: true,
    title: 'the server asks all clients for new connections (GOAWAY), and still responds on the old ones',
    play: async (world) => {
      await world.ready();
      world.server.faults.sayGoodbye();
      changes(world);
      await world.settled();
      world.server.faults.cutWatches();
      world.update('a');
    },
  },
];

function changesOf(world: World, round: number): void {
  world.create(`round-${round}`);
  world.update('a');
}

import type { Script } from '../script.ts';
import { changes, LIST, WATCH } from './parts.ts';

type Names = readonly (readonly [name: Garbage, faults: readonly string[], clientGo?: Script['clientGo']])[];
type Garbage = Extract<NonNullable<Script['first']>[number]['do'], { garbage: unknown }>['garbage'];

const STORED: Script['clientGo'] = { breaks: { equal: 'G8: it is stored as if it were an object of the collection' } };

const BEGINS_A_FRAME = 'ours reads protobuf, in which the bytes of an empty line begin a frame that never ends';

/** Lines that are not events. */
const LINES: Names = [
  ['truncated-json', ['F5']],
  ['random-bytes', ['F49']],
  ['html', []],
  ['empty-lines', ['F50']],
  ['null', ['F56']],
  ['empty-object', ['F56']],
  ['wrong-kind', ['F56'], STORED],
  ['no-metadata', ['F56'], STORED],
  ['no-resource-version', ['F56'], STORED],
  ['unknown-type', []],
  ['bom', ['F48']],
  ['nan', []],
  ['deep', ['F52']],
];

/** Bodies that are not lists. */
const BODIES: Names = [
  ['truncated-json', []],
  ['random-bytes', ['F49']],
  ['html', ['F41']],
  ['empty', []],
  ['null', []],
  ['empty-object', []],
  ['wrong-kind', ['F56']],
  ['no-metadata', ['F56']],
  ['bom', ['F48']],
  ['nan', []],
  ['deep', ['F52']],
  ['long-content-length', []],
  ['wrong-content-type', []],
  ['multi-member-gzip', []],
  ['corrupt-gzip', []],
];

export const garbage: readonly Script[] = [
  ...LINES.map(([name, faults, clientGo]): Script => ({
    name: `line-${name}`,
    faults,
    guarantees: ['G8'],
    title: `between two events comes something else (${name})`,
    mode: 'dynamic',
    ...(name === 'empty-lines' || name === 'random-bytes'
      ? { moreRequests: { most: 3, because: BEGINS_A_FRAME } }
      : {}),
    ...(clientGo === undefined ? {} : { clientGo }),
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { garbage: name } });
      changes(world);
      await world.spent(fault);
      world.update('a');
    },
  })),
  ...BODIES.map(([name, faults, clientGo]): Script => ({
    name: `body-${name}`,
    faults,
    guarantees: ['G8'],
    title: `a list is something else (${name})`,
    watchList: false,
    ...(clientGo === undefined ? {} : { clientGo }),
    first: [{ match: LIST, do: { garbage: name } }],
    play: async (world) => {
      await world.synced();
      await world.watching();
      changes(world);
    },
  })),
];

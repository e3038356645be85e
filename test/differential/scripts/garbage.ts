import type { Script } from '../script.ts';
import { changes, LIST, WATCH } from './parts.ts';

type Names = readonly (readonly [name: Garbage, faults: readonly string[], clientGo?: Script['clientGo']])[];
type Garbage = Extract<NonNullable<Script['first']>[number]['do'], { garbage: unknown }>['garbage'];

const STORED: Script['clientGo'] = { breaks: { equal: 'G8: it is stored as if it were an object of the collection' } };

/** Lines that are no events. */
const LINES: Names = [
  ['truncated-json', ['F5']],
  ['random-bytes', ['F49']],
  ['html', ['F41']],
  ['empty-lines', ['F50']],
  ['null', ['F56']],
  ['empty-object', ['F56']],
  ['wrong-kind', ['F56'], STORED],
  ['no-metadata', ['F56'], STORED],
  ['no-resource-version', ['F56'], STORED],
  ['unknown-type', ['F56']],
  ['bom', ['F48']],
  ['nan', ['F56']],
  ['huge', ['F51'], STORED],
  ['deep', ['F52']],
];

/** Bodies that are no lists. */
const BODIES: Names = [
  ['truncated-json', ['F5']],
  ['random-bytes', ['F49']],
  ['html', ['F41']],
  ['empty', ['F56']],
  ['null', ['F56']],
  ['empty-object', ['F56']],
  ['wrong-kind', ['F56']],
  ['no-metadata', ['F56']],
  ['bom', ['F48']],
  ['nan', ['F56']],
  ['deep', ['F52']],
  ['long-content-length', ['F5']],
  ['wrong-content-type', ['F41']],
  ['multi-member-gzip', ['F50']],
  ['corrupt-gzip', ['F49']],
];

export const garbage: readonly Script[] = [
  ...LINES.map(([name, faults, clientGo]): Script => ({
    name: `line-${name}`,
    faults,
    title: `between two events comes something else (${name})`,
    mode: 'dynamic',
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

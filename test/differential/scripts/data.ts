import { type Script, WIDGETS } from '../script.ts';
import type { World } from '../world.ts';
import { WATCH } from './parts.ts';

/** Objects that are large, or written in ways that parsers stumble over. */
const OBJECTS: readonly (readonly [name: string, faults: readonly string[], title: string, more: object])[] = [
  ['large', ['F51'], 'an object of a megabyte', { data: { value: 'x'.repeat(1_000_000) } }],
  [
    'line-separators',
    ['F48'],
    'U+2028, U+2029, NEL and a lone CR',
    { data: { value: 'a\u2028b\u2029c\u0085d\re\r\nf' } },
  ],
  ['bom', ['F48'], 'a byte order mark inside', { data: { value: '\uFEFFvalue\uFEFF' } }],
  ['emoji', ['F47'], 'characters of four bytes', { data: { value: '🚀👩‍👩‍👧‍👦𝔘𝔫𝔦𝔠𝔬𝔡𝔢'.repeat(500) } }],
  ['control-characters', ['F48'], 'control characters', { data: { value: '\u0000\u0001\u001b[31m\u007f\t\n' } }],
  ['html-characters', ['F48'], 'characters that Go escapes', { data: { value: '<a href="x">&amp;</a>' } }],
  [
    'names-of-prototypes',
    ['F53'],
    'keys that JavaScript knows',
    {
      metadata: {
        labels: JSON.parse('{"constructor":"a","toString":"b"}') as object,
        annotations: { hasOwnProperty: 'y', valueOf: 'z' },
      },
    },
  ],
  [
    'many-keys',
    ['F55'],
    'two thousand keys',
    { data: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, String(i)])) },
  ],
  ['empty-values', ['F56'], 'empty texts and maps', { data: { empty: '' }, metadata: { labels: { blank: '' } } }],
];

const tellTwice = (create: (world: World, name: string) => void): Pick<Script, 'before' | 'play'> => ({
  before: (world) => {
    world.create('a');
    create(world, 'at-first');
  },
  play: async (world) => {
    await world.ready();
    const fault = world.server.faults.add({ match: WATCH, at: { event: 1, offset: 'mid-utf8' }, do: { cut: 'rst' } });
    create(world, 'later');
    await world.spent(fault);
    world.update('at-first');
  },
});

export const data: readonly Script[] = [
  ...OBJECTS.flatMap(([name, faults, title, more]): Script[] => [
    { name: `data-${name}`, faults, title, mode: 'dynamic', ...tellTwice((world, key) => world.create(key, more)) },
  ]),
  {
    name: 'data-large-typed',
    faults: ['F51'],
    title: 'an object of a megabyte, in pieces, by a plain list',
    watchList: false,
    ...tellTwice((world, key) => world.create(key, { data: { value: 'é'.repeat(400_000) } })),
  },
  {
    name: 'data-numbers',
    faults: ['F54'],
    title: 'numbers at the edges of what JavaScript can hold',
    subjects: WIDGETS,
    before: (world) => {
      world.define();
      world.create('numbers', {
        spec: {
          max: Number.MAX_SAFE_INTEGER,
          min: Number.MIN_SAFE_INTEGER,
          tiny: 5e-324,
          big: 1.5e300,
          zero: 0,
          half: 0.5,
        },
      });
    },
    play: async (world) => {
      await world.ready();
      world.update('numbers');
    },
  },
  {
    name: 'data-prototypes',
    faults: ['F53'],
    title: 'fields named __proto__, constructor and toString',
    subjects: WIDGETS,
    before: (world) => {
      world.define();
      world.create('odd', {
        spec: JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"x"}') as object,
      });
    },
    play: async (world) => {
      await world.ready();
      world.update('odd');
      await world.settled();
      world.claim('clean', 'Object.prototype has changed', !('polluted' in {}));
    },
  },
  {
    name: 'data-deep',
    faults: ['F52'],
    title: 'an object that is nested two hundred levels deep',
    subjects: WIDGETS,
    before: (world) => {
      world.define();
      world.create('deep', { spec: Array.from({ length: 200 }).reduce<object>((inner) => ({ inner }), {}) });
    },
    play: async (world) => {
      await world.ready();
      world.update('deep');
    },
  },
];

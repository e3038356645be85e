import { type Script, type VersionForm, WIDGETS } from '../script.ts';
import type { World } from '../world.ts';
import { changes, changesWhileAway, WATCH } from './parts.ts';

/** Clients that have received the endless line. */
const received = new WeakSet<World>();

const LONG_PREFIX = '987654321012345';
const LONG: VersionForm = {
  encode: (version) => `${LONG_PREFIX}${version.padStart(10, '0')}`,
  decode: (version) => String(Number(version.slice(LONG_PREFIX.length))),
};
/** Digits backwards, behind a letter. */
const OPAQUE: VersionForm = {
  encode: (version) => `v${version.split('').toReversed().join('')}`,
  decode: (version) => version.slice(1).split('').toReversed().join(''),
};

/** Objects that are large, or written in ways that parsers stumble over. */
const OBJECTS: readonly (readonly [name: string, faults: readonly string[], title: string, more: object])[] = [
  ['large', [], 'an object of a megabyte', { data: { value: 'x'.repeat(1_000_000) } }],
  [
    'line-separators',
    ['F48'],
    'U+2028, U+2029, NEL and a lone CR',
    { data: { value: 'a\u2028b\u2029c\u0085d\re\r\nf' } },
  ],
  ['bom', ['F48'], 'a byte order mark inside', { data: { value: '\uFEFFvalue\uFEFF' } }],
  ['emoji', [], 'characters of four bytes', { data: { value: '🚀👩‍👩‍👧‍👦𝔘𝔫𝔦𝔠𝔬𝔡𝔢'.repeat(500) } }],
  ['control-characters', [], 'control characters', { data: { value: '\u0000\u0001\u001b[31m\u007f\t\n' } }],
  ['html-characters', [], 'characters that Go escapes', { data: { value: '<a href="x">&amp;</a>' } }],
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
    [],
    'two thousand keys',
    { data: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, String(i)])) },
  ],
  ['empty-values', [], 'empty texts and maps', { data: { empty: '' }, metadata: { labels: { blank: '' } } }],
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
    {
      name: `data-${name}`,
      faults,
      title,
      mode: 'dynamic',
      resumes: true,
      withinMs: 60_000,
      ...tellTwice((world, key) => world.create(key, more)),
    },
  ]),
  {
    name: 'data-large-typed',
    faults: [],
    title: 'an object of a megabyte, in pieces, by a plain list',
    withinMs: 60_000,
    watchList: false,
    ...tellTwice((world, key) => world.create(key, { data: { value: 'é'.repeat(400_000) } })),
  },
  {
    name: 'data-numbers',
    faults: [],
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
    faults: [],
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
  {
    name: 'endless-line',
    faults: ['F51'],
    guarantees: ['G8'],
    resumes: true,
    moreRequests: { most: 3, because: 'ours gives up the line at 32 MB, before the connection breaks' },
    title: 'a line of 40 MB has no end; the connection breaks after four seconds',
    mode: 'dynamic',
    server: { maxQueuedBytes: 200_000_000 },
    rewrite: (text, world) => {
      if (!text.includes('"name":"endless"') || received.has(world)) return text;
      received.add(world);
      return `${text.slice(0, text.indexOf('"data":'))}"data":{"value":"${'x'.repeat(40_000_000)}`;
    },
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { silence: true } });
      world.create('endless');
      await world.spent(fault);
      await world.pause(4_000);
      world.front.cut();
      changes(world);
    },
  },
  {
    name: 'data-equal-keys',
    faults: ['F55'],
    title: 'an object of the JSON has a key twice: the last one counts',
    mode: 'dynamic',
    rewrite: (text) => text.replaceAll('"data":{"value":', '"data":{"value":"the first","value":'),
    play: async (world) => {
      await world.ready();
      world.create('d');
      world.update('a');
    },
  },
  {
    name: 'versions-of-25-digits',
    faults: ['F54'],
    title: 'versions have 25 digits, and all are the same number where numbers are doubles',
    mode: 'dynamic',
    resumes: true,
    versions: LONG,
    play: async (world) => {
      await world.ready();
      changes(world);
      await world.settled();
      await changesWhileAway(world, () => world.update('a'));
    },
  },
  {
    name: 'versions-without-an-order',
    faults: ['F46'],
    title: 'versions are not numbers, so their order is unknown',
    mode: 'dynamic',
    resumes: true,
    versions: OPAQUE,
    play: async (world) => {
      await world.ready();
      changes(world);
      await world.settled();
      await changesWhileAway(world, () => world.update('a'));
    },
  },
];

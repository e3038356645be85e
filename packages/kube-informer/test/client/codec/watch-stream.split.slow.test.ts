import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeWatchStream } from '../../../src/client/codec/watch-stream.ts';
import { seededRandom } from '../../../src/testing/fake-clock.ts';
import { body, collect, concat, cutAt, misreadsKeys } from '../rig/bodies.ts';

const STREAMS = 2_000;
const SPLITS = 50;

/** What came out, and how it ended. */
interface Outcome {
  readonly events: string;
  readonly ending: 'clean' | 'TRANSPORT' | 'WATCH_DECODE';
}

/** The decoder one would write for bytes that are all there: put together, split on LF, parse. */
function reference(whole: Uint8Array): Outcome {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const events: unknown[] = [];
  let from = 0;
  for (let at = whole.indexOf(0x0a); at !== -1; at = whole.indexOf(0x0a, from)) {
    try {
      const text = decoder.decode(whole.subarray(from, at));
      if (text.trim() !== '' || /[^ \t\r]/.test(text)) {
        const event = JSON.parse(text) as { type: unknown; object: unknown };
        if (typeof event.type !== 'string' || typeof event.object !== 'object' || event.object === null)
          throw new Error();
        events.push(event);
      }
    } catch {
      return { events: JSON.stringify(events), ending: 'WATCH_DECODE' };
    }
    from = at + 1;
  }
  const tail = [...whole.subarray(from)].filter((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
  const isMark = tail.join() === '239,187,191';
  return { events: JSON.stringify(events), ending: tail.length === 0 || isMark ? 'clean' : 'TRANSPORT' };
}

const awkward = fc.constantFrom(
  'é',
  '€',
  '𝄞',
  '\u2028',
  '\u2029',
  '\u0085',
  '\uFEFF',
  '\\n',
  '\\"',
  '\\\\',
  '{',
  ']',
  '\\u000a',
  'x',
);
const text = fc.array(awkward, { maxLength: 6 }).map((parts) => parts.join(''));
const key = misreadsKeys ? text.filter((parts) => !parts.includes('\\')) : text;
const frame = fc
  .tuple(fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'), text, key)
  .map(([type, name, last]) => `{"type":"${type}","object":{"metadata":{"name":"${name}"},"a${last}":[1,{}]}}`);
const goodLine = fc
  .tuple(fc.constantFrom('', ' ', '\uFEFF', '\r'), frame, fc.constantFrom('', '\r', ' '))
  .map((parts) => `${parts.join('')}\n`);
const emptyLine = fc.constantFrom('\n', '\r\n', ' \n', '\uFEFF\n');
const badLine = fc.constantFrom(
  'x\n',
  '{\n',
  '{}\n',
  'null\n',
  '\u0085\n',
  '\uFEFF\uFEFF\n',
  new Uint8Array([0xc3, 0x0a]),
  new Uint8Array([0xff, 0x0a]),
);
const tail = fc.constantFrom(
  '',
  ' ',
  '\r',
  '\uFEFF',
  '{',
  '{"type":"ADDED","object":{}}',
  new Uint8Array([0xe2, 0x82]),
);
const stream = fc
  .tuple(
    fc.array(fc.oneof({ weight: 8, arbitrary: goodLine }, { weight: 2, arbitrary: emptyLine }), { maxLength: 4 }),
    fc.option(badLine, { freq: 4 }),
    fc.array(goodLine, { maxLength: 1 }),
    tail,
  )
  .map(([lines, bad, more, rest]) => concat(...lines, bad ?? '', ...more, rest));

test(`F47, F48, F49, F50: ${STREAMS * SPLITS} ways to cut streams into chunks change neither the events nor the ending`, async () => {
  let cases = 0;
  const endings = new Set<string>();
  await fc.assert(
    fc.asyncProperty(stream, fc.integer(), async (whole, seed) => {
      const expected = reference(whole);
      endings.add(expected.ending);
      const random = seededRandom(seed);
      for (let i = 0; i < SPLITS; i += 1) {
        const cuts = Array.from({ length: Math.floor(random() * 7) }, () => Math.floor(random() * (whole.length + 1)));
        const { values, error } = await collect(decodeWatchStream(body(cutAt(whole, cuts))));
        const ending = error === undefined ? 'clean' : (error as { code: string }).code;
        cases += 1;
        if (JSON.stringify(values) !== expected.events || ending !== expected.ending) {
          expect({ cuts, events: JSON.stringify(values), ending }).toEqual({ cuts, ...expected });
        }
      }
    }),
    { numRuns: STREAMS },
  );
  expect(cases).toBe(STREAMS * SPLITS);
  expect([...endings].toSorted()).toEqual(['TRANSPORT', 'WATCH_DECODE', 'clean']);
});

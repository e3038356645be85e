import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonScanner, STILL_OPEN } from '../../../src/client/codec/json-scan.ts';
import { bytes, concat, cutAt } from '../rig/bodies.ts';

/** Reads the chunks one after another; `end` counts from the start of the first. */
function rig(chunks: readonly Uint8Array[]): { readonly end: number; readonly scanner: JsonScanner } {
  const scanner = new JsonScanner();
  let before = 0;
  for (const chunk of chunks) {
    const end = scanner.scan(chunk);
    if (end !== STILL_OPEN) return { end: before + end, scanner };
    before += chunk.length;
  }
  return { end: STILL_OPEN, scanner };
}

/** Strings full of what could mislead: quotes, backslashes, brackets. */
const hostileString = fc
  .array(fc.constantFrom('"', '\\', '\\\\', '{', '}', '[', ']', 'é', '𝄞', 'abcd', '\u0001'), { maxLength: 12 })
  .map((parts) => parts.join(''));
const hostile = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    hostileString,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(hostileString, tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('F47, F50: the end of an object is found at the same byte however the bytes are cut, whatever its strings hold', () => {
  fc.assert(
    fc.property(
      fc.dictionary(hostileString, hostile),
      fc.array(fc.nat(), { maxLength: 9 }),
      fc.nat(7),
      (value, cuts, shift) => {
        const text = bytes(JSON.stringify(value));
        // Something before and behind, so that neither the start nor the end is where words of four bytes begin.
        const whole = concat('x'.repeat(shift), text, ',{"next":1}').subarray(shift);
        const chunks = cutAt(
          whole,
          cuts.map((cut) => cut % (whole.length + 1)),
        );
        expect(rig(chunks).end).toBe(text.length);
        expect(rig([...text].map((byte) => Uint8Array.of(byte))).end).toBe(text.length);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('STR-10: a value that is cut off is still open', () => {
  fc.assert(
    fc.property(
      fc.dictionary(hostileString, hostile),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (value, part) => {
        const text = bytes(JSON.stringify(value));
        const { end, scanner } = rig([text.subarray(0, 1 + Math.floor(part * (text.length - 1)))]);
        expect(end).toBe(STILL_OPEN);
        expect(scanner.isOpen).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('F52: the deepest level is known, levels that were closed do not count, and the end is found at any depth', () => {
  const depthOf = (...chunks: string[]): number => rig(chunks.map(bytes)).scanner.deepest;
  expect(depthOf('[[[]]]')).toBe(3);
  expect(depthOf('[[{', '"a":[')).toBe(4);
  expect(depthOf(`[${'[[]],'.repeat(50)}1]`)).toBe(3);
  expect(rig([bytes(`${'['.repeat(100_000)}${']'.repeat(100_000)} `)]).end).toBe(200_000);
});

test('one scanner reads value after value', () => {
  const scanner = new JsonScanner();
  const text = bytes('{"a":"}"} [1] ');
  const first = scanner.scan(text);
  expect(first).toBe(9);
  expect(scanner.isOpen).toBe(false);
  expect(scanner.scan(text, first)).toBe(13);
  expect(scanner.deepest).toBe(1);
});

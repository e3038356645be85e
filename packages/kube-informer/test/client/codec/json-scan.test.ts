import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonScanner, STILL_OPEN, TOO_DEEP } from '../../../src/client/codec/json-scan.ts';
import { bytes, concat, cutAt } from '../rig/bodies.ts';

/** Reads the chunks one after another; the answer counts from the start of the first. */
function rig(chunks: readonly Uint8Array[], maxDepth = 512): { readonly end: number; readonly scanner: JsonScanner } {
  const scanner = new JsonScanner(maxDepth);
  let before = 0;
  for (const chunk of chunks) {
    const end = scanner.scan(chunk);
    if (end !== STILL_OPEN) return { end: end === TOO_DEEP ? TOO_DEEP : before + end, scanner };
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

test('F52: one level more than allowed is too deep, and levels that were closed do not count', () => {
  expect(rig([bytes('[[[]]]')], 3).end).toBe(6);
  expect(rig([bytes('[[{'), bytes('"a":[')], 3).end).toBe(TOO_DEEP);
  expect(rig([bytes(`[${'[[]],'.repeat(50)}1]`)], 3).end).toBe(253);
});

test('one scanner reads value after value', () => {
  const scanner = new JsonScanner(9);
  const text = bytes('{"a":"}"} [1] ');
  const first = scanner.scan(text);
  expect(first).toBe(9);
  expect(scanner.isOpen).toBe(false);
  expect(scanner.scan(text, first)).toBe(13);
});

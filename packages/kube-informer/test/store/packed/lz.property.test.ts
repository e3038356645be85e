import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lzBound, lzPack, lzUnpack } from '../../../src/store/packed/lz.ts';
import { type LzDictionary, type LzSample, trainLzDictionary } from '../../../src/store/packed/lz-dictionary.ts';

const encoder = new TextEncoder();

/** Texts with repetitions, inside and among each other. */
const words = fc.constantFrom('"metadata":{', '"name":"', 'web-', 'kube-system', '0', 'ä', '\\n', '{}', ',');
const text = fc.array(fc.oneof(words, fc.string({ maxLength: 12 })), { maxLength: 400 }).map((parts) => parts.join(''));
const dictionaries = fc
  .array(text, { maxLength: 6 })
  .map((texts) => train(texts.map((one) => encoder.encode(one)).map((bytes) => ({ bytes, at: 0, end: bytes.length }))));

function train(samples: readonly LzSample[]): LzDictionary {
  const training = trainLzDictionary(samples);
  for (;;) {
    const { done, value } = training.next();
    if (done === true) return value;
  }
}

function pack(bytes: Uint8Array, dictionary: LzDictionary): Uint8Array {
  const out = new Uint8Array(lzBound(bytes.length));
  return out.slice(0, lzPack(bytes, 0, bytes.length, dictionary, out, 0));
}

describe('packing', () => {
  test('PKD-22: whatever is packed with whatever dictionary is unpacked as it was', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text.map((one) => encoder.encode(one)),
          fc.uint8Array({ maxLength: 3_000 }),
        ),
        dictionaries,
        (bytes, dictionary) => {
          const out = new Uint8Array(bytes.length);
          const block = pack(bytes, dictionary);
          expect(lzUnpack(block, 0, block.length, dictionary, out)).toBe(bytes.length);
          expect(out).toEqual(bytes);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('PKD-22: the first bytes are unpacked alone', () => {
    fc.assert(
      fc.property(text, dictionaries, fc.nat(2_000), (one, dictionary, enough) => {
        const bytes = encoder.encode(one);
        const out = new Uint8Array(bytes.length);
        const block = pack(bytes, dictionary);
        const length = lzUnpack(block, 0, block.length, dictionary, out, enough);
        expect(length).toBeGreaterThanOrEqual(Math.min(enough, bytes.length));
        expect(out.subarray(0, length)).toEqual(bytes.subarray(0, length));
      }),
      { numRuns: 200 },
    );
  });

  test('PKD-22: a damaged block is refused, or unpacked to no more than there is room for', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), dictionaries, fc.nat(500), (block, dictionary, room) => {
        const out = new Uint8Array(room + 8).fill(7);
        const within = out.subarray(0, room);
        try {
          expect(lzUnpack(block, 0, block.length, dictionary, within)).toBeLessThanOrEqual(room);
        } catch (error) {
          expect(error).toMatchObject({ code: 'LIST_INVALID' });
        }
        expect([...out.subarray(room)]).toEqual(Array.from({ length: 8 }, () => 7));
      }),
      { numRuns: 1_000 },
    );
  });

  test('PKD-22: a block that was cut is refused', () => {
    fc.assert(
      fc.property(
        text.filter((one) => one.length > 20),
        dictionaries,
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (one, dictionary, part) => {
          const bytes = encoder.encode(one);
          const block = pack(bytes, dictionary);
          const cut = Math.floor(block.length * part);
          const out = new Uint8Array(bytes.length);
          let length = -1;
          try {
            length = lzUnpack(block, 0, cut, dictionary, out);
          } catch (error) {
            expect(error).toMatchObject({ code: 'LIST_INVALID' });
          }
          // A cut after some literals looks like an end; the length that is kept beside the block tells the difference.
          expect(length).toBeLessThan(bytes.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});

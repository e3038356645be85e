import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBuffer } from '../../../src/client/codec/byte-buffer.ts';
import { bytes, concat } from '../rig/bodies.ts';

test('chunks, and parts of chunks, are joined in order', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 8 }), fc.nat(), (pieces, seed) => {
      const buffer = new ByteBuffer();
      const parts = pieces.map((piece) => {
        const from = piece.length === 0 ? 0 : seed % piece.length;
        buffer.append(piece, from);
        return piece.subarray(from);
      });
      expect(buffer.view()).toEqual(concat(...parts));
      expect(buffer.length).toBe(buffer.view().length);
    }),
  );
});

test('a cleared buffer starts over and keeps its memory', () => {
  const buffer = new ByteBuffer();
  buffer.append(bytes('first'));
  const { capacity } = buffer;
  buffer.clear();
  buffer.append(bytes('second'), 1, 3);
  expect(buffer.view()).toEqual(bytes('ec'));
  expect(buffer.view(1)).toEqual(bytes('c'));
  expect(buffer.capacity).toBe(capacity);
});

test('F51: growing by small chunks copies each byte a bounded number of times', () => {
  const buffer = new ByteBuffer();
  const piece = new Uint8Array(100);
  let copied = 0;
  for (let i = 0; i < 100_000; i += 1) {
    const { capacity, length } = buffer;
    buffer.append(piece);
    copied += piece.length + (buffer.capacity === capacity ? 0 : length);
  }
  expect(buffer.length).toBe(10_000_000);
  expect(copied).toBeLessThan(3 * buffer.length);
  expect(buffer.capacity).toBeLessThan(2 * buffer.length);
});

test('F51: the memory of a giant object is released', () => {
  const buffer = new ByteBuffer();
  buffer.append(new Uint8Array(2_000_000));
  buffer.clear();
  expect(buffer.capacity).toBe(0);
});

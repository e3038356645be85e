import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeProtobufMessage } from '../../../src/api/protobuf/encode-protobuf-message.ts';
import { encodeProtobuf } from '../../../src/api/protobuf/encode-protobuf.ts';
import { decodeProtobufMessage } from '../../../src/api/protobuf/decode-protobuf-message.ts';
import { dataOfProtobuf } from '../../../src/core/data.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { randomMessage } from '../../rig/random-message.ts';

/** Objects of a real server in both forms: protobuf as base64, and JSON. */
const recorded = Object.entries(
  JSON.parse(readFileSync(new URL('protobuf.fixtures.json', import.meta.url), 'utf8')) as Record<
    string,
    [string, JsonObject]
  >,
);

test.each(recorded)('PBS-17: a %s encodes to the bytes of a real server', (_, [bytes, json]) => {
  expect(encodeProtobuf(json).toString('hex')).toBe(Buffer.from(bytes, 'base64').toString('hex'));
});

test('PBS-18: random objects of every message read back as they were', () => {
  const names = Object.keys(dataOfProtobuf());
  expect(names.length).toBeGreaterThan(500);
  for (const name of names) {
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const object = randomMessage(draw, name);
        expect(decodeProtobufMessage(name, encodeProtobufMessage(name, object)), name).toEqual(object);
      }),
      { numRuns: 2 },
    );
  }
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeProtobuf } from '../../../src/api/protobuf/decode-protobuf.ts';
import { WireWriter } from '../../../src/api/protobuf/wire.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { StatusError } from '../../../src/core/status-error.ts';

/** Objects of a real server in both forms: protobuf as base64, and JSON. */
const recorded = Object.entries(
  JSON.parse(readFileSync(new URL('protobuf.fixtures.json', import.meta.url), 'utf8')) as Record<
    string,
    [string, JsonObject]
  >,
);

const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };

function body(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const typeMeta = new WireWriter().text(1, apiVersion).text(2, kind);
  return Buffer.concat([Buffer.from('k8s\0'), new WireWriter().message(1, typeMeta).message(2, raw).bytes()]);
}

function failureOf(bytes: Uint8Array, expected = CONFIG_MAP): string {
  try {
    decodeProtobuf(bytes, expected);
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 400) return error.message;
    throw error;
  }
  return 'no failure';
}

test.each(recorded)('a %s decodes, byte for byte, to the JSON of a real server', (_, [bytes, json]) => {
  expect(JSON.stringify(decodeProtobuf(Buffer.from(bytes, 'base64')))).toBe(JSON.stringify(json));
});

test('a body without kind and apiVersion counts as the kind of the path', () => {
  expect(decodeProtobuf(body('', '', new Uint8Array()), CONFIG_MAP)).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
  });
});

test('DeleteOptions are decoded for every group', () => {
  const options = new WireWriter().text(4, 'Foreground').text(5, 'All').bytes();
  for (const apiVersion of ['v1', 'meta.k8s.io/v1', 'apps/v1']) {
    expect(decodeProtobuf(body(apiVersion, 'DeleteOptions', options))).toEqual({
      kind: 'DeleteOptions',
      apiVersion,
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
  }
});

test('numbers of a list may come in one field', () => {
  // PodSecurityContext.supplementalGroups [1, 300], packed.
  const groups = new WireWriter().message(4, Uint8Array.of(1, 0xac, 0x02));
  const spec = new WireWriter().message(14, groups);
  const pod = decodeProtobuf(body('v1', 'Pod', new WireWriter().message(2, spec).bytes()));
  expect(pod).toMatchObject({ spec: { securityContext: { supplementalGroups: [1, 300] } } });
});

test('numbers may be negative', () => {
  const raw = Uint8Array.of(0x10, 0xfb, ...Array.from({ length: 8 }, () => 0xff), 0x01);
  expect(decodeProtobuf(body('scheduling.k8s.io/v1', 'PriorityClass', raw))).toMatchObject({ value: -5 });
});

test('fields from a newer client are skipped', () => {
  const raw = new WireWriter().text(900, 'new').bytes();
  expect(decodeProtobuf(body('v1', 'ConfigMap', raw))).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {} });
});

test('bodies that are not protobuf are refused with the message of a real server', () => {
  const start = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const prefix = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';
  expect(failureOf(Buffer.from('hello'))).toBe(`${start}${prefix} (68656c6c6f)`);
  expect(failureOf(Buffer.from('{"kind":"ConfigMap","apiVersion":"v1"}'))).toBe(
    `${start}${prefix} ({"kind":"ConfigMap","apiVersio ...)`,
  );
  expect(failureOf(Buffer.alloc(0))).toBe(`${start}empty data (<empty>)`);
  expect(failureOf(Buffer.from('k8s\0'))).toBe(`${start}empty body (6b387300)`);
  expect(failureOf(body('v1', 'ConfigMap', Uint8Array.of(10, 0)).subarray(0, 12))).toBe(
    `${start}unexpected EOF (6b3873000a0f0a0276311209)`,
  );
});

test('errors inside the message name its kind', () => {
  const start = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ';
  expect(failureOf(body('v1', 'ConfigMap', Uint8Array.of(0x0a, 0xff)))).toBe(`${start}unexpected EOF`);
  expect(failureOf(body('v1', 'ConfigMap', Uint8Array.of(0x08, 0x01)))).toBe(
    `${start}proto: wrong wireType = 0 for field ObjectMeta`,
  );
  expect(failureOf(body('foo/v1', 'Nope', new Uint8Array()))).toBe(
    'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "foo/v1" in scheme ' +
      '"pkg/runtime/scheme.go:111"',
  );
});

test('a message that is nested too deeply is refused', () => {
  let schema = new WireWriter();
  for (let depth = 0; depth < 20_000; depth += 1) schema = new WireWriter().message(28, schema);
  const version = new WireWriter().message(4, new WireWriter().message(1, schema));
  const definition = new WireWriter().message(2, new WireWriter().message(7, version)).bytes();
  expect(failureOf(body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', definition))).toMatch(/nested too deep/);
});

test('any bytes give an object or a 400', () => {
  const bodies = recorded.map(([, [bytes]]) => Buffer.from(bytes, 'base64'));
  const broken = fc
    .tuple(fc.constantFrom(...bodies), fc.nat(), fc.nat(), fc.nat({ max: 255 }))
    .map(([whole, end, at, byte]) => {
      const cut = Buffer.from(whole.subarray(0, end % (whole.length + 1)));
      if (cut.length > 0) cut[at % cut.length] = byte;
      return cut;
    });
  fc.assert(
    fc.property(broken, (bytes) => {
      failureOf(bytes);
    }),
    { numRuns: 500 },
  );
});

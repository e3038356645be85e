import { expect, test } from 'vitest';
import { hasCode, type KubeError } from '../../../src/core/errors.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { plainAccess } from '../../../src/core/object/object.ts';
import type { WatchEvent } from '../../../src/core/object/watch-event.ts';
import { decodeWatchStream, type WatchStreamOptions } from '../../../src/client/codec/watch-stream.ts';
import { readEvent } from '../../../src/informer/list-watch/event-reader.ts';
import { defaultWatchErrorHandler } from '../../../src/informer/reflector/watch-error.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import {
  body,
  type BodyOptions,
  bytes,
  type Collected,
  collect,
  concat,
  cutAt,
  everyByte,
  type TestBody,
} from '../rig/bodies.ts';
import { printedAdded, printedModified } from '../rig/printed-frames.ts';

type Event = WatchEvent<KubeObject>;

interface Rig extends Collected<Event> {
  readonly body: TestBody;
  readonly failure: KubeError;
}

/** Decodes the chunks to their end. */
async function rig(
  chunks: Iterable<Uint8Array | string>,
  options: WatchStreamOptions & BodyOptions = {},
): Promise<Rig> {
  const source = body(chunks, options);
  const collected = await collect(decodeWatchStream<KubeObject>(source, options));
  return { ...collected, body: source, failure: collected.error as KubeError };
}

const pod = (name: string, resourceVersion = '1'): KubeObject => ({ kind: 'Pod', metadata: { name, resourceVersion } });
const added = (object: unknown): Event => ({ type: 'ADDED', object: object as KubeObject });
const line = (event: unknown): string => `${JSON.stringify(event)}\n`;

test('STR-01: frames are put together across chunks whose borders mean nothing, and the end of the body is a clean end', async () => {
  const events = [added(pod('a')), added(pod('b')), added(pod('c'))];
  const whole = bytes(events.map(line).join(''));
  for (let at = 0; at <= whole.length; at += 1) {
    const { values, error, body: source } = await rig(cutAt(whole, [at]));
    expect(values).toEqual(events);
    expect(error).toBeUndefined();
    expect(source.closed).toBe(0);
  }
});

test('STR-02: all five types are handed on with their objects as they came', async () => {
  const events = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type, i) => ({
    type,
    object:
      type === 'ERROR' ? { kind: 'Status', code: 410 } : { kind: 'Pod', metadata: { resourceVersion: String(i) } },
  }));
  const { values, error } = await rig([events.map(line).join('')]);
  expect(values).toEqual(events);
  expect(error).toBeUndefined();
});

test('STR-03: events keep the order of the stream, whatever their versions say', async () => {
  const versions = ['9', '3', '7', '1'];
  const { values } = await rig([versions.map((version) => line(added(pod('a', version)))).join('')]);
  expect(values.map((event) => (event.object as KubeObject).metadata?.resourceVersion)).toEqual(versions);
});

test('STR-04: an unknown type is handed on, and reading it ends the stream', async () => {
  const { values, error } = await rig([line({ type: 'RENAMED', object: pod('a') })]);
  expect(error).toBeUndefined();
  expect(values).toHaveLength(1);
  expect(() => readEvent(values[0] as Event, plainAccess, undefined, () => {})).toThrow(/unknown event type/);
});

test('STR-04: an undecodable line ends the stream with WATCH_DECODE after the events before it, and the body is closed', async () => {
  const good = added(pod('a'));
  const { values, failure, body: source } = await rig([line(good), 'oops\n', line(added(pod('b')))]);
  expect(values).toEqual([good]);
  expect(failure.code).toBe('WATCH_DECODE');
  expect(failure.message).toBe(
    `the watch cannot be read: line 2 (4 bytes, from byte ${line(good).length} of the stream) is not valid JSON`,
  );
  expect(source).toMatchObject({ pulled: 2, closed: 1 });
});

test('STR-05, F5: a last line without LF is not an event, even if it is complete JSON: the stream ends as truncated', async () => {
  const good = added(pod('a'));
  for (const tail of [line(added(pod('b'))).trimEnd(), '{"type":"ADDED","obj', '{', 'x']) {
    const { values, failure, body: source } = await rig([line(good) + tail]);
    expect(values).toEqual([good]);
    expect(failure.code).toBe('TRANSPORT');
    expect(failure.message).toBe(`the watch was truncated: it ended ${tail.length} bytes into a line`);
    expect(source.closed).toBe(0);
  }
});

test('STR-05, F5: a truncated stream is logged at a low level', async () => {
  const { failure } = await rig(['{"type":']);
  const env = fakeEnv();
  defaultWatchErrorHandler(failure, { name: 'r', type: 'v1, Kind=Pod', env });
  expect(env.lines.map(({ level }) => level)).toEqual(['info']);
});

test('F5: white space after the last line is a clean end', async () => {
  for (const tail of ['', ' ', '\r', ' \t\r', '\uFEFF', '\uFEFF \r']) {
    const { values, error } = await rig([line(added(pod('a'))) + tail]);
    expect(values).toHaveLength(1);
    expect(error).toBeUndefined();
  }
});

test('STR-05, F4: a connection that breaks in mid-line drops the partial line and hands its own error on', async () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const {
    values,
    error,
    body: source,
  } = await rig([line(added(pod('a'))), '{"type":"ADDED","object":{}}'], { error: reset });
  expect(values).toEqual([added(pod('a'))]);
  expect(error).toBe(reset);
  expect(source.closed).toBe(0);
});

test('STR-10: a frame over several lines ends the stream with an error that says so', async () => {
  const { values, failure, body: source } = await rig([printedAdded, printedModified]);
  expect(values).toEqual([]);
  expect(failure.code).toBe('WATCH_DECODE');
  expect(failure.message).toContain('multi-line frame: line 1 (1 bytes, from byte 0 of the stream)');
  expect(source.closed).toBe(1);
});

test('STR-10: the same two frames on one line each are two events', async () => {
  const frames = [printedAdded, printedModified].map((text) => JSON.parse(text) as Event);
  const { values, error } = await rig(everyByte(bytes(frames.map(line).join(''))));
  expect(error).toBeUndefined();
  expect(values).toEqual(frames);
  expect(values.map(({ type, object }) => `${type} ${(object as KubeObject).metadata?.resourceVersion}`)).toEqual([
    'ADDED 250',
    'MODIFIED 2987',
  ]);
});

test('STR-10: only what ends inside an open value is called a multi-line frame', async () => {
  const says = async (text: string): Promise<boolean> =>
    (await rig([text])).failure.message.includes('multi-line frame');
  for (const text of ['{\n', ' {"type":\n', '{"type":"ADD\n', '{"type":"ADDED\\\n', '[{}\n', '{"a":"}"\n'])
    expect(await says(text)).toBe(true);
  for (const text of ['<html>{\n', 'say "hi\n', '{"a":}\n', '{} {}\n', '{"type":"ADDED"}\n', '}\n'])
    expect(await says(text)).toBe(false);
});

test('F47: a character of several bytes may be cut at every byte', async () => {
  const event = added({ metadata: { name: 'é€𝄞', annotations: { '\u{1F600}': '\uFFFD \uFEFF ñ' } } });
  const whole = bytes(line(event));
  for (let at = 0; at <= whole.length; at += 1) expect((await rig(cutAt(whole, [at]))).values).toEqual([event]);
  expect((await rig(everyByte(whole))).values).toEqual([event]);
});

test('F48: line separators that are not LF, a mark and a lone CR are content', async () => {
  const event = added({ metadata: { name: 'a\u2028b\u2029c\u0085d\uFEFFe' } });
  // Raw, as some servers send them: only Go escapes the first two.
  const text = JSON.stringify(event);
  expect(text).toContain('\u2028');
  const whole = bytes(`\uFEFF${text}\r\n\r \r${text} \r\r\n`);
  for (const chunks of [[whole], everyByte(whole)]) {
    const { values, error } = await rig(chunks);
    expect(error).toBeUndefined();
    expect(values).toEqual([event, event]);
  }
});

test('F48: what only looks like white space does not separate frames', async () => {
  for (const separator of ['\u2028', '\u2029', '\u0085', '\u000c', '\r']) {
    const { values, failure } = await rig([`${JSON.stringify(added(pod('a')))}${separator}${line(added(pod('b')))}`]);
    expect(values).toEqual([]);
    expect(failure.code).toBe('WATCH_DECODE');
  }
});

test('F49: bytes that are not UTF-8 end the stream, and no replacement character ever appears', async () => {
  const wrong = [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80]];
  for (const sequence of wrong) {
    const whole = concat(
      line(added(pod('a'))),
      '{"type":"ADDED","object":{"metadata":{"name":"',
      new Uint8Array(sequence),
      '"}}}\n',
    );
    for (const chunks of [[whole], everyByte(whole)]) {
      const { values, failure } = await rig(chunks);
      expect(values).toEqual([added(pod('a'))]);
      expect(failure.code).toBe('WATCH_DECODE');
      expect(failure.message).toMatch(/line 2 .* is not valid UTF-8/);
      expect(failure.cause).toBeInstanceOf(TypeError);
    }
  }
});

test('F50: many events in one chunk, one event in ten thousand chunks, empty lines and CRLF give the same', async () => {
  const events = Array.from({ length: 5 }, (_, i) => added(pod(`p${i}-${'x'.repeat(2_000)}`)));
  const plain = bytes(events.map(line).join(''));
  const spaced = bytes(`\n\r\n${events.map((event) => `${JSON.stringify(event)}\r\n \n\n\t\r\n`).join('')}\uFEFF\n`);
  for (const chunks of [
    [plain],
    everyByte(plain),
    [spaced],
    everyByte(spaced),
    [new Uint8Array(0), plain, new Uint8Array(0)],
  ]) {
    const { values, error } = await rig(chunks);
    expect(error).toBeUndefined();
    expect(values).toEqual(events);
  }
  expect(everyByte(plain).length).toBeGreaterThan(10_000);
});

test('F54, S35: numbers are those of JSON.parse: an int64 is rounded, 1e400 is Infinity, -0 stays; versions are strings', async () => {
  const { values } = await rig([
    '{"type":"ADDED","object":{"metadata":{"resourceVersion":"9223372036854775807123456"},"a":9223372036854775807,"b":1e400,"c":-0,"d":9007199254740993}}\n',
  ]);
  const object = values[0]?.object as Record<string, unknown>;
  expect(object['a']).toBe(2 ** 63);
  expect(object['b']).toBe(Number.POSITIVE_INFINITY);
  expect(Object.is(object['c'], -0)).toBe(true);
  expect(object['d']).toBe(2 ** 53);
  expect(object['metadata']).toEqual({ resourceVersion: '9223372036854775807123456' });
});

test('F55: of equal keys the last wins, also type and object', async () => {
  const { values } = await rig(['{"type":"ADDED","object":{"a":1},"type":"DELETED","object":{"a":2,"a":3}}\n']);
  expect(values).toEqual([{ type: 'DELETED', object: { a: 3 } }]);
});

test('F56: a frame that is not an event with a type and an object ends the stream', async () => {
  const wrong = [
    'null',
    '1',
    '"ADDED"',
    '[]',
    '{}',
    '{"type":"ADDED"}',
    '{"object":{}}',
    '{"type":1,"object":{}}',
    '{"type":"ADDED","object":null}',
    '{"type":"ADDED","object":[]}',
    '{"type":"ADDED","object":"x"}',
    '[{"type":"ADDED","object":{}}]',
    '{"__proto__":{"type":"ADDED","object":{}}}',
  ];
  for (const text of wrong) {
    const { values, failure } = await rig([`${line(added(pod('a')))}${text}\n`]);
    expect(values).toHaveLength(1);
    expect(hasCode(failure, 'WATCH_DECODE')).toBe(true);
    expect(failure.message).toContain('is not an event');
  }
});

test('F56: an object without metadata, a name or a version is handed on: the reader of events decides', async () => {
  const objects = [{}, { metadata: {} }, { metadata: null }, { kind: 'Table', rows: [] }];
  const { values, error } = await rig([objects.map((object) => line(added(object))).join('')]);
  expect(error).toBeUndefined();
  expect(values.map(({ object }) => object)).toEqual(objects);
});

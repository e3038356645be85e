import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../../core/json.ts';
import { statusError } from '../../core/status-error.ts';
import type { FrameCodec } from '../../storage/watch/watch-sink.ts';
import { isProtobufInRuleSchema } from '../rules/rule-schema.ts';
import type { GarbageName, ListFault, StreamErrorName } from '../rules/rule.ts';
import { damageWireBody, damageWireFrame, damagedWireFrame } from './wire-damage.ts';

const HTML =
  '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>\n';
const HUGE_BYTES = 10 * 1024 * 1024;
const DEPTH = 20_000;

export const garbageHtmlPage = (code: number, title: string): string =>
  HTML.replaceAll('502 Bad Gateway', `${code} ${title}`);

const garbageStatus = (code: number, reason: string, message: string): object =>
  statusError(code, reason, message).status;

/** The object of an ERROR event. */
export function garbageStreamError(error: StreamErrorName | JsonObject): object {
  if (typeof error === 'object') return error;
  switch (error) {
    case 'expired':
      return garbageStatus(410, 'Expired', 'The resourceVersion for the provided watch is too old.');
    case 'gone':
      return garbageStatus(410, 'Gone', 'too old resource version');
    case 'internal':
      return garbageStatus(500, 'InternalError', 'Internal error occurred: etcdserver: no leader');
    case 'too-large': {
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      const details = { causes, retryAfterSeconds: 1 };
      return statusError(504, 'Timeout', 'Timeout: Too large resource version: 9, current: 8', { details }).status;
    }
    case 'too-many-requests': {
      const details = { retryAfterSeconds: 1 };
      return statusError(429, 'TooManyRequests', 'storage is (re)initializing', { details }).status;
    }
    case 'unknown-reason':
      return garbageStatus(418, 'Teapot', 'this server is a teapot');
    case 'no-code': {
      const { code: _code, ...rest } = statusError(410, 'Expired', 'too old resource version').status;
      return rest;
    }
    case 'not-a-status':
      return { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'not-a-status' } };
    default:
      throw new TypeError(`no such error: ${String(error)}`);
  }
}

export interface StreamGarbage {
  readonly bytes: Buffer;
  /** Whether the stream ends after the garbage. */
  readonly ends?: boolean;
}

/**
 * A frame, or bytes in place of one, in the middle of a watch. `sample`: the last event, if there was one.
 * Bytes that are not an event are the same in every encoding.
 */
export function streamGarbage(
  name: GarbageName,
  sample: Buffer,
  random: () => number,
  frames: FrameCodec,
): StreamGarbage {
  const isProtobuf = frames.encoding === 'protobuf';
  if (isProtobufInRuleSchema(name)) return { bytes: damageWireFrame(name, sample), ends: name === 'cut-frame' };
  const line = (text: string): StreamGarbage => ({ bytes: Buffer.from(`${text}\n`) });
  const event = (object: string, type = 'MODIFIED'): StreamGarbage =>
    isProtobuf
      ? { bytes: frames.write(type, JSON.parse(object) as JsonObject) }
      : line(`{"type":"${type}","object":${object}}`);
  switch (name) {
    case 'truncated-json':
      return { bytes: sample.subarray(0, Math.max(1, sample.length >> 1)), ends: true };
    case 'random-bytes':
      return { bytes: randomGarbageBytes(64, random) };
    case 'html':
      return { bytes: Buffer.from(HTML), ends: true };
    case 'empty-lines':
    case 'empty':
      return line('\n\r\n');
    case 'null':
      return line('null');
    case 'empty-object':
      return line('{}');
    case 'wrong-kind':
      return event('{"kind":"Nonsense","apiVersion":"example.com/v9","metadata":{"name":"x","resourceVersion":"1"}}');
    case 'no-metadata':
      return event('{"kind":"Pod","apiVersion":"v1"}');
    case 'no-resource-version':
      return event(
        '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","namespace":"default","resourceVersion":""}}',
      );
    case 'bad-resource-version':
      return event(
        '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","namespace":"default","resourceVersion":"x1"}}',
      );
    case 'unknown-type':
      return event('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}}', 'RENAMED');
    case 'bom':
      return { bytes: Buffer.concat([BOM, sample]) };
    case 'nan':
      return line(
        '{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"spec":{"weight":NaN}}}',
      );
    case 'huge':
      return event(
        `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","annotations":{"a":"${'x'.repeat(HUGE_BYTES)}"}}}`,
      );
    case 'deep':
      if (isProtobuf) return { bytes: damagedWireFrame('MODIFIED', `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`) };
      return event(
        `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"spec":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`,
      );
    // For complete responses: rules with them never apply to a stream.
    case 'long-content-length':
    case 'wrong-content-type':
    case 'multi-member-gzip':
    case 'corrupt-gzip':
    default:
      return { bytes: randomGarbageBytes(64, random), ends: true };
  }
}

export interface BodyGarbage {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | null>>;
  /** Whether the connection is cut after it: the promised length does not come. */
  readonly cut?: boolean;
}

/** Applies a change to a body in its own encoding. */
export type EditBody = (body: Buffer, edit: (value: JsonObject) => unknown) => Buffer;

/** Bytes sent in place of a response body. */
export function bodyGarbage(name: GarbageName, body: Buffer, random: () => number, editBody: EditBody): BodyGarbage {
  if (isProtobufInRuleSchema(name)) return { bytes: damageWireBody(name, body), headers: {} };
  const text = (value: string): BodyGarbage => ({ bytes: Buffer.from(value), headers: {} });
  const gzip = { 'content-encoding': 'gzip' };
  switch (name) {
    case 'truncated-json':
      return { bytes: body.subarray(0, body.length >> 1), headers: {} };
    case 'long-content-length':
      return { bytes: body, headers: { 'content-length': String(body.length + 100) }, cut: true };
    case 'wrong-content-type':
      return { bytes: body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
    case 'html':
      return { bytes: Buffer.from(HTML), headers: { 'content-type': 'text/html' } };
    case 'random-bytes':
      return { bytes: randomGarbageBytes(256, random), headers: {} };
    case 'empty':
      return text('');
    case 'empty-lines':
      return text('\n\n\n');
    case 'null':
      return text('null');
    case 'empty-object':
      return text('{}');
    case 'wrong-kind':
      return text('{"kind":"Nonsense","apiVersion":"example.com/v9"}');
    case 'no-metadata':
      return { bytes: editBody(body, ({ metadata: _metadata, ...rest }) => rest), headers: {} };
    case 'no-resource-version':
      return { bytes: garbageWithVersion(body, '', editBody), headers: {} };
    case 'bad-resource-version':
      return { bytes: garbageWithVersion(body, 'x1', editBody), headers: {} };
    case 'bom':
      return { bytes: Buffer.concat([BOM, body]), headers: {} };
    case 'nan':
      return text('{"kind":"List","apiVersion":"v1","metadata":{},"items":[NaN]}');
    case 'huge':
      return text(`{"kind":"List","apiVersion":"v1","metadata":{"continue":"${'x'.repeat(HUGE_BYTES)}"},"items":[]}`);
    case 'deep':
      return text(`{"items":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`);
    case 'multi-member-gzip': {
      const half = body.length >> 1;
      return { bytes: Buffer.concat([gzipSync(body.subarray(0, half)), gzipSync(body.subarray(half))]), headers: gzip };
    }
    case 'corrupt-gzip': {
      const zipped = gzipSync(body);
      zipped.fill(0, Math.min(12, zipped.length), Math.max(12, zipped.length - 4));
      return { bytes: zipped, headers: gzip };
    }
    case 'unknown-type':
    default:
      return text('"of no type that anybody knows"');
  }
}

/** A list that looks correct but is not. */
export function garbageList(fault: ListFault, list: JsonObject): JsonObject {
  const items = (Array.isArray(list['items']) ? list['items'] : []) as JsonObject[];
  const first = items[0];
  if (fault === 'no-resource-version')
    return { ...list, metadata: { ...(list['metadata'] as JsonObject), resourceVersion: '' } };
  if (first === undefined) return list;
  return { ...list, items: fault === 'duplicate-item' ? [...items, first] : items.slice(1) };
}

/** Applies a change to a JSON body; other bodies stay as they are. */
export const editGarbageBody: EditBody = (body, edit) => {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return body;
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return body;
  return Buffer.from(`${JSON.stringify(edit(value as JsonObject))}\n`);
};

const garbageWithVersion = (body: Buffer, resourceVersion: string, editBody: EditBody): Buffer =>
  editBody(body, (value) => ({
    ...value,
    metadata: { ...(value['metadata'] as JsonObject | undefined), resourceVersion },
  }));

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

const randomGarbageBytes = (length: number, random: () => number): Buffer =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));

import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Work } from '../../core/work.ts';
import { badRequestStatusError } from '../../core/status-error.ts';
import type { Resource } from '../schema/resource.ts';
import { kindMessage } from './kind-message.ts';
import { decodeProtobufMessage } from './decode-protobuf-message.ts';
import { WireError, protobufWireFields } from './wire.ts';

/** The first bytes of every body: `k8s` and a zero. */
const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
/** Size of the length before each frame of a watch. */
const LENGTH_BYTES = 4;
const TYPE_META = 1;
const RAW = 2;

type Expected = Pick<Resource, 'group' | 'version' | 'kind'>;

/**
 * Reads a body of type `application/vnd.kubernetes.protobuf`: the object as the same client would have sent
 * it in JSON.
 *
 * `expected` is the type of the path. It is used if the body has no apiVersion and kind, and is named in
 * errors. `work` bounds the number of fields. Throws a StatusError 400 for anything that is not a built-in
 * kind in protobuf; custom resources have no such form.
 */
export function decodeProtobuf(body: Uint8Array, expected?: Expected, work?: Work): ApiObject {
  const envelope = decodeWrappedProtobuf(body, expected);
  const kind = envelope.kind === '' ? (expected?.kind ?? '') : envelope.kind;
  const apiVersion = envelope.apiVersion === '' ? protobufApiVersionToDecode(expected) : envelope.apiVersion;
  const [version = ''] = apiVersion.split('/').toReversed();
  const refuse = (why: string): Error =>
    badRequestStatusError(`${kind} in version "${version}" cannot be handled as a ${expected?.kind ?? kind}: ${why}`);
  const message = kindMessage({ apiVersion, kind });
  if (message === undefined) {
    throw refuse(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`);
  }
  try {
    return { kind, apiVersion, ...(decodeProtobufMessage(message, envelope.raw, work) as JsonObject) } as ApiObject;
  } catch (error) {
    throw error instanceof WireError ? refuse(error.message) : error;
  }
}

/** Reads a frame of a watch. */
export function decodeProtobufFrame(frame: Uint8Array): { readonly type: string; readonly object: JsonObject } {
  const { 1: type, 2: object } = decodeProtobufBytesByNumber(frame.subarray(LENGTH_BYTES));
  const { 1: body } = decodeProtobufBytesByNumber(object ?? new Uint8Array());
  return {
    type: decodeWrappedProtobufText(type),
    object: decodeProtobuf(body ?? new Uint8Array()) as unknown as JsonObject,
  };
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

function decodeWrappedProtobuf(body: Uint8Array, expected: Expected | undefined): Envelope {
  const refuse = (why: string): Error =>
    badRequestStatusError(
      `the object provided is unrecognized (must be of type ${expected?.kind ?? 'Object'}): ${why} (${glimpseOfUndecodedProtobuf(body)})`,
    );
  if (body.length === 0) throw refuse('empty data');
  if (MAGIC.some((byte, at) => body[at] !== byte)) {
    throw refuse(`provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`);
  }
  if (body.length === MAGIC.length) throw refuse('empty body');
  try {
    const { [TYPE_META]: typeMeta, [RAW]: raw } = decodeProtobufBytesByNumber(body.subarray(MAGIC.length));
    const { 1: apiVersion, 2: kind } = decodeProtobufBytesByNumber(typeMeta ?? new Uint8Array());
    return {
      apiVersion: decodeWrappedProtobufText(apiVersion),
      kind: decodeWrappedProtobufText(kind),
      raw: raw ?? new Uint8Array(),
    };
  } catch (error) {
    throw error instanceof WireError ? refuse(error.message) : error;
  }
}

function decodeProtobufBytesByNumber(bytes: Uint8Array): Record<number, Uint8Array | undefined> {
  const found: Record<number, Uint8Array> = {};
  for (const { number, value } of protobufWireFields(bytes)) if (value instanceof Uint8Array) found[number] = value;
  return found;
}

function decodeWrappedProtobufText(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString();
}

function protobufApiVersionToDecode(expected: Expected | undefined): string {
  if (expected === undefined) return '';
  return expected.group === '' ? expected.version : `${expected.group}/${expected.version}`;
}

/** The first thirty bytes: as text if they look like JSON, otherwise in hex. */
function glimpseOfUndecodedProtobuf(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const start = Buffer.from(body.subarray(0, 30));
  const shown = body[0] === 0x7b ? start.toString() : start.toString('hex');
  return body.length > 30 ? `${shown} ...` : shown;
}

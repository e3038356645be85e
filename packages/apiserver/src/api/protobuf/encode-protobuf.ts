import type { JsonObject } from '../../core/json.ts';
import { encodeProtobufMessage } from './encode-protobuf-message.ts';
import { kindMessage, type TypeMeta } from './kind-message.ts';
import { ReverseWriter } from './reverse-writer.ts';

/** The first bytes of every body: `k8s` and a zero. */
const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const LENGTH_BYTES = 4;

/** Metadata is field 1 of every kind, so that any object can be encoded without the rest. */
const ONLY_METADATA = 'io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata';

const writer = new ReverseWriter();

/**
 * A whole body of type `application/vnd.kubernetes.protobuf`. For a kind without a message, only the metadata
 * is encoded.
 */
export function encodeProtobuf(object: object): Buffer {
  const { type, message } = encodeProtobufByKind(object);
  return encodeProtobufBody(type, message);
}

/** A frame of a watch with this object. */
export function encodeProtobufFrameOf(event: string, object: object): Buffer {
  const { type, message } = encodeProtobufByKind(object);
  return encodeProtobufFrame(event, type, message);
}

function encodeProtobufByKind(object: object): { readonly type: TypeMeta; readonly message: Buffer } {
  const { apiVersion = '', kind = '' } = object as Partial<TypeMeta>;
  const type = { apiVersion, kind };
  return { type, message: encodeProtobufMessage(kindMessage(type) ?? ONLY_METADATA, object as JsonObject) };
}

/** The body around a message that is already encoded. */
export function encodeProtobufBody(type: TypeMeta, message: Uint8Array): Buffer {
  writer.clear();
  encodeProtobufBodyInto(type, message);
  return writer.take();
}

/** One frame of a watch: its length, the type of the event, and the body of the object. */
export function encodeProtobufFrame(event: string, type: TypeMeta, message: Uint8Array): Buffer {
  writer.clear();
  encodeProtobufBodyInto(type, message);
  writer.close(1, 0);
  writer.close(2, 0);
  writer.text(1, event);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(writer.length);
  writer.raw(length);
  return writer.take();
}

/**
 * The bytes before a message of this length, and those after it, so that a list can be sent without
 * concatenating it.
 */
export function encodeProtobufAround(type: TypeMeta, length: number): { readonly head: Buffer; readonly tail: Buffer } {
  writer.clear();
  encodeProtobufTail();
  const tail = writer.take();
  writer.head(2, length);
  encodeProtobufHeadInto(type);
  return { head: writer.take(), tail };
}

/** The bytes before a nested message of this length. */
export function encodeProtobufHead(number: number, length: number): Buffer {
  writer.clear();
  writer.head(number, length);
  return writer.take();
}

function encodeProtobufBodyInto(type: TypeMeta, message: Uint8Array): void {
  encodeProtobufTail();
  writer.bytes(2, message);
  encodeProtobufHeadInto(type);
}

/** Writes the encoding and content type, which are empty for JSON and protobuf. */
function encodeProtobufTail(): void {
  writer.text(4, '');
  writer.text(3, '');
}

function encodeProtobufHeadInto({ apiVersion, kind }: TypeMeta): void {
  const start = writer.length;
  writer.text(2, kind);
  writer.text(1, apiVersion);
  writer.close(1, start);
  writer.raw(MAGIC);
}

import type { Env } from 'kube-informer/core';
import { decodeProtobuf, decodeProtobufFrame } from '../../api/protobuf/decode-protobuf.ts';
import { encodeProtobufMessage } from '../../api/protobuf/encode-protobuf-message.ts';
import {
  encodeProtobuf,
  encodeProtobufBody,
  encodeProtobufFrame,
  encodeProtobufFrameOf,
  encodeProtobufAround,
  encodeProtobufHead,
} from '../../api/protobuf/encode-protobuf.ts';
import { kindMessage, type TypeMeta } from '../../api/protobuf/kind-message.ts';
import { META } from '../../api/schema/builtin-schema.ts';
import { isJson, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Served } from '../../registry/served.ts';
import type { StoredRecord } from '../../storage/store/stored-record.ts';
import type { BookmarkOptions, WatchForm } from '../../storage/watch/watch-form.ts';
import type { FrameCodec } from '../../storage/watch/watch-sink.ts';
import type { Page } from '../../verbs/list-verb.ts';
import { listFormMeta, objectFormAtRevision } from './forms.ts';
import type { Accepted } from './negotiate.ts';

/** Number of bytes after which encoding a big list pauses for other requests. */
const SLICE_BYTES = 256 * 1024;

const METADATA = `${META}PartialObjectMetadata`;

/** The messages of stored objects in one form: each is encoded once, and dropped with its record. */
class RecordMessages {
  readonly #served: Served;
  readonly #message: string;
  readonly #encoded = new WeakMap<StoredRecord, Buffer>();

  constructor(served: Served, message: string) {
    this.#served = served;
    this.#message = message;
  }

  /** Whether the form is cached, so that `of` costs nothing. */
  has(record: StoredRecord): boolean {
    return this.#encoded.has(record);
  }

  of(record: StoredRecord): Buffer {
    let bytes = this.#encoded.get(record);
    if (bytes === undefined) this.#encoded.set(record, (bytes = this.encode(this.#served.object(record))));
    return bytes;
  }

  /** The object with the version of an event. */
  at(record: StoredRecord, revision: number): Buffer {
    if (revision === record.revision) return this.of(record);
    return this.encode(objectFormAtRevision(this.#served.object(record), revision));
  }

  encode(object: ApiObject): Buffer {
    return encodeProtobufMessage(this.#message, object as JsonObject);
  }
}

interface ServedMessages {
  readonly object: RecordMessages;
  readonly metadata: RecordMessages;
}

const messagesByServed = new WeakMap<Served, ServedMessages>();

function protobufFormsOfRecords(served: Served, as: Accepted['as']): RecordMessages {
  let messages = messagesByServed.get(served);
  if (messages === undefined) {
    const { kind } = served.resource;
    messages = {
      object: new RecordMessages(served, kindMessage({ apiVersion: served.apiVersion, kind }) ?? METADATA),
      metadata: new RecordMessages(served, METADATA),
    };
    messagesByServed.set(served, messages);
  }
  return as === 'object' ? messages.object : messages.metadata;
}

/** A stored object as the body of a response. */
export function protobufObjectForm(served: Served, record: StoredRecord): Buffer {
  const type = { apiVersion: served.apiVersion, kind: served.resource.kind };
  return encodeProtobufBody(type, protobufFormsOfRecords(served, 'object').of(record));
}

/** A list of whole objects or of their metadata, in pieces. */
export async function protobufListForm(
  env: Pick<Env, 'yield'>,
  served: Served,
  page: Page,
  { as, version }: Accepted,
): Promise<{ readonly pieces: Iterable<Buffer>; readonly length: number }> {
  const type: TypeMeta =
    as === 'object'
      ? { apiVersion: served.apiVersion, kind: served.resource.listKind }
      : { apiVersion: `meta.k8s.io/${version}`, kind: 'PartialObjectMetadataList' };
  const messages = protobufFormsOfRecords(served, as);
  const { revision, continue: token, remaining } = page;
  const meta = encodeProtobufMessage(
    `${META}ListMeta`,
    listFormMeta({ revision: String(revision), continue: token, remaining }),
  );
  const body = [encodeProtobufHead(1, meta.length), meta];
  let length = 0;
  let fresh = 0;
  for (const record of page.records) {
    if (!messages.has(record)) fresh += record.tail.length;
    const item = messages.of(record);
    body.push(encodeProtobufHead(2, item.length), item);
    // The length of everything comes first, so nothing can be sent before everything is encoded.
    if (fresh < SLICE_BYTES) continue;
    fresh = 0;
    await env.yield();
  }
  for (const piece of body) length += piece.length;
  const { head, tail } = encodeProtobufAround(type, length);
  return { pieces: [head, ...body, tail], length };
}

/** Frames of protobuf, each after its length. */
export const protobufFrames: FrameCodec = {
  encoding: 'protobuf',
  write: encodeProtobufFrameOf,
  read: decodeProtobufFrame,
};

/** Applies a change to a body. A result that is not an object is sent as JSON. */
export function editProtobufForm(body: Buffer, edit: (value: JsonObject) => unknown): Buffer {
  const value = edit(decodeProtobuf(body) as unknown as JsonObject);
  return isJson(value) ? encodeProtobuf(value) : Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Events of whole objects or of their metadata. */
export function protobufWatchForm(
  served: Served,
  { as, version }: Accepted,
  emptyObject: (mark: BookmarkOptions) => ApiObject,
): WatchForm {
  const { apiVersion } = served;
  const type: TypeMeta =
    as === 'object'
      ? { apiVersion, kind: served.resource.kind }
      : { apiVersion: `meta.k8s.io/${version}`, kind: 'PartialObjectMetadata' };
  const messages = protobufFormsOfRecords(served, as);
  return {
    key: `protobuf ${type.kind} ${type.apiVersion} ${apiVersion}`,
    event: (event, record, revision) => encodeProtobufFrame(event, type, messages.at(record, revision)),
    bookmark: (mark) => encodeProtobufFrame('BOOKMARK', type, messages.encode(emptyObject(mark))),
  };
}

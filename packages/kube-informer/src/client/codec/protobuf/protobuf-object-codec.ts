import { KubeError } from '../../../core/errors.ts';
import type {
  ObjectCodec,
  ObjectIdentity,
  ObjectOutline,
  Scalar,
  UnknownField,
} from '../../../core/object/object-codec.ts';
import type { TypeRef } from '../../../core/object/object.ts';
import type { ReducedObjects, Reduction } from '../../../core/object/reduction.ts';
import { decodeMessageFieldValue, decodeMessageInto } from './decode-message.ts';
import type { DecodeLimits } from './decode-special.ts';
import { findUnknownField } from './find-unknown-field.ts';
import type { FieldProgram, MessageProgram } from './message-program.ts';
import { reduceMessage, programToReduceMessage } from './reduce-message.ts';
import { type PathQuery, readPathMapAt, readPath } from './read-path.ts';
import { BYTES, decodeWireText, WireCursor, WireError } from './wire-cursor.ts';

/** The numbers of ObjectMeta's fields that identify a state of an object, in the order they are sent. */
const NAME = 1;
const NAMESPACE = 3;
const UID = 5;
const RESOURCE_VERSION = 6;
/** Metadata is field 1 of every kind. */
const METADATA_TAG = 1 * 8 + BYTES;

const NO_IDENTITY: ObjectIdentity = {
  name: undefined,
  namespace: undefined,
  uid: undefined,
  resourceVersion: undefined,
};

/**
 * Reads objects of one kind from protobuf.
 *
 * `check` comes first: all other functions skip what the table does not have.
 */
export class ProtobufObjectCodec implements ObjectCodec {
  readonly format = 'protobuf';
  readonly #type: Required<TypeRef>;
  readonly #program: MessageProgram;
  readonly #limits: DecodeLimits;
  readonly #copying: DecodeLimits;
  /** The fields of the last object, and their names. */
  #lastNumbers: readonly number[] = [];
  #lastNames: readonly string[];

  constructor(type: Required<TypeRef>, program: MessageProgram, maxDepth: number) {
    this.#type = type;
    this.#program = program;
    this.#limits = { maxDepth, copiesLazy: false };
    this.#copying = { maxDepth, copiesLazy: true };
    this.#lastNames = ['apiVersion', 'kind', ...program.nulls];
  }

  get type(): Required<TypeRef> {
    return this.#type;
  }

  check(bytes: Uint8Array, at: number, end: number): UnknownField | undefined {
    return refuseMalformedProtobuf(() => findUnknownField(this.#program, bytes, at, end, this.#limits.maxDepth));
  }

  identity(bytes: Uint8Array, at: number, end: number): ObjectIdentity {
    const cursor = new WireCursor(bytes, at);
    return refuseMalformedProtobuf(() => {
      const range = this.#find('metadata', cursor, end);
      return range === undefined ? NO_IDENTITY : readProtobufIdentity(bytes, cursor.at, range.end);
    });
  }

  outline(bytes: Uint8Array, at: number, end: number): ObjectOutline {
    return refuseMalformedProtobuf(() => this.#outline(bytes, at, end));
  }

  /** Objects of one kind have the same few fields, so the names of the last object are reused if they still match. */
  #outline(bytes: Uint8Array, at: number, end: number): ObjectOutline {
    const cursor = new WireCursor(bytes, at);
    const { fields } = this.#program;
    const last = this.#lastNumbers;
    let numbers: number[] | undefined;
    let count = 0;
    let previous = 0;
    let metadataAt = end;
    let metadataEnd = end;
    while (cursor.at < end) {
      const tag = cursor.varint(end);
      const number = tag >>> 3;
      const field = fields[number];
      const from = cursor.at;
      if (tag === METADATA_TAG) {
        metadataEnd = cursor.endOfField(end);
        metadataAt = cursor.at;
        cursor.at = metadataEnd;
      } else cursor.skip(tag & 7, end);
      // Items of a list and entries of a map follow each other.
      if (field === undefined || number === previous) continue;
      if (!isProtobufSection(field) && !this.#isShownAt(field, bytes, from, end)) continue;
      previous = number;
      if (numbers === undefined && number !== last[count]) numbers = last.slice(0, count);
      numbers?.push(number);
      count += 1;
    }
    if (numbers !== undefined || count !== last.length) this.#learnNames(numbers ?? last.slice(0, count));
    return { names: this.#lastNames, type: this.#type, identity: readProtobufIdentity(bytes, metadataAt, metadataEnd) };
  }

  #learnNames(numbers: readonly number[]): void {
    const { fields, nulls } = this.#program;
    const sent = numbers.map((number) => (fields[number] as FieldProgram).name);
    this.#lastNumbers = numbers;
    this.#lastNames = [...new Set(['apiVersion', 'kind', ...sent, ...nulls])];
  }

  decodeField(name: string, bytes: Uint8Array, at: number, end: number): unknown {
    if (name === 'apiVersion' || name === 'kind') return this.#type[name];
    // Nested metadata, as in a template, may have `managedFields` too, which must not refer to bytes that are only
    // valid for now.
    const limits = name === 'metadata' ? this.#limits : this.#copying;
    return refuseMalformedProtobuf(() => {
      const cursor = new WireCursor(bytes, at);
      const field = this.#program.fields.find((each) => each?.name === name);
      if (field?.type !== 'message' || field.shape !== 'one') return this.#decode(bytes, at, end, limits)[name];
      const range = this.#find(name, cursor, end);
      if (range === undefined) return this.#program.nulls.includes(name) ? null : undefined;
      cursor.at = range.start;
      return decodeMessageFieldValue(field, cursor, end, limits);
    });
  }

  decode(bytes: Uint8Array, at: number, end: number): object {
    return this.#decode(bytes, at, end, this.#copying);
  }

  read(bytes: Uint8Array, at: number, end: number, path: readonly string[]): readonly Scalar[] {
    const [first] = path;
    if (first === 'apiVersion' || first === 'kind') return path.length === 1 ? [this.#type[first]] : [];
    const query: PathQuery = { path, limits: this.#limits, found: [] };
    refuseMalformedProtobuf(() => readPath(this.#program, new WireCursor(bytes, at), end, query, 0));
    return query.found;
  }

  readMap(
    bytes: Uint8Array,
    at: number,
    end: number,
    path: readonly string[],
  ): Readonly<Record<string, string>> | undefined {
    const map: Record<string, string> = {};
    const isFound = refuseMalformedProtobuf(() =>
      readPathMapAt(this.#program, new WireCursor(bytes, at), end, { path, limits: this.#limits }, map),
    );
    return isFound ? map : undefined;
  }

  reduced(reduction: Reduction): ReducedObjects {
    const program = programToReduceMessage(this.#program, reduction.keeps, reduction.fields);
    return {
      codec: new ProtobufObjectCodec(this.#type, program, this.#limits.maxDepth),
      cut: (bytes, at, end) => reduceMessage(this.#program, bytes, at, end, reduction),
    };
  }

  #decode(bytes: Uint8Array, at: number, end: number, limits: DecodeLimits): Record<string, unknown> {
    const object: Record<string, unknown> = { apiVersion: this.#type.apiVersion, kind: this.#type.kind };
    refuseMalformedProtobuf(() => decodeMessageInto(object, this.#program, new WireCursor(bytes, at), end, limits));
    return object;
  }

  /** Whether JSON shows a field that is not a section: Go leaves some out when they are empty. */
  #isShownAt(field: FieldProgram, bytes: Uint8Array, at: number, end: number): boolean {
    const value = decodeMessageFieldValue(field, new WireCursor(bytes, at), end, this.#limits);
    return value === null ? field.showsNull : field.showsZero || (value !== '' && value !== 0 && value !== false);
  }

  /** The last field of that name: `start` is where its length is, the cursor is behind it. */
  #find(name: string, cursor: WireCursor, end: number): { readonly start: number; readonly end: number } | undefined {
    let found: { readonly start: number; readonly from: number; readonly end: number } | undefined;
    while (cursor.at < end) {
      const tag = cursor.varint(end);
      const start = cursor.at;
      if ((tag & 7) === BYTES && this.#program.fields[tag >>> 3]?.name === name) {
        const to = cursor.endOfField(end);
        found = { start, from: cursor.at, end: to };
        cursor.at = to;
      } else cursor.skip(tag & 7, end);
    }
    if (found !== undefined) cursor.at = found.from;
    return found;
  }
}

/** Whether a field is a section: JSON shows it whenever it was sent, so this is known without decoding it. */
function isProtobufSection({ shape, type, message }: FieldProgram): boolean {
  return shape !== 'one' || (type === 'message' && message?.special === undefined);
}

/** Reads the four fields of the metadata that identify a state. Servers write fields in the order of their numbers. */
function readProtobufIdentity(bytes: Uint8Array, at: number, end: number): ObjectIdentity {
  const cursor = new WireCursor(bytes, at);
  let name: string | undefined;
  let namespace: string | undefined;
  let uid: string | undefined;
  let resourceVersion: string | undefined;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    const number = tag >>> 3;
    if ((tag & 7) !== BYTES || number > RESOURCE_VERSION) break;
    const to = cursor.endOfField(end);
    // Objects share their namespaces, but none of these other fields.
    if (number === NAMESPACE) namespace = cursor.text(to) || undefined;
    else if (number === NAME) name = decodeWireText(bytes, cursor.at, to) || undefined;
    else if (number === UID) uid = decodeWireText(bytes, cursor.at, to) || undefined;
    else if (number === RESOURCE_VERSION) resourceVersion = decodeWireText(bytes, cursor.at, to) || undefined;
    cursor.at = to;
  }
  return { name, namespace, uid, resourceVersion };
}

/** Turns a failure of the wire into a KubeError. */
function refuseMalformedProtobuf<R>(read: () => R): R {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new KubeError('LIST_INVALID', `a protobuf object cannot be read: ${error.message}`, { cause: error });
  }
}

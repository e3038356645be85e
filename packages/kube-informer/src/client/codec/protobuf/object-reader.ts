import { isKubeError } from '../../../core/errors.ts';
import type { KubeObject, TypeRef } from '../../../core/object/object.ts';
import type { UnknownField } from '../../../core/object/object-codec.ts';
import { METADATA_TYPE } from '../metadata-only.ts';
import type { FeedOptions } from '../wire-format.ts';
import type { MessagePrograms } from './message-program.ts';
import type { Piece } from './piece-reader.ts';
import { ProtobufObjectCodec } from './protobuf-object-codec.ts';
import { WireCursor, WireError } from './wire-cursor.ts';

/** Metadata is field 1 of every kind. */
const METADATA_TAG = 1 * 8 + 2;

/**
 * Thrown when the server sends a kind or a field that the table does not have. The caller repeats the request
 * in JSON.
 */
export class UnknownToTable extends Error {
  override readonly name = 'UnknownToTable';
  readonly type: TypeRef;
  readonly field: UnknownField | undefined;

  constructor(type: TypeRef, field: UnknownField | undefined) {
    const what = `${type.apiVersion}, Kind=${type.kind}`;
    super(
      field === undefined ? `${what} is not in the table` : `${field.message} has no field ${field.field}, ${what}`,
    );
    this.type = type;
    this.field = field;
  }
}

/**
 * Makes objects of one kind, after checking that every field is known.
 *
 * Throws WireError for malformed bytes, UnknownToTable for a field or a kind of a newer server.
 */
export class ObjectReader<T> {
  readonly #codec: ProtobufObjectCodec;
  readonly #options: FeedOptions<T>;
  readonly #isCut: boolean;

  constructor(type: Required<TypeRef>, programs: MessagePrograms, options: FeedOptions<T>) {
    const { metadataOnly, maxDepth } = options;
    this.#isCut = metadataOnly !== undefined && type.kind !== METADATA_TYPE.kind;
    const shown = this.#isCut && readsWholeObjectType(type, metadataOnly) ? METADATA_TYPE : type;
    const program = this.#isCut
      ? programs.ofKind(METADATA_TYPE.apiVersion, METADATA_TYPE.kind)
      : programs.ofKind(type.apiVersion, type.kind);
    if (program === undefined) throw new UnknownToTable(type, undefined);
    this.#codec = new ProtobufObjectCodec(shown, program, maxDepth);
    this.#options = options;
  }

  get type(): Required<TypeRef> {
    return this.#codec.type;
  }

  /** The object, as the caller builds it. */
  read(whole: Piece): T {
    const { bytes, at, end } = this.#known(whole);
    const { builder } = this.#options;
    return builder === undefined
      ? (this.#codec.decode(bytes, at, end) as T)
      : builder.build(this.#codec, bytes, at, end);
  }

  /** Reads a bookmark or a Status, which is a plain object whatever the caller builds. */
  readPlain(whole: Piece): object {
    const { bytes, at, end } = this.#known(whole);
    return this.#codec.decode(bytes, at, end);
  }

  /** Reads the readable parts of an object that cannot be decoded, or of which only the beginning was kept. */
  salvage({ bytes, at, end }: Piece): KubeObject {
    let known = new Map<string, string>();
    try {
      known = salvagedByObjectReader(bytes, at, end);
    } catch {
      // Without its name it is still reported.
    }
    // The fields are sent in this order: without the version, a name or a namespace may be missing too.
    return { ...this.#codec.type, metadata: known.has('resourceVersion') ? Object.fromEntries(known) : {} };
  }

  #known(whole: Piece): Piece {
    const piece = this.#isCut ? metadataOfObjectReader(whole) : whole;
    const unknown = this.#codec.check(piece.bytes, piece.at, piece.end);
    if (unknown !== undefined) throw new UnknownToTable(this.#codec.type, unknown);
    return piece;
  }
}

/** Whether a request for metadata is about this type, so that a whole object becomes a PartialObjectMetadata. */
function readsWholeObjectType(type: TypeRef, whole: TypeRef | undefined): boolean {
  return whole?.apiVersion === type.apiVersion && (whole?.kind === undefined || whole.kind === type.kind);
}

/** The bytes of an object's metadata with their tag, which are a valid PartialObjectMetadata. */
function metadataOfObjectReader({ bytes, at, end }: Piece): Piece {
  const cursor = new WireCursor(bytes, at);
  while (cursor.at < end) {
    const from = cursor.at;
    const tag = cursor.varint(end);
    cursor.skip(tag & 7, end);
    if (tag === METADATA_TAG) return { bytes, at: from, end: cursor.at };
  }
  return { bytes, at: end, end };
}

/** The fields of ObjectMeta that identify a state of an object, by number. */
const IDENTITY = new Map([
  [1, 'name'],
  [3, 'namespace'],
  [5, 'uid'],
  [6, 'resourceVersion'],
]);

/** Reads as far as the bytes are whole. The metadata itself may be cut off. */
function salvagedByObjectReader(bytes: Uint8Array, at: number, end: number): Map<string, string> {
  const cursor = new WireCursor(bytes, at);
  const found = new Map<string, string>();
  if (cursor.varint(end) !== METADATA_TAG) return found;
  const to = Math.min(end, cursor.varint(end) + cursor.at);
  try {
    while (cursor.at < to) {
      const tag = cursor.varint(to);
      const name = IDENTITY.get(tag >>> 3);
      if (name !== undefined && (tag & 7) === 2) found.set(name, cursor.text(cursor.endOfField(to)));
      else cursor.skip(tag & 7, to);
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error; // the rest is not whole
  }
  return found;
}

/** Whether an object could not be read because of its bytes. */
export function isBadForObjectReader(error: unknown): error is Error {
  return error instanceof WireError || isKubeError(error);
}

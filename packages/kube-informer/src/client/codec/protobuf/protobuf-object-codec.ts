import { KubeError } from '../../../core/errors.ts';
import type { ObjectCodec, ObjectIdentity, Scalar, UnknownField } from '../../../core/object/object-codec.ts';
import type { TypeRef } from '../../../core/object/object.ts';
import { decodeFieldValue, decodeMessageInto } from './decode-message.ts';
import type { DecodeLimits } from './decode-special.ts';
import { findUnknownField } from './find-unknown-field.ts';
import type { FieldProgram, MessageProgram } from './message-program.ts';
import { type PathQuery, readMapAt, readPath } from './read-path.ts';
import { BYTES, WireCursor, WireError } from './wire-cursor.ts';

/** The numbers of ObjectMeta's fields that name a state, in the order they are sent. */
const NAME = 1;
const NAMESPACE = 3;
const UID = 5;
const RESOURCE_VERSION = 6;

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

  constructor(type: Required<TypeRef>, program: MessageProgram, maxDepth: number) {
    this.#type = type;
    this.#program = program;
    this.#limits = { maxDepth, copiesLazy: false };
    this.#copying = { maxDepth, copiesLazy: true };
  }

  get type(): Required<TypeRef> {
    return this.#type;
  }

  check(bytes: Uint8Array, at: number, end: number): UnknownField | undefined {
    return refuseMalformed(() => findUnknownField(this.#program, bytes, at, end, this.#limits.maxDepth));
  }

  identity(bytes: Uint8Array, at: number, end: number): ObjectIdentity {
    const found: { -readonly [K in keyof ObjectIdentity]: ObjectIdentity[K] } = {
      name: undefined,
      namespace: undefined,
      uid: undefined,
      resourceVersion: undefined,
    };
    const cursor = new WireCursor(bytes, at);
    const range = refuseMalformed(() => this.#find('metadata', cursor, end));
    if (range === undefined) return found;
    const text = (to: number): string | undefined => cursor.text(to) || undefined;
    refuseMalformed(() => {
      while (cursor.at < range.end) {
        const tag = cursor.varint(range.end);
        const number = tag >>> 3;
        // Fields come in the order of their numbers: what follows is long, and names nothing.
        if ((tag & 7) !== BYTES || number > RESOURCE_VERSION) break;
        const to = cursor.endOfField(range.end);
        if (number === NAME) found.name = text(to);
        else if (number === NAMESPACE) found.namespace = text(to);
        else if (number === UID) found.uid = text(to);
        else if (number === RESOURCE_VERSION) found.resourceVersion = text(to);
        else cursor.at = to;
      }
    });
    return found;
  }

  fieldNames(bytes: Uint8Array, at: number, end: number): readonly string[] {
    const names = ['apiVersion', 'kind'];
    const cursor = new WireCursor(bytes, at);
    refuseMalformed(() => {
      while (cursor.at < end) {
        const tag = cursor.varint(end);
        const from = cursor.at;
        const field = this.#program.fields[tag >>> 3];
        cursor.skip(tag & 7, end);
        if (field === undefined || names.includes(field.name)) continue;
        const after = cursor.at;
        cursor.at = from;
        if (this.#isShown(field, cursor, end)) names.push(field.name);
        cursor.at = after;
      }
    });
    return [...names, ...this.#program.nulls.filter((name) => !names.includes(name))];
  }

  decodeField(name: string, bytes: Uint8Array, at: number, end: number): unknown {
    if (name === 'apiVersion' || name === 'kind') return this.#type[name];
    return refuseMalformed(() => {
      const cursor = new WireCursor(bytes, at);
      const field = this.#program.fields.find((each) => each?.name === name);
      if (field?.type !== 'message' || field.shape !== 'one') return this.#decode(bytes, at, end, this.#limits)[name];
      const range = this.#find(name, cursor, end);
      if (range === undefined) return this.#program.nulls.includes(name) ? null : undefined;
      cursor.at = range.start;
      return decodeFieldValue(field, cursor, end, this.#limits);
    });
  }

  decode(bytes: Uint8Array, at: number, end: number): object {
    return this.#decode(bytes, at, end, this.#copying);
  }

  read(bytes: Uint8Array, at: number, end: number, path: readonly string[]): readonly Scalar[] {
    const [first] = path;
    if (first === 'apiVersion' || first === 'kind') return path.length === 1 ? [this.#type[first]] : [];
    const query: PathQuery = { path, limits: this.#limits, found: [] };
    refuseMalformed(() => readPath(this.#program, new WireCursor(bytes, at), end, query, 0));
    return query.found;
  }

  readMap(
    bytes: Uint8Array,
    at: number,
    end: number,
    path: readonly string[],
  ): Readonly<Record<string, string>> | undefined {
    const map: Record<string, string> = {};
    const isFound = refuseMalformed(() =>
      readMapAt(this.#program, new WireCursor(bytes, at), end, { path, limits: this.#limits }, map),
    );
    return isFound ? map : undefined;
  }

  #decode(bytes: Uint8Array, at: number, end: number, limits: DecodeLimits): Record<string, unknown> {
    const object: Record<string, unknown> = { apiVersion: this.#type.apiVersion, kind: this.#type.kind };
    refuseMalformed(() => decodeMessageInto(object, this.#program, new WireCursor(bytes, at), end, limits));
    return object;
  }

  /** Whether JSON shows the field at the cursor. Sections are not decoded for it. */
  #isShown(field: FieldProgram, cursor: WireCursor, end: number): boolean {
    if (field.shape !== 'one' || (field.type === 'message' && field.message?.special === undefined)) return true;
    const value = decodeFieldValue(field, cursor, end, this.#limits);
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

/** Turns a failure of the wire into a KubeError. */
function refuseMalformed<R>(read: () => R): R {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new KubeError('LIST_INVALID', `a protobuf object cannot be read: ${error.message}`, { cause: error });
  }
}

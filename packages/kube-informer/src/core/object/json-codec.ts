import { checkJsonObject, takeCheckedJsonNames } from './json-check.ts';
import { reduceJson } from './json-reduce.ts';
import { defineLazyProperty } from './lazy-property.ts';
import {
  endOfJsonMemberValue, findJsonMember, isJsonMemberName, jsonMemberKindAt, JsonMembers, type JsonRange, jsonMemberStringAt, jsonMemberText, walkJsonMemberItems,
} from './json-members.ts'; // prettier-ignore
import type { ObjectCodec, ObjectIdentity, Scalar } from './object-codec.ts';
import type { TypeRef } from './object.ts';

const NONE: readonly Scalar[] = [];
const MANAGED_FIELDS = 'managedFields';

/**
 * Reads objects from their JSON. `type` is the type of objects that carry none, as the items of a list do.
 *
 * If an object has two members of the same name, `decode` takes the last and `read` the first; no server writes two.
 */
export function plainJsonCodec(type: TypeRef = {}): ObjectCodec {
  const filled = Object.entries(type).filter(([, value]) => value !== undefined) as [string, string][];
  // Kept from the last object: most objects have the same fields.
  let sent: readonly string[] = [];
  let names: readonly string[] = filled.map(([name]) => name);
  let own: TypeRef = {};
  const codec: ObjectCodec = {
    format: 'json',
    check(bytes, at, end) {
      checkJsonObject(bytes, at, end);
      return undefined;
    },
    identity: jsonCodecIdentity,
    outline(bytes, at, end) {
      const places = takeCheckedJsonNames(bytes, at, end) ?? jsonCodecNamePlaces(bytes, at, end);
      if (!hasSameJsonCodecNames(bytes, places, end, sent)) {
        sent = places.map((place) => jsonMemberStringAt(bytes, place, endOfJsonMemberValue(bytes, place, end)));
        const shown = isUntyped(sent) ? [...sent, ...filled.map(([name]) => name)] : sent;
        names = [...new Set(shown)];
      }
      return { names, type: typeOf(bytes, at, end), identity: jsonCodecIdentity(bytes, at, end) };
    },
    decodeField(name, bytes, at, end) {
      const range = findJsonMember(bytes, at, end, name);
      if (range === undefined) return type[name as keyof TypeRef];
      return name === 'metadata' ? jsonCodecMetadata(bytes, range) : parseByJsonCodec(bytes, range);
    },
    decode(bytes, at, end) {
      const object = parseByJsonCodec(bytes, { at, end }) as Record<string, unknown>;
      if (isUntyped(Object.keys(object))) for (const [name, value] of filled) object[name] = value;
      return object;
    },
    read(bytes, at, end, path) {
      const found: Scalar[] = [];
      readByJsonCodec(bytes, { at, end }, path, 0, found);
      if (found.length > 0 || path.length !== 1) return found;
      const given = type[path[0] as keyof TypeRef];
      return given === undefined ? NONE : [given];
    },
    reduced: (reduction) => ({
      codec: plainJsonCodec(type),
      cut: (bytes, at, end) => reduceJson(bytes, at, end, reduction),
    }),
    readMap(bytes, at, end, path) {
      let range: JsonRange | undefined = { at, end };
      for (const name of path) {
        range = range === undefined ? undefined : jsonCodecMember(bytes, range, name);
      }
      if (range === undefined || jsonMemberKindAt(bytes, range.at) !== 'object') return undefined;
      return parseByJsonCodec(bytes, { at: range.at, end: endOfJsonMemberValue(bytes, range.at, end) }) as Readonly<
        Record<string, string>
      >;
    },
  };
  return codec;

  /** Reads the type. Servers write it first, so this takes a few bytes. */
  function typeOf(bytes: Uint8Array, at: number, end: number): TypeRef {
    if (isUntyped(sent)) return type;
    const [kind] = sent.includes('kind') ? codec.read(bytes, at, end, ['kind']) : NONE;
    const [apiVersion] = sent.includes('apiVersion') ? codec.read(bytes, at, end, ['apiVersion']) : NONE;
    if (own.kind !== kind || own.apiVersion !== apiVersion) {
      own = {
        ...(typeof kind === 'string' ? { kind } : {}),
        ...(typeof apiVersion === 'string' ? { apiVersion } : {}),
      };
    }
    return own;
  }

  function isUntyped(names: readonly string[]): boolean {
    return filled.length > 0 && !names.includes('kind') && !names.includes('apiVersion');
  }
}

/** The positions at which the names of the members begin. */
function jsonCodecNamePlaces(bytes: Uint8Array, at: number, end: number): readonly number[] {
  const places: number[] = [];
  for (const members = new JsonMembers(bytes, at, end); members.next();) places.push(members.nameAt);
  return places;
}

function hasSameJsonCodecNames(
  bytes: Uint8Array,
  places: readonly number[],
  end: number,
  names: readonly string[],
): boolean {
  if (places.length !== names.length) return false;
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i] as number;
    const name = names[i] as string;
    const after = place + name.length + 1;
    if (after >= end || bytes[after] !== 0x22) return false;
    for (let c = 0; c < name.length; c += 1) {
      const byte = bytes[place + 1 + c] as number;
      if (byte !== name.charCodeAt(c) || byte === 0x5c || byte >= 0x80) return false;
    }
  }
  return true;
}

function parseByJsonCodec(bytes: Uint8Array, { at, end }: JsonRange): unknown {
  return JSON.parse(jsonMemberText(bytes, at, end)) as unknown;
}

/** Reads four members of the metadata and stops at the last of them: servers write them first. */
function jsonCodecIdentity(bytes: Uint8Array, at: number, end: number): ObjectIdentity {
  const identity: { -readonly [K in keyof ObjectIdentity]: string | undefined } = {
    name: undefined,
    namespace: undefined,
    uid: undefined,
    resourceVersion: undefined,
  };
  const metadata = jsonCodecMemberStart(bytes, at, end, 'metadata');
  if (metadata === undefined || jsonMemberKindAt(bytes, metadata) !== 'object') return identity;
  const members = new JsonMembers(bytes, metadata, end);
  while (members.next()) {
    const { nameAt, nameEnd, valueAt } = members;
    const name = jsonCodecIdentityNameAt(bytes, nameAt, nameEnd);
    if (name === undefined) continue;
    if (bytes[valueAt] === 0x22) identity[name] = jsonMemberStringAt(bytes, valueAt, members.valueEnd());
    // Servers write the namespace before the version, if there is one.
    if (name === 'resourceVersion' && identity.name !== undefined && identity.uid !== undefined) break;
  }
  return identity;
}

function jsonCodecIdentityNameAt(bytes: Uint8Array, at: number, end: number): keyof ObjectIdentity | undefined {
  switch (end - at - 2) {
    case 4:
      return isJsonMemberName(bytes, at, end, 'name') ? 'name' : undefined;
    case 9:
      return isJsonMemberName(bytes, at, end, 'namespace') ? 'namespace' : undefined;
    case 3:
      return isJsonMemberName(bytes, at, end, 'uid') ? 'uid' : undefined;
    case 15:
      return isJsonMemberName(bytes, at, end, 'resourceVersion') ? 'resourceVersion' : undefined;
    default:
      return undefined;
  }
}

/** The position at which the value of a member begins; its end is not searched. */
function jsonCodecMemberStart(bytes: Uint8Array, at: number, end: number, name: string): number | undefined {
  const members = new JsonMembers(bytes, at, end);
  return members.find(name) ? members.valueAt : undefined;
}

function jsonCodecMember(bytes: Uint8Array, { at, end }: JsonRange, name: string): JsonRange | undefined {
  if (jsonMemberKindAt(bytes, at) !== 'object') return undefined;
  const start = jsonCodecMemberStart(bytes, at, end, name);
  return start === undefined ? undefined : { at: start, end };
}

/** Decodes the value of a member. `range.end` may be beyond the value; its end is found by walking over it. */
function readByJsonCodec(
  bytes: Uint8Array,
  range: JsonRange,
  path: readonly string[],
  step: number,
  found: Scalar[],
): void {
  const kind = jsonMemberKindAt(bytes, range.at);
  if (kind === 'array') {
    // A number in an array ends where the array continues, so each item gets the end of the array.
    const { end } = range;
    return walkJsonMemberItems(bytes, range.at, end, (at) => readByJsonCodec(bytes, { at, end }, path, step, found));
  }
  if (step < path.length) {
    const member = jsonCodecMember(bytes, range, path[step] as string);
    if (member !== undefined) readByJsonCodec(bytes, member, path, step + 1, found);
    return;
  }
  if (kind === 'object') return;
  const value = jsonCodecScalar(bytes, range);
  if (value !== null) found.push(value);
}

function jsonCodecScalar(bytes: Uint8Array, { at, end }: JsonRange): Scalar | null {
  const valueEnd = endOfJsonMemberValue(bytes, at, end);
  if (bytes[at] === 0x22) return jsonMemberStringAt(bytes, at, valueEnd);
  return parseByJsonCodec(bytes, { at, end: valueEnd }) as number | boolean | null;
}

/**
 * Decodes the metadata, except `managedFields`, which stay bytes until they are read: they are half of a pod,
 * and few programs need them.
 */
function jsonCodecMetadata(bytes: Uint8Array, range: JsonRange): unknown {
  const managed =
    jsonMemberKindAt(bytes, range.at) === 'object'
      ? findJsonMember(bytes, range.at, range.end, MANAGED_FIELDS)
      : undefined;
  if (managed === undefined) return parseByJsonCodec(bytes, range);
  // A placeholder number keeps the position among the names.
  const text = `${jsonMemberText(bytes, range.at, managed.at)}0${jsonMemberText(bytes, managed.end, range.end)}`;
  const metadata = JSON.parse(text) as object;
  defineLazyProperty(metadata, MANAGED_FIELDS, () => parseByJsonCodec(bytes, managed));
  return metadata;
}

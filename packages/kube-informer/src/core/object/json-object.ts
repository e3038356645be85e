import { checkJsonObject, takeCheckedNames } from './json-check.ts';
import { defineLazyProperty } from './lazy-property.ts';
import {
  endOfJsonValue, findJsonMember, isJsonName, jsonKindAt, JsonMembers, type JsonRange, jsonStringAt, jsonTextOf, walkJsonItems,
} from './json-members.ts'; // prettier-ignore
import type { ObjectCodec, ObjectIdentity, Scalar } from './object-codec.ts';
import type { TypeRef } from './object.ts';

const NONE: readonly Scalar[] = [];
const MANAGED_FIELDS = 'managedFields';

/**
 * Reads objects from their JSON. `type` is the type of objects that carry none, as the items of a list do.
 *
 * Of two members with the same name in one object, `decode` takes the last and `read` the first; no server writes two.
 */
export function jsonObjects(type: TypeRef = {}): ObjectCodec {
  const filled = Object.entries(type).filter(([, value]) => value !== undefined) as [string, string][];
  const codec: ObjectCodec = {
    format: 'json',
    check(bytes, at, end) {
      checkJsonObject(bytes, at, end);
      return undefined;
    },
    identity: readJsonIdentity,
    fieldNames(bytes, at, end) {
      const names: string[] = [];
      const add = (nameAt: number, nameEnd: number): void => {
        const name = jsonStringAt(bytes, nameAt, nameEnd);
        if (!names.includes(name)) names.push(name);
      };
      const known = takeCheckedNames(bytes, at, end);
      if (known !== undefined) for (const nameAt of known) add(nameAt, endOfJsonValue(bytes, nameAt, end));
      else for (const members = new JsonMembers(bytes, at, end); members.next();) add(members.nameAt, members.nameEnd);
      return isUntyped(names) ? [...names, ...filled.map(([name]) => name)] : names;
    },
    decodeField(name, bytes, at, end) {
      const range = findJsonMember(bytes, at, end, name);
      if (range === undefined) return type[name as keyof TypeRef];
      return name === 'metadata' ? decodeJsonMetadata(bytes, range) : parseJson(bytes, range);
    },
    decode(bytes, at, end) {
      const object = parseJson(bytes, { at, end }) as Record<string, unknown>;
      if (isUntyped(Object.keys(object))) for (const [name, value] of filled) object[name] = value;
      return object;
    },
    read(bytes, at, end, path) {
      const found: Scalar[] = [];
      readJsonPath(bytes, { at, end }, path, 0, found);
      if (found.length > 0 || path.length !== 1) return found;
      const given = type[path[0] as keyof TypeRef];
      return given === undefined ? NONE : [given];
    },
    readMap(bytes, at, end, path) {
      let range: JsonRange | undefined = { at, end };
      for (const name of path) {
        range = range === undefined ? undefined : memberOf(bytes, range, name);
      }
      if (range === undefined || jsonKindAt(bytes, range.at) !== 'object') return undefined;
      return parseJson(bytes, { at: range.at, end: endOfJsonValue(bytes, range.at, end) }) as Readonly<
        Record<string, string>
      >;
    },
  };
  return codec;

  function isUntyped(names: readonly string[]): boolean {
    return filled.length > 0 && !names.includes('kind') && !names.includes('apiVersion');
  }
}

function parseJson(bytes: Uint8Array, { at, end }: JsonRange): unknown {
  return JSON.parse(jsonTextOf(bytes, at, end)) as unknown;
}

/** Reads four members of the metadata and stops at the last of them: servers write them first. */
function readJsonIdentity(bytes: Uint8Array, at: number, end: number): ObjectIdentity {
  const identity: { -readonly [K in keyof ObjectIdentity]: string | undefined } = {
    name: undefined,
    namespace: undefined,
    uid: undefined,
    resourceVersion: undefined,
  };
  const metadata = findJsonMemberStart(bytes, at, end, 'metadata');
  if (metadata === undefined || jsonKindAt(bytes, metadata) !== 'object') return identity;
  const members = new JsonMembers(bytes, metadata, end);
  while (members.next()) {
    const { nameAt, nameEnd, valueAt } = members;
    const name = identityNameAt(bytes, nameAt, nameEnd);
    if (name === undefined) continue;
    if (bytes[valueAt] === 0x22) identity[name] = jsonStringAt(bytes, valueAt, members.valueEnd());
    // Servers write the namespace before the version, if there is one.
    if (name === 'resourceVersion' && identity.name !== undefined && identity.uid !== undefined) break;
  }
  return identity;
}

function identityNameAt(bytes: Uint8Array, at: number, end: number): keyof ObjectIdentity | undefined {
  switch (end - at - 2) {
    case 4:
      return isJsonName(bytes, at, end, 'name') ? 'name' : undefined;
    case 9:
      return isJsonName(bytes, at, end, 'namespace') ? 'namespace' : undefined;
    case 3:
      return isJsonName(bytes, at, end, 'uid') ? 'uid' : undefined;
    case 15:
      return isJsonName(bytes, at, end, 'resourceVersion') ? 'resourceVersion' : undefined;
    default:
      return undefined;
  }
}

/** Where the value of a member begins; its end is not looked for. */
function findJsonMemberStart(bytes: Uint8Array, at: number, end: number, name: string): number | undefined {
  const members = new JsonMembers(bytes, at, end);
  return members.find(name) ? members.valueAt : undefined;
}

function memberOf(bytes: Uint8Array, { at, end }: JsonRange, name: string): JsonRange | undefined {
  if (jsonKindAt(bytes, at) !== 'object') return undefined;
  const start = findJsonMemberStart(bytes, at, end, name);
  return start === undefined ? undefined : { at: start, end };
}

/** `range.end` may be beyond the value, whose own end is found by walking over it. */
function readJsonPath(
  bytes: Uint8Array,
  range: JsonRange,
  path: readonly string[],
  step: number,
  found: Scalar[],
): void {
  const kind = jsonKindAt(bytes, range.at);
  if (kind === 'array') {
    return walkJsonItems(bytes, range.at, range.end, (at) =>
      readJsonPath(bytes, { at, end: range.end }, path, step, found),
    );
  }
  if (step < path.length) {
    const member = memberOf(bytes, range, path[step] as string);
    if (member !== undefined) readJsonPath(bytes, member, path, step + 1, found);
    return;
  }
  if (kind === 'object') return;
  const value = parseJsonScalar(bytes, range);
  if (value !== null) found.push(value);
}

function parseJsonScalar(bytes: Uint8Array, { at, end }: JsonRange): Scalar | null {
  const valueEnd = endOfJsonValue(bytes, at, end);
  if (bytes[at] === 0x22) return jsonStringAt(bytes, at, valueEnd);
  return parseJson(bytes, { at, end: valueEnd }) as number | boolean | null;
}

/** Half of a pod is `managedFields`, and hardly anybody reads them: they stay bytes until somebody does. */
function decodeJsonMetadata(bytes: Uint8Array, range: JsonRange): unknown {
  const managed =
    jsonKindAt(bytes, range.at) === 'object' ? findJsonMember(bytes, range.at, range.end, MANAGED_FIELDS) : undefined;
  if (managed === undefined) return parseJson(bytes, range);
  // The number keeps its place among the names.
  const text = `${jsonTextOf(bytes, range.at, managed.at)}0${jsonTextOf(bytes, managed.end, range.end)}`;
  const metadata = JSON.parse(text) as object;
  defineLazyProperty(metadata, MANAGED_FIELDS, () => parseJson(bytes, managed));
  return metadata;
}

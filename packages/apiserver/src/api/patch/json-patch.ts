import { isDeepStrictEqual } from 'node:util';
import { isJson, type Json, type JsonObject, jsonType } from '../../core/json.ts';
import { badRequestStatusError, tooLargeStatusError } from '../../core/status-error.ts';
import { Work } from '../../core/work.ts';
import { pointerIndex, type Place, readAtJsonPointer, resolveJsonPointer } from './json-pointer.ts';
import { cannotApplyPatch, FailedPatchTest } from './cannot-apply.ts';

const OPERATIONS_MAX = 10_000;
/** Maximum number of bytes that `copy` may add, because a small patch could create a huge object. */
const COPIED_BYTES_MAX = 3 * 1024 * 1024;

/** Number of list items whose move counts as one step of work. */
const MOVED_PER_STEP = 64;

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** Unknown members of operations: `[0].foo`. */
export function unknownInJsonPatch(patch: Json): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation, index) =>
    isJson(operation)
      ? Object.keys(operation)
          .filter((name) => !MEMBERS.has(name))
          .map((name) => `[${index}].${name}`)
      : [],
  );
}

/**
 * Applies an RFC 6902 patch like the server's library:
 *
 * - `replace` of a key that an object does not have adds it;
 * - a negative index counts from the end, also for `add`, where -1 appends;
 * - `test` of a missing key passes without a value, or with null;
 * - `copy` of a missing key copies null, and an operation without a value means null.
 *
 * The result shares nothing with the arguments. Throws 400 for an invalid patch, 422 for one that does not
 * fit.
 */
export function jsonPatch(object: JsonObject, patch: Json): JsonObject {
  const operations = jsonPatchOperations(patch);
  if (operations.length > OPERATIONS_MAX) {
    throw tooLargeStatusError(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${operations.length}`,
    );
  }
  const document = new Document(structuredClone(object));
  for (const operation of operations) document.apply(operation);
  // `replace` of the whole document can result in an array, but no kind is one.
  if (!isJson(document.root)) throw cannotApplyPatch();
  return document.root;
}

interface Operation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: Json;
}

class Document {
  root: Json;
  readonly #work = new Work('the patch');
  #copiedBytes = 0;

  constructor(root: Json) {
    this.root = root;
  }

  apply({ op, path, from, value }: Operation): void {
    switch (op) {
      case 'add':
        return addByJsonPatch(this.#place(path), structuredClone(value));
      case 'remove':
        return removeByJsonPatch(this.#place(path));
      case 'replace':
        return this.#replace(path, structuredClone(value));
      case 'move': {
        const source = this.#place(from);
        const moved = readAtJsonPointer(source);
        removeByJsonPatch(source);
        return addByJsonPatch(this.#place(path), moved ?? null);
      }
      case 'copy':
        return this.#copy(this.#place(from), path);
      case 'test':
        return this.#test(path, value);
      case undefined:
      default:
        throw cannotApplyPatch();
    }
  }

  #place(pointer: string | undefined): Place {
    const place = pointer === undefined ? undefined : resolveJsonPointer(this.root, pointer);
    if (place === undefined) throw cannotApplyPatch();
    // Inserting an item moves all items after it.
    if (Array.isArray(place.parent)) this.#work.spend(place.parent.length / MOVED_PER_STEP);
    return place;
  }

  #replace(path: string | undefined, value: Json): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null) throw cannotApplyPatch();
      this.root = value;
      return;
    }
    const { parent, key } = this.#place(path);
    if (!Array.isArray(parent)) return setKeyByJsonPatch(parent, key, value);
    const index = pointerIndex(parent.length, key);
    if (index === undefined) throw cannotApplyPatch();
    parent[index] = value;
  }

  #copy(source: Place, path: string | undefined): void {
    if (Array.isArray(source.parent) && readAtJsonPointer(source) === undefined) throw cannotApplyPatch();
    const copied = structuredClone(readAtJsonPointer(source) ?? null);
    this.#copiedBytes += Buffer.byteLength(JSON.stringify(copied));
    if (this.#copiedBytes > COPIED_BYTES_MAX) throw cannotApplyPatch();
    addByJsonPatch(this.#place(path), copied);
  }

  #test(path: string | undefined, expected: Json): void {
    if (path === '') {
      if (!isDeepStrictEqual(this.root, expected)) throw new FailedPatchTest();
      return;
    }
    const place = this.#place(path);
    const value = readAtJsonPointer(place);
    if (Array.isArray(place.parent) && value === undefined) throw cannotApplyPatch();
    if (!isDeepStrictEqual(value ?? null, expected)) throw new FailedPatchTest();
  }
}

function addByJsonPatch({ parent, key }: Place, value: Json): void {
  if (!Array.isArray(parent)) return setKeyByJsonPatch(parent, key, value);
  // One position more than there are elements: after the last.
  const index = key === '-' ? parent.length : pointerIndex(parent.length + 1, key);
  if (index === undefined) throw cannotApplyPatch();
  parent.splice(index, 0, value);
}

function removeByJsonPatch({ parent, key }: Place): void {
  if (Array.isArray(parent)) {
    const index = pointerIndex(parent.length, key);
    if (index === undefined) throw cannotApplyPatch();
    parent.splice(index, 1);
  } else {
    if (!Object.hasOwn(parent, key)) throw cannotApplyPatch();
    delete parent[key];
  }
}

/** Sets a key, even `__proto__`, which an assignment would not store. */
function setKeyByJsonPatch(parent: JsonObject, key: string, value: Json): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

function jsonPatchOperations(patch: Json): readonly Operation[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw malformedJsonPatch(patch, 'value of type []handlers.jsonPatchOp');
  return patch.map((item) => {
    // Null is an empty operation: it fails, but later.
    if (item === null) return { op: undefined, path: undefined, from: undefined, value: null };
    if (!isJson(item)) throw malformedJsonPatch(item, 'value of type handlers.jsonPatchOp');
    const text = (field: string): string | undefined => {
      const value = item[field] ?? undefined;
      if (value === undefined || typeof value === 'string') return value;
      throw malformedJsonPatch(value, `struct field jsonPatchOp.${field} of type string`);
    };
    return { op: text('op'), path: text('path'), from: text('from'), value: item['value'] ?? null };
  });
}

const malformedJsonPatch = (value: Json, target: string): Error =>
  badRequestStatusError(`error decoding patch: json: cannot unmarshal ${jsonType(value)} into Go ${target}`);

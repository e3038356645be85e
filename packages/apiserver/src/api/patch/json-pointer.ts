import type { Json, JsonObject } from '../../core/json.ts';

/** A place in a document: an object or array, and the key in it. */
export interface Place {
  readonly parent: JsonObject | Json[];
  readonly key: string;
}

/** The target of a JSON pointer. Undefined if its parent does not exist; the last key may be absent. */
export function resolveJsonPointer(document: Json, pointer: string): Place | undefined {
  // Text before the first slash is ignored: `data/key` means `/key`. A real server accepts it.
  const [, ...tokens] = pointer.split('/');
  const key = tokens.pop();
  if (key === undefined) return undefined;
  let parent = document;
  for (const token of tokens) {
    if (!isPointerContainer(parent)) return undefined;
    const next = readAtJsonPointer({ parent, key: unescapePointerToken(token) });
    if (next === undefined) return undefined;
    parent = next;
  }
  return isPointerContainer(parent) ? { parent, key: unescapePointerToken(key) } : undefined;
}

/** The value at a place; undefined if there is none. */
export function readAtJsonPointer({ parent, key }: Place): Json | undefined {
  if (!Array.isArray(parent)) return Object.hasOwn(parent, key) ? parent[key] : undefined;
  const index = pointerIndex(parent.length, key);
  return index === undefined ? undefined : parent[index];
}

/** An index below `length`; a negative one counts from the end. Undefined if there is no such place. */
export function pointerIndex(length: number, key: string): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined;
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  return index >= 0 && index < length ? index : undefined;
}

const isPointerContainer = (value: Json): value is JsonObject | Json[] => typeof value === 'object' && value !== null;

const unescapePointerToken = (token: string): string => token.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'));

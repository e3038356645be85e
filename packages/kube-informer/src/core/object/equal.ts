/**
 * Number of comparisons after which pairs are remembered, so that a cycle, which a transform may add, ends
 * before it blocks the event loop. Few objects of a server have as many values.
 */
const MAX_UNTRACKED = 10_000;

/**
 * Deep equality of JSON values, and of what a transform may add: Date, Map, Set, bytes, instances of classes.
 * Values with nothing to compare, such as an instance with private fields only, are equal only to themselves:
 * reporting a change that did not happen is harmless, missing one is not.
 *
 * Iterative, because objects can nest deeper than the stack allows. Ends with cycles.
 */
export function isEqual(one: unknown, other: unknown): boolean {
  const todo: [unknown, unknown][] = [[one, other]];
  let compared = 0;
  const seen = new Map<unknown, unknown>();
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [a, b] = pair as [Record<string, unknown>, Record<string, unknown>];
    if (Object.is(a, b)) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    compared += 1;
    if (compared > MAX_UNTRACKED) {
      if (seen.get(a) === b) continue;
      seen.set(a, b);
    }
    const prototype: unknown = Object.getPrototypeOf(a);
    if (prototype !== Object.getPrototypeOf(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    const isJson = prototype === Object.prototype || prototype === Array.prototype || prototype === null;
    if (!isJson && !hasEqualInside(a, b, names.length, todo)) return false;
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false;
      todo.push([a[name], b[name]]);
    }
  }
  return true;
}

/** Compares what is not in properties, and queues what has to be compared deeply. */
function hasEqualInside(a: object, b: object, properties: number, todo: [unknown, unknown][]): boolean {
  // oxlint-disable-next-line no-restricted-globals -- compares times, does not read the clock
  if (a instanceof Date) return Object.is(a.getTime(), (b as Date).getTime());
  if (a instanceof Map || a instanceof Set) {
    const [left, right] = [[...a], [...(b as Set<unknown>)]];
    todo.push([left, right]); // in order of insertion, which readers can see
    return left.length === right.length;
  }
  // The bytes are compared as properties.
  return ArrayBuffer.isView(a) ? a.byteLength === (b as ArrayBufferView).byteLength : properties > 0;
}

/**
 * Whether two states of one object have the same content. A type that only one of them carries is not a difference: items
 * of a list may come without kind and apiVersion.
 */
export function hasEqualContent(one: object, other: object): boolean {
  if (one === other) return true;
  const isTyped = (name: string): boolean => Object.hasOwn(one, name) === Object.hasOwn(other, name);
  return isTyped('kind') && isTyped('apiVersion')
    ? isEqual(one, other)
    : isEqual(withoutObjectType(one), withoutObjectType(other));
}

/** Whether two states of one object are equal except for their version. */
export function isEqualButVersion(one: object, other: object): boolean {
  return hasEqualContent(objectWithoutVersion(one), objectWithoutVersion(other));
}

function objectWithoutVersion(object: object): object {
  const { metadata } = object as { metadata?: object };
  return { ...object, metadata: { ...metadata, resourceVersion: undefined } };
}

function withoutObjectType(object: object): object {
  const { kind: _, apiVersion: __, ...rest } = object as Record<string, unknown>;
  return rest;
}

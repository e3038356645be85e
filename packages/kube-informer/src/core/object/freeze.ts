/** Deeper values are frozen from a list instead of the stack, which overflows at some thousand levels. */
const MAX_RECURSION = 200;

/** The one field that decoders leave as bytes until it is read. */
const LAZY_FIELD = 'managedFields';

/**
 * Freezes a value and everything in it, in about a fifth of the time that parsing its JSON takes. A field that is decoded when it
 * is first read stays undecoded; its decoder freezes it then.
 */
export function deepFreeze<V>(root: V): V {
  const deeper: object[] = [];
  if (typeof root === 'object' && root !== null) freezeValue(root, 0, deeper);
  for (let value = deeper.pop(); value !== undefined; value = deeper.pop()) freezeValue(value, 0, deeper);
  return root;
}

function freezeValue(value: object, depth: number, deeper: object[]): void {
  // A frozen value was frozen with everything in it. This also ends cycles.
  if (Object.isFrozen(value) || ArrayBuffer.isView(value)) return;
  if (depth === MAX_RECURSION) return void deeper.push(value);
  Object.freeze(value);
  if (Array.isArray(value)) {
    // By number: `for … in` makes a text of every index, which takes as long as all the rest. Arrays of JSON have nothing else.
    for (let i = 0; i < value.length; i += 1) freezeInner(value[i], depth, deeper);
    return;
  }
  for (const name in value) {
    if (name === LAZY_FIELD && Object.getOwnPropertyDescriptor(value, name)?.get !== undefined) continue;
    freezeInner((value as Record<string, unknown>)[name], depth, deeper);
  }
}

function freezeInner(inner: unknown, depth: number, deeper: object[]): void {
  if (typeof inner === 'object' && inner !== null) freezeValue(inner, depth + 1, deeper);
}

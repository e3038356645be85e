/** Node's symbol for custom printing; Deno and Bun use it too. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes `util.inspect`, `console.log` and `JSON.stringify` show `shown()` in place of `target`.
 *
 * For classes whose fields are `#private`, so that nothing else is printed.
 */
export function concealInPrint(target: object, shown: () => unknown): void {
  Object.defineProperties(target, {
    toJSON: { value: shown },
    [INSPECT]: { value: shown },
  });
}

/**
 * Returns an object with the given fields that never prints them: they can be read by name, but not enumerated, spread,
 * inspected or turned into JSON. Undefined fields are left out.
 */
export function conceal<T extends object>(fields: T, shown: unknown): T {
  const concealed = {};
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    // A getter, because an inspector with `showHidden` prints values but calls no getters.
    if (value !== undefined) Object.defineProperty(concealed, name, { get: () => value });
  }
  concealInPrint(concealed, () => shown);
  return concealed as T;
}

/** Node's own name for "print me like this"; also honoured by Deno and Bun. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes `util.inspect`, `console.log` and `JSON.stringify` show `shown()` in place of `target`.
 *
 * For classes whose fields are `#private`: what is shown is then a choice, never an accident.
 */
export function printAs(target: object, shown: () => unknown): void {
  Object.defineProperties(target, {
    toJSON: { value: shown },
    [INSPECT]: { value: shown },
  });
}

/**
 * An object with the given fields that never prints them: they can be read by name and by nothing else, neither
 * enumerated, copied by spread, inspected nor turned into JSON. Undefined fields are left out.
 */
export function conceal<T extends object>(fields: T, shown: unknown): T {
  const concealed = {};
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    // A getter, because an inspector told to show hidden properties shows values, but calls no getters.
    if (value !== undefined) Object.defineProperty(concealed, name, { get: () => value });
  }
  printAs(concealed, () => shown);
  return concealed as T;
}

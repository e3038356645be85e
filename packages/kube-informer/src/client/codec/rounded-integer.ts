/** Sixteen digits in a row: the shortest integer beyond 2^53 has as many. */
const MAY_BE_LONG = /\d{16}/;
/**
 * Numbers from this one on are written by `JSON.stringify` with an exponent, which only floating-point fields accept.
 */
const MAX_WRITTEN_IN_DIGITS = 1e21;

/**
 * The path of the first integer in a JSON text that a double may not hold exactly, such as `spec.ids[2]`.
 *
 * An int64 beyond 2^53 is rounded when it is decoded, and afterwards it cannot be told from an exact one,
 * least of all in a copy that the caller made. So values are checked when they are written, which costs
 * nothing when they are read.
 */
export function findRoundedInteger(text: string): string | undefined {
  if (!MAY_BE_LONG.test(text)) return undefined;
  const todo: { readonly value: unknown; readonly path: string }[] = [{ value: JSON.parse(text), path: '' }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { value, path } = next;
    if (typeof value === 'number') {
      const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < MAX_WRITTEN_IN_DIGITS;
      if (isLong) return path;
    } else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) todo.push({ value: item, path: `${path}[${i}]` });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, field] of Object.entries(value))
        todo.push({ value: field, path: path === '' ? name : `${path}.${name}` });
    }
  }
  return undefined;
}

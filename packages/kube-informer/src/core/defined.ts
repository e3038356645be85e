/** `T` without undefined: a field that may be undefined is optional, every other field stays required. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Copies `fields` without those that are undefined: with `exactOptionalPropertyTypes` an optional field may be absent, but
 * not undefined.
 *
 * A loop, because it runs per event and per object: it takes a fifth of the time of `Object.fromEntries` over a filter,
 * and less than a spread of a conditional literal for each field.
 */
export function defined<const T extends object>(fields: T): Defined<T> {
  const kept: Partial<T> = {};
  for (const name of Object.keys(fields) as (keyof T)[]) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as unknown as Defined<T>;
}

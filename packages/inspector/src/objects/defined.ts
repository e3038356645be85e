/** Copies `fields` without those that are undefined: an explicit `undefined` overrides a default, a missing field does not. */
export function definedInObject<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

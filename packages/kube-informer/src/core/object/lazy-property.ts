/**
 * Gives `object` a property that is computed when it is first read. It is an own enumerable property, so a
 * spread, `JSON.stringify` and `structuredClone` show it as any other; it also works on a frozen object;
 * writing to it makes it a plain property.
 */
export function defineLazyProperty(object: object, name: string, read: () => unknown): void {
  let known: { readonly value: unknown } | undefined;
  Object.defineProperty(object, name, {
    get() {
      known ??= { value: read() };
      return known.value;
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  });
}

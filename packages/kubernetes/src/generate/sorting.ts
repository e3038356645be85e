/** Compares by code units: the same order on every machine, unlike the order of a locale. */
export function compareForSorting(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Groups items by key; keys and items keep their order. */
export function groupForSorting<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

export function entriesForSorting<V>(record: Readonly<Record<string, V>> | undefined): [string, V][] {
  return Object.entries(record ?? {}).toSorted(([a], [b]) => compareForSorting(a, b));
}

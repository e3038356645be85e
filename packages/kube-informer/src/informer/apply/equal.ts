/** Deep equality of JSON values. Iterative, because objects can nest deeper than the stack allows. */
export function isEqual(one: unknown, other: unknown): boolean {
  const todo: [unknown, unknown][] = [[one, other]];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [a, b] = pair as [Record<string, unknown>, Record<string, unknown>];
    if (Object.is(a, b)) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false;
      todo.push([a[name], b[name]]);
    }
  }
  return true;
}

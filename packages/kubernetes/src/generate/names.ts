const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Words that cannot name an interface. A custom kind may be called `string`. */
const RESERVED_WORDS = new Set(
  (
    'any as async await bigint boolean break case catch class const continue debugger default delete do else enum export ' +
    'extends false finally for function if implements import in instanceof interface let never new null number object ' +
    'package private protected public return static string super switch symbol this throw true try type typeof undefined ' +
    'unknown var void while with yield'
  ).split(' '),
);

/**
 * The type name for a kind: `my-kind` gives `myKind`.
 *
 * Never has an underscore inside, so it cannot clash with an import alias (`apps_v1`).
 *
 * Room rule: the result is always an identifier. Generated text is code, so nothing from a document may get into it
 * unchecked.
 */
export function typeName(text: string): string {
  const joined = text
    .replaceAll(/[^A-Za-z0-9]+(?<next>[A-Za-z0-9]?)/g, (_, next: string) => next.toUpperCase())
    .replace(/^(?=\d|$)/, 'T');
  return RESERVED_WORDS.has(joined) ? `${joined}_` : joined;
}

/** `containers` gives `Containers`: the suffix of a nested type's name. */
export function pascalName(text: string): string {
  const name = typeName(text).replace(/_$/, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A string literal in single quotes. */
export function quote(text: string): string {
  const body = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`);
  return `'${body}'`;
}

/** A property name, quoted if needed. */
export function propertyName(name: string): string {
  return IDENTIFIER.test(name) ? name : quote(name);
}

/** Adds the first of `name`, `name2`, `name3`, … that is free to `taken` and returns it. */
export function claimName(name: string, taken: Set<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i += 1) free = `${name}${i}`;
  taken.add(free);
  return free;
}

/** Compares by code units: the same on every machine, unlike a locale. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Items by key; keys and items keep their order. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

export function sortedEntries<V>(record: Readonly<Record<string, V>> | undefined): [string, V][] {
  return Object.entries(record ?? {}).toSorted(([a], [b]) => byText(a, b));
}

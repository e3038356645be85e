type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Named {
  readonly metadata?: { readonly namespace?: string; readonly name?: string; readonly resourceVersion?: string };
}

export const keyOf = ({ metadata: { namespace = '', name = '' } = {} }: Named): string =>
  namespace === '' ? name : `${namespace}/${name}`;

/**
 * Objects as text in a canonical form, with sorted keys. `typed` leaves out what Go's types add or omit (kind, apiVersion, null
 * and empty values).
 */
export function canonical(objects: readonly object[], typed: boolean): Map<string, string> {
  return new Map(
    objects.map((object) => {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object as Record<string, Json>;
      const shown = typed ? pruned(rest) : (object as unknown as Json);
      return [keyOf(object as Named), JSON.stringify(sorted(shown ?? {}))];
    }),
  );
}

/** The differences of two sets of objects, as sentences. */
export function differences(left: Map<string, string>, right: Map<string, string>, names: [string, string]): string[] {
  const found: string[] = [];
  for (const [key, text] of left) {
    const other = right.get(key);
    if (other === undefined) found.push(`${key} is in ${names[0]} only`);
    else if (other !== text) found.push(`${key} differs: ${excerpt(text, other)}`);
  }
  for (const key of right.keys()) if (!left.has(key)) found.push(`${key} is in ${names[1]} only`);
  return found;
}

function excerpt(one: string, other: string): string {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  const part = (text: string): string => text.slice(Math.max(0, at - 40), at + 60);
  return `${part(one)} ≠ ${part(other)}`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.keys(value)
    .toSorted()
    .map((key): [string, Json] => [key, sorted(value[key] as Json)]);
  return Object.fromEntries(entries);
}

function pruned(value: Json): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => pruned(item) ?? null);
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value).flatMap(([key, field]): [string, Json][] => {
    const kept = pruned(field);
    return kept === undefined ? [] : [[key, kept]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

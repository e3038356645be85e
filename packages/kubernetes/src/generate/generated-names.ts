const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Words that cannot name an interface. A custom kind may be called `string`. */
const RESERVED = new Set(
  (
    'any as async await bigint boolean break case catch class const continue debugger default delete do else enum export ' +
    'extends false finally for function if implements import in instanceof interface let never new null number object ' +
    'package private protected public return static string super switch symbol this throw true try type typeof undefined ' +
    'unknown var void while with yield'
  ).split(' '),
);

/**
 * Makes a type name from a server's name: `my-kind` becomes `myKind`.
 *
 * The result never has an underscore inside, so it cannot collide with the name of an import (`apps_v1`).
 *
 * Room rule: the result is an identifier for every input. Generated text is code; nothing from a document may
 * get into it unchecked.
 */
export function typeGeneratedName(text: string): string {
  const joined = text
    .replaceAll(/[^A-Za-z0-9]+(?<next>[A-Za-z0-9]?)/g, (_, next: string) => next.toUpperCase())
    .replace(/^(?=\d|$)/, 'T');
  return RESERVED.has(joined) ? `${joined}_` : joined;
}

/** The field's part of the name of a nested type: `containers` becomes `Containers`. */
export function pascalCaseGeneratedName(text: string): string {
  const name = typeGeneratedName(text).replace(/_$/, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Characters that would make the file look different from the code that it contains. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A string literal in single quotes. */
export function quoteGeneratedName(text: string): string {
  const body = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`)
    .replaceAll(UNSEEN, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
  return `'${body}'`;
}

/** A property name, quoted if necessary. */
export function generatedPropertyName(name: string): string {
  return IDENTIFIER.test(name) ? name : quoteGeneratedName(name);
}

/** Adds the first of `name`, `name2`, `name3`, … that is not taken, and returns it. */
export function uniqueGeneratedName(name: string, taken: Set<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i += 1) free = `${name}${i}`;
  taken.add(free);
  return free;
}

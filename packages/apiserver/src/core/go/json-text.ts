import type { Json } from '../json.ts';

/** JSON as Go writes it, with HTML characters escaped. Clients see the escapes, and send them back. */
export const goJsonText = (value: Json): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`,
  );

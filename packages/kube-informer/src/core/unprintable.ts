/**
 * Characters that must not be shown as they are: control characters, which start escape sequences; characters that are invisible
 * or change the direction of text; separators that look like line breaks; halves of surrogate pairs.
 *
 * The one list for errors, logs, the terminal, the inspector and generated files. Use it with `replace` only: it is global.
 */
export const UNPRINTABLE: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes the characters of a text that must not be shown as they are. Line breaks and tabs stay. */
export function printableText(text: string): string {
  return text.replaceAll(UNPRINTABLE, (found) =>
    found === '\n' || found === '\t' ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/**
 * Control characters, marks that turn the direction of text or cannot be seen, separators that look like line breaks,
 * and halves of characters. Line breaks and tabs stay.
 */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The same text with everything in it to be seen: what would turn or hide its neighbours is written out. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}

/** On one line, and not longer than `most`. */
export function brief(text: string, most = 300): string {
  const line = visible(text.length > most ? `${text.slice(0, most)}…` : text).replaceAll(/[\n\t]+/g, ' ');
  return line;
}

/**
 * Control characters, characters that are invisible or change the direction of text, separators that look like line
 * breaks, and lone surrogates. Line breaks and tabs are kept.
 */
const INVISIBLE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Replaces characters that would hide or reverse other text with escapes. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Makes a text one line of at most `max` characters. */
export function visibleBrief(text: string, max = 300): string {
  const line = visibleText(text.length > max ? `${text.slice(0, max)}…` : text).replaceAll(/[\n\t]+/g, ' ');
  return line;
}

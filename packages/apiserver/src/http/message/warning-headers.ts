/** Maximum length of all warnings of one response together. */
const MAX_CHARACTERS = 4096;
/** Maximum length of each warning when the header is too long. */
const MAX_CUT_CHARACTERS = 256;

/**
 * Values of the header `Warning`. A text that is not allowed in a header is left out, because the response is
 * more important.
 */
export function warningHeaders(texts: Iterable<string>): string[] {
  const sayable = [...texts].filter((text) => !/\p{Cc}/u.test(text)).map((text) => Array.from(text));
  const total = sayable.reduce((sum, { length }) => sum + length, 0);
  return (total <= MAX_CHARACTERS ? sayable : shortenWarningHeaders(sayable)).map(
    (text) => `299 - ${quoteWarningHeader(text.join(''))}`,
  );
}

function shortenWarningHeaders(texts: readonly string[][]): string[][] {
  const cut = texts.map((text) => text.slice(0, MAX_CUT_CHARACTERS));
  let written = 0;
  return cut.filter(({ length }) => {
    if (written >= MAX_CHARACTERS) return false;
    written += length;
    return true;
  });
}

/** A quoted string of a header. Headers are bytes, shown as Latin-1 characters: here those of UTF-8. */
const quoteWarningHeader = (text: string): string =>
  `"${Buffer.from(text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')).toString('latin1')}"`;

const CLEAN = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LETTER = /[A-Za-z0-9+/]/;

/** Go's error message about a text that is not base64; undefined if it is. */
export function goBase64Fault(text: string): string | undefined {
  if (CLEAN.test(text)) return undefined;
  const at = firstIllegalGoBase64Byte(text);
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

/** Position where Go's base64 decoder stops: groups of four letters, line ends anywhere, padding only at the end. */
function firstIllegalGoBase64Byte(text: string): number | undefined {
  const skipLineEnds = (from: number): number => {
    let at = from;
    while (text[at] === '\n' || text[at] === '\r') at += 1;
    return at;
  };
  let letters = 0;
  let at = skipLineEnds(0);
  while (at < text.length && LETTER.test(text[at] as string)) {
    letters = (letters + 1) % 4;
    at = skipLineEnds(at + 1);
  }
  // Without padding the last group is short, and the decoder reports its beginning.
  if (at === text.length) return letters === 0 ? undefined : text.length - letters;
  if (text[at] !== '=' || letters < 2) return at;
  let end = skipLineEnds(at + 1);
  if (letters === 2) {
    if (end === text.length) return end;
    if (text[end] !== '=') return end - 1;
    end = skipLineEnds(end + 1);
  }
  return end === text.length ? undefined : end;
}

/** The canonical base64 of bytes: no line ends, and the bits beyond the last byte are zero. */
export const canonicalGoBase64 = (text: string): string =>
  /[\r\n]|=$/.test(text) ? Buffer.from(text, 'base64').toString('base64') : text;

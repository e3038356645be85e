/** The value of a string or bytes literal; undefined when an escape in it is not valid. */
export function literalText(text: string, isBytes: boolean): { text: string; bytes: Uint8Array } | undefined {
  const prefix = /^[rRbB]*/.exec(text)?.[0] ?? '';
  const body = text.slice(prefix.length);
  const quote = body.startsWith('"""') || body.startsWith("'''") ? 3 : 1;
  // All line ends become line feeds.
  const inner = body.slice(quote, -quote).replace(/\r\n?/g, '\n');
  if (/r/i.test(prefix)) return { text: inner, bytes: new TextEncoder().encode(inner) };
  return isBytes ? literalBytes(inner) : literalStringText(inner);
}

const ESCAPE = /\\(x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[^])|([^\\]+)/gu;
const SIMPLE: ReadonlyMap<string, string> = new Map(Object.entries({
  a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', "'": "'", '"': '"', '`': '`', '?': '?',
})); // prettier-ignore

/** The number of an escape by code, or undefined. */
function literalEscapeCode(escape: string): number | undefined {
  if (/^[xXuU]/.test(escape) && escape.length > 1) return Number.parseInt(escape.slice(1), 16);
  return /^[0-3][0-7]{2}$/.test(escape) ? Number.parseInt(escape, 8) : undefined;
}

function literalStringText(inner: string): ReturnType<typeof literalText> {
  let text = '';
  for (const [, escape, plain] of inner.matchAll(ESCAPE)) {
    const code = escape === undefined ? undefined : literalEscapeCode(escape);
    const letter = escape === undefined ? plain : code === undefined ? SIMPLE.get(escape) : literalCodeLetter(code);
    if (letter === undefined) return undefined;
    text += letter;
  }
  return { text, bytes: new TextEncoder().encode(text) };
}

const literalCodeLetter = (code: number): string | undefined =>
  code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code);

/** The value of a bytes literal: an escape by code is one byte; `\u` is not allowed. */
function literalBytes(inner: string): ReturnType<typeof literalText> {
  const bytes: number[] = [];
  for (const [, escape, plain] of inner.matchAll(ESCAPE)) {
    const code = escape === undefined ? undefined : literalEscapeCode(escape);
    if (code !== undefined && /^u/i.test(escape ?? '')) return undefined;
    const letter = escape === undefined ? plain : SIMPLE.get(escape);
    if (code === undefined && letter === undefined) return undefined;
    if (code === undefined) bytes.push(...new TextEncoder().encode(letter));
    else bytes.push(code);
  }
  return { text: '', bytes: Uint8Array.from(bytes) };
}

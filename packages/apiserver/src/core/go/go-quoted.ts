/** A text in quotes as Go writes it: printable characters stay, all others are escaped. */
export const goQuoted = (text: string): string => `"${text.replaceAll(UNSEEN, goQuotedCharacter)}"`;

const UNSEEN = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Characters that Go escapes with a letter. */
export const LETTER_ESCAPES: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    '\\': '\\\\',
    '\u0007': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
  }),
);

function goQuotedCharacter(character: string): string {
  // Half of a surrogate pair: a decoder replaces it with a printable character.
  if (/\p{Cs}/u.test(character)) return '\ufffd';
  const code = character.codePointAt(0) as number;
  const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
  if (character === '"') return '\\"';
  return (
    LETTER_ESCAPES.get(character) ?? (code < 0x80 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`)
  );
}

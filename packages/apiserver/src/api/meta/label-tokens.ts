/** A piece of a label selector. `text` is what error messages quote; it is empty at the end. */
export interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

/** Symbols of two characters; all others are single characters. */
const LONG_SYMBOLS: ReadonlySet<string> = new Set(['==', '!=']);
const SYMBOL_CHARACTERS = '=!(),><';
const BLANKS = ' \t\r\n';

/** Cuts a label selector into words and symbols. The last token is always the end. */
export function labelTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && BLANKS.includes(text.charAt(at))) at++;
    if (at >= text.length) return [...tokens, { kind: 'end', text: '' }];
    const start = at;
    if (SYMBOL_CHARACTERS.includes(text.charAt(at))) {
      at += LONG_SYMBOLS.has(text.slice(at, at + 2)) ? 2 : 1;
      tokens.push({ kind: 'symbol', text: text.slice(start, at) });
    } else {
      while (at < text.length && isLabelTokenCharacter(text.charAt(at))) at++;
      tokens.push({ kind: 'word', text: text.slice(start, at) });
    }
  }
}

const isLabelTokenCharacter = (character: string): boolean =>
  !SYMBOL_CHARACTERS.includes(character) && !BLANKS.includes(character);

import { keptSafe, type Safe, safe } from './safe.ts';

/** Characters that are two cells wide: East Asian scripts and emoji. An approximation. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const ZERO = /\p{M}/u;
/** A colour sequence, which takes no cell, or a character. */
// oxlint-disable-next-line no-control-regex -- our own escapes
const PAINTED = /(\u001b\[[\d;]*m)|[\s\S]/gu;

/** Number of terminal cells of an escaped text. */
export function textWidth(text: string): number {
  if (hasAsciiWidth(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Pads with spaces, or truncates with an ellipsis, to exactly `width` cells. */
export function fitWidth(text: Safe, width: number, align: 'left' | 'right' = 'left'): Safe {
  const cut = truncateToWidth(text, width);
  const fill = ' '.repeat(Math.max(0, width - textWidth(cut)));
  return keptSafe(align === 'left' ? cut + fill : fill + cut);
}

/** Truncates to at most `width` cells. */
export function truncateToWidth(text: Safe, width: number): Safe {
  if (textWidth(text) <= width) return text;
  if (width <= 0) return keptSafe('');
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return keptSafe(`${kept}…`);
}

/** Truncates a coloured line to `width` cells. Colour sequences are kept, so that colours are always reset. */
export function clipToWidth(line: Safe, width: number): Safe {
  if (line.length <= width && hasAsciiWidth(line)) return line;
  let used = 0;
  let kept = '';
  for (const [piece, paint] of line.matchAll(PAINTED)) {
    used += paint === undefined ? characterWidth(piece) : 0;
    if (paint !== undefined || used <= width) kept += piece;
  }
  return keptSafe(kept);
}

function characterWidth(character: string): number {
  if (character.length === 1 && character < '\u0300') return 1;
  if (WIDE.test(character)) return 2;
  return ZERO.test(character) ? 0 : 1;
}

function hasAsciiWidth(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7e) return false;
  return true;
}

/** Breaks a text between words into lines of at most `width` columns. A word that is longer has a line of its own. */
export function wrapToWidth(text: Safe, width: number): readonly Safe[] {
  const lines: Safe[] = [];
  for (const word of text.split(' ').map(keptSafe)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width)
      lines[lines.length - 1] = safe`${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

import { keptSafe, type Safe } from './safe.ts';

/** The meaning of a piece of text; the palette decides how it looks. */
export type Tone = 'plain' | 'bold' | 'dim' | 'good' | 'warn' | 'bad' | 'new' | 'changed' | 'deleted' | 'bar';

/** Colours a text. Fit it first: its width cannot be measured afterwards. */
export type Palette = (tone: Tone, text: Safe) => Safe;

const CODES: Readonly<Record<Exclude<Tone, 'plain'>, string>> = {
  bold: '1',
  dim: '2',
  good: '32',
  warn: '33',
  bad: '31',
  new: '32',
  changed: '1;33',
  // Struck through; dim for terminals without that.
  deleted: '2;9',
  bar: '7',
};

export const colourStyle: Palette = (tone, text) =>
  tone === 'plain' || text === '' ? text : keptSafe(`\u001b[${CODES[tone]}m${text}\u001b[0m`);

export const plainStyle: Palette = (_, text) => text;

/** Colours for terminals, unless NO_COLOR is set: https://no-color.org */
export function stylePalette(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): Palette {
  return isTerminal && !environment['NO_COLOR'] ? colourStyle : plainStyle;
}

import type { Palette, Tone } from '../text/style.ts';
import { type Safe, safe } from '../text/safe.ts';
import { escapeText } from '../text/escape.ts';
import { wrapToWidth } from '../text/width.ts';

/** `fail`: nothing works without this. `warn`: works now, but may cause problems. `note`: information. */
export type Level = 'ok' | 'note' | 'warn' | 'fail';

/** The result of one check, and a fix if there is a problem. Not escaped. */
export interface Finding {
  readonly level: Level;
  readonly topic: string;
  readonly text: string;
  readonly fix?: string;
}

const TONES: Readonly<Record<Level, Tone>> = { ok: 'good', note: 'dim', warn: 'warn', fail: 'bad' };

/** Maximum length of a finding. Names and versions of a server can have any length. */
const MAX_TEXT = 2_000;

const INDENT = safe`                    `;

/** The lines of a finding. In a terminal of `width` columns, continued lines are indented to the start of the text. */
export function doctorFindingLines(
  { level, topic, text, fix }: Finding,
  palette: Palette,
  width: number = Infinity,
): Safe[] {
  const word = level === 'fail' ? 'FAIL' : level;
  const room = Math.max(20, width - INDENT.length);
  const head = safe`${palette(TONES[level], escapeText(word.padEnd(4)))}  ${palette('bold', escapeText(topic.padEnd(13)))} `;
  const below = (lines: readonly Safe[], first: Safe): Safe[] =>
    lines.map((line, index) => safe`${index === 0 ? first : INDENT}${line}`);
  const shown = escapeText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
  if (fix === undefined) return below(wrapToWidth(shown, room), head);
  const label = safe`${INDENT}${palette('bold', safe`fix:`)} `;
  return [
    ...below(wrapToWidth(shown, room), head),
    ...below(wrapToWidth(escapeText(fix), room - 'fix: '.length), label),
  ];
}

export const okDoctorFinding = (topic: string, text: string): Finding => ({ level: 'ok', topic, text });
export const noteDoctorFinding = (topic: string, text: string): Finding => ({ level: 'note', topic, text });
export const warnDoctorFinding = (topic: string, text: string, fix: string): Finding => ({
  level: 'warn',
  topic,
  text,
  fix,
});
export const failDoctorFinding = (topic: string, text: string, fix: string): Finding => ({
  level: 'fail',
  topic,
  text,
  fix,
});

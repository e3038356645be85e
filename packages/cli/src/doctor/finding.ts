import type { Palette, Tone } from '../text/style.ts';

/** `fail`: without this nothing works. `warn`: works, and will hurt some day. `note`: good to know. */
export type Level = 'ok' | 'note' | 'warn' | 'fail';

/** One thing that was looked at: a sentence, and what to do where it is not well. Not escaped yet. */
export interface Finding {
  readonly level: Level;
  readonly topic: string;
  readonly text: string;
  readonly fix?: string;
}

const TONES: Readonly<Record<Level, Tone>> = { ok: 'good', note: 'dim', warn: 'warn', fail: 'bad' };

export function findingLines(
  { level, topic, text, fix }: Finding,
  palette: Palette,
  escape: (text: string) => string,
): string[] {
  const word = level === 'fail' ? 'FAIL' : level;
  return [
    `${palette(TONES[level], word.padEnd(4))}  ${palette('bold', topic.padEnd(13))} ${escape(text)}`,
    ...(fix === undefined ? [] : [`      ${' '.repeat(13)} ${palette('bold', 'fix:')} ${escape(fix)}`]),
  ];
}

export const ok = (topic: string, text: string): Finding => ({ level: 'ok', topic, text });
export const note = (topic: string, text: string): Finding => ({ level: 'note', topic, text });
export const warn = (topic: string, text: string, fix: string): Finding => ({ level: 'warn', topic, text, fix });
export const fail = (topic: string, text: string, fix: string): Finding => ({ level: 'fail', topic, text, fix });

import { escapeText } from '../text/escape.ts';
import { objectTextAsJson } from '../output/object-text.ts';
import type { Palette } from '../text/style.ts';
import { truncateToWidth } from '../text/width.ts';
import type { Change } from './changes.ts';

const MAX_VALUE = 160;

/** Returns `status.phase: Pending → Running`, coloured, on one line. */
export function changeTextLine(
  { path, before, after }: Change,
  palette: Palette,
  maxLength: number = MAX_VALUE,
): string {
  const name = escapeText(path);
  if (before === undefined)
    return `${palette('new', `+ ${name}`)}: ${palette('new', changeValueText(after, maxLength))}`;
  if (after === undefined)
    return `${palette('bad', `- ${name}`)}: ${palette('deleted', changeValueText(before, maxLength))}`;
  const [old, now] = [changeValueText(before, maxLength), changeValueText(after, maxLength)];
  return `${palette('changed', '~')} ${name}: ${palette('bad', old)} → ${palette('good', now)}`;
}

/** Returns the first `max` changes on one line. */
export function changeSummaryText(changes: readonly Change[], max: number): string {
  const few = changes.slice(0, max).map(({ path, before, after }) => {
    const values = [before, after].map((value) => (value === undefined ? '<none>' : changeValueText(value, 40)));
    return `${escapeText(path)}: ${values.join(' → ')}`;
  });
  const rest = changes.length - few.length;
  return `${few.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A value on one line, escaped: plain words as they are, everything else as JSON. */
function changeValueText(value: unknown, max: number): string {
  const isWord = typeof value === 'string' && /^[\w./:@+=-]+$/.test(value);
  return truncateToWidth(isWord ? value : escapeText(objectTextAsJson(value, 0)), max);
}

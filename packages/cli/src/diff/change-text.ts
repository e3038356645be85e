import { escapeText } from '../text/escape.ts';
import { jsonText } from '../output/object-text.ts';
import type { Palette } from '../text/style.ts';
import { truncate } from '../text/width.ts';
import type { Change } from './changes.ts';

const MAX_VALUE = 160;

/** Returns `status.phase: Pending → Running`, coloured, on one line. */
export function changeLine({ path, before, after }: Change, palette: Palette, maxLength: number = MAX_VALUE): string {
  const name = escapeText(path);
  if (before === undefined) return `${palette('new', `+ ${name}`)}: ${palette('new', valueText(after, maxLength))}`;
  if (after === undefined) return `${palette('bad', `- ${name}`)}: ${palette('deleted', valueText(before, maxLength))}`;
  const [old, now] = [valueText(before, maxLength), valueText(after, maxLength)];
  return `${palette('changed', '~')} ${name}: ${palette('bad', old)} → ${palette('good', now)}`;
}

/** Returns the first `max` changes on one line. */
export function summaryText(changes: readonly Change[], max: number): string {
  const few = changes.slice(0, max).map(({ path, before, after }) => {
    const values = [before, after].map((value) => (value === undefined ? '<none>' : valueText(value, 40)));
    return `${escapeText(path)}: ${values.join(' → ')}`;
  });
  const rest = changes.length - few.length;
  return `${few.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A value on one line, escaped: plain words as they are, everything else as JSON. */
function valueText(value: unknown, max: number): string {
  const isWord = typeof value === 'string' && /^[\w./:@+=-]+$/.test(value);
  return truncate(isWord ? value : escapeText(jsonText(value, 0)), max);
}

import { escapeText } from '../text/escape.ts';
import { jsonObjectText } from '../output/object-text.ts';
import type { Palette } from '../text/style.ts';
import { truncateToWidth } from '../text/width.ts';
import type { Change } from './diff-changes.ts';
import { joinSafe, type Safe, safe } from '../text/safe.ts';

const MAX_VALUE = 160;

/** Returns `status.phase: Pending → Running`, coloured, on one line. */
export function changeTextLine({ path, before, after }: Change, palette: Palette, maxLength: number = MAX_VALUE): Safe {
  const name = escapeText(path);
  if (before === undefined)
    return safe`${palette('new', safe`+ ${name}`)}: ${palette('new', changeValueText(after, maxLength))}`;
  if (after === undefined)
    return safe`${palette('bad', safe`- ${name}`)}: ${palette('deleted', changeValueText(before, maxLength))}`;
  const [old, now] = [changeValueText(before, maxLength), changeValueText(after, maxLength)];
  return safe`${palette('changed', safe`~`)} ${name}: ${palette('bad', old)} → ${palette('good', now)}`;
}

/** Returns the first `max` changes on one line. */
export function changeSummaryText(changes: readonly Change[], max: number): Safe {
  const few = changes.slice(0, max).map(({ path, before, after }) => {
    const values = [before, after].map((value) => (value === undefined ? safe`<none>` : changeValueText(value, 40)));
    return safe`${escapeText(path)}: ${joinSafe(values, ' → ')}`;
  });
  const rest = changes.length - few.length;
  return safe`${joinSafe(few, ', ')}${rest > 0 ? safe` and ${rest} more` : safe``}`;
}

/** A value on one line, escaped: plain words as they are, everything else as JSON. */
function changeValueText(value: unknown, max: number): Safe {
  const isWord = typeof value === 'string' && /^[\w./:@+=-]+$/.test(value);
  return truncateToWidth(escapeText(isWord ? value : jsonObjectText(value, 0)), max);
}

import type { DiffLine } from '../protocol/messages.ts';

/** Unchanged lines shown around a change. */
const CONTEXT = 3;
/**
 * Maximum number of lines to compare on a side; above it all lines are shown as changed. The comparison takes n² time.
 */
const MAX_LINES = 1_500;

/** Returns changed lines, with a few unchanged ones around them. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  if (before === after) return [];
  const [old, now] = [linesToDiff(before), linesToDiff(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const middle = diffLinesBetween(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  const ending = tail === 0 ? [] : old.slice(-tail);
  return shortenDiffLines([...old.slice(0, head).map(same), ...middle, ...ending.map(same)]);
}

/** Keeps the longest common subsequence; the other lines were removed or added. */
function diffLinesBetween(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length > MAX_LINES || now.length > MAX_LINES)
    return [...old.map((text) => diffLine('removed', text)), ...now.map((text) => diffLine('added', text))];
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const out: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (before !== undefined && before === after) {
      out.push(diffLine('same', before));
      i += 1;
      j += 1;
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      out.push(diffLine('removed', before));
      i += 1;
    } else {
      out.push(diffLine('added', after ?? ''));
      j += 1;
    }
  }
  return out;
}

/** Replaces long unchanged parts with one `gap` line. */
function shortenDiffLines(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  const out: DiffLine[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const found = lines[index];
    if (found === undefined) continue;
    if (isNear[index] === 1) {
      out.push(found);
      continue;
    }
    let end = index;
    while (end < lines.length && isNear[end] === 0) end += 1;
    out.push(diffLine('gap', String(end - index)));
    index = end - 1;
  }
  return out;
}

const diffLine = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text });

function linesToDiff(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

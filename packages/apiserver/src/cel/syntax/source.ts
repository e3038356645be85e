/** A fault of an expression, at an offset in its text. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Maximum number of faults shown for one expression. */
const MAX_ISSUES = 100;
/** Length beyond which no further fault is shown: each shows its whole line. */
const MAX_TEXT = 100_000;

/** The text of all faults as cel-go prints it: each with its line and a mark below the position. */
export function celSourceIssuesText(source: string, issues: readonly Issue[]): string {
  const shown = issues.toSorted((a, b) => a.at - b.at).slice(0, MAX_ISSUES);
  let text = '';
  for (const issue of shown) {
    text += `${text === '' ? '' : '\n'}${celSourceIssueText(source, issue)}`;
    if (text.length > MAX_TEXT) break;
  }
  return text;
}

function celSourceIssueText(source: string, { at, message }: Issue): string {
  const before = source.slice(0, at).split('\n');
  const line = source.split('\n')[before.length - 1] ?? '';
  // Columns count code points.
  const column = Array.from(before.at(-1) ?? '').length;
  const marks = Array.from(line)
    .slice(0, column)
    .map((letter) => (isWideInCelSource(letter) ? '．' : '.'));
  const padding = '.'.repeat(Math.max(0, column - marks.length));
  const mark = isWideInCelSource(Array.from(line)[column] ?? '') ? '＾' : '^';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${marks.join('')}${padding}${mark}`;
}

/** Whether a character is wide: the mark below it is wide too, so that columns stay aligned. */
const isWideInCelSource = (letter: string): boolean => new TextEncoder().encode(letter).length > 1;

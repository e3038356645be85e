import { spreadOf } from '../measure/statistics.ts';
import type { Row } from './results.ts';
import { shortNumber } from './svg.ts';

/** A heading, the figure, and what it is divided by. */
export type Column = readonly [heading: string, figure: string, unit: number];

/** Markdown: one line per contestant, medians with ranges; columns without a value are left out. */
export function table(rows: readonly Row[], columns: readonly Column[]): string {
  const shown = columns.filter(([, figure]) => rows.some(({ values }) => values[figure] !== undefined));
  const head = `| | ${shown.map(([heading]) => heading).join(' | ')} |`;
  const lines = rows.map(({ contestant, family, values }) => {
    const cells = shown.map(([, figure, unit]) => {
      const all = values[figure];
      // A limit keeps nothing that could be compared.
      if (all === undefined || (family === 'limit' && figure === 'heldBytes')) return '–';
      return cell(all.map((value) => value / unit));
    });
    return `| ${family === 'kube-informer' ? `**${contestant}**` : contestant} | ${cells.join(' | ')} |`;
  });
  return [head, `|---|${shown.map(() => '---').join('|')}|`, ...lines].join('\n');
}

function cell(values: readonly number[]): string {
  const { median, min, max } = spreadOf(values);
  return min === max ? shortNumber(median) : `${shortNumber(median)} (${shortNumber(min)}–${shortNumber(max)})`;
}

import type { Spread } from '../measure/statistics.ts';
import { shortNumber, svgLine, svgPage, svgText } from './svg.ts';

export interface Bar {
  readonly name: string;
  readonly family: string;
  readonly spread: Spread;
}

export interface BarPlot {
  readonly title: string;
  readonly subtitle: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 860;
const LEFT = 270;
const RIGHT = 170;
const TOP = 64;
const ROW = 26;

/** Bars from left to right, the smallest first; a thin line is the range of the rounds. */
export function barPlot({ title, subtitle, unit, bars }: BarPlot): string {
  const sorted = bars.toSorted((a, b) => a.spread.median - b.spread.median);
  const most = Math.max(...sorted.map(({ spread }) => spread.max), Number.MIN_VALUE);
  const x = (value: number): number => LEFT + (Math.max(0, value) / most) * (WIDTH - LEFT - RIGHT);
  const rows = sorted.flatMap(({ name, family, spread }, i) => {
    const y = TOP + i * ROW;
    const middle = y + ROW / 2 - 3;
    const width = Math.max(1, x(spread.median) - LEFT).toFixed(1);
    const isOurs = family === 'kube-informer' ? ' font-weight="600"' : '';
    return [
      svgText(LEFT - 10, middle + 5, name, `text-anchor="end"${isOurs}`),
      `<rect x="${LEFT}" y="${y}" width="${width}" height="${ROW - 8}" rx="2" class="f-${family}"/>`,
      ...(spread.rounds > 1 ? [svgLine(x(spread.min), middle + 1, x(spread.max), middle + 1, 'range')] : []),
      svgText(x(spread.max) + 8, middle + 5, `${shortNumber(spread.median)} ${unit}`),
    ];
  });
  const head = [svgText(16, 26, title, 'class="title"'), svgText(16, 46, subtitle, 'class="quiet"')];
  return svgPage(WIDTH, TOP + sorted.length * ROW + 14, title, [...head, ...rows]);
}

import type { Spread } from '../measure/statistics.ts';
import { shortNumber, svgPage, svgText } from './svg.ts';

/** One line of bars: a contestant, and its figure in each panel. */
export interface PanelRow {
  readonly name: string;
  readonly family: string;
  readonly spreads: readonly (Spread | undefined)[];
}

export interface PanelPlot {
  readonly title: string;
  readonly subtitle: string;
  /** Headings with their units, from left to right. */
  readonly panels: readonly (readonly [heading: string, unit: string])[];
  readonly rows: readonly PanelRow[];
}

const WIDTH = 860;
const LEFT = 245;
const TOP = 92;
const ROW = 28;
const GAP = 18;
/** Room for the number behind a bar. */
const NUMBER = 66;

/** Several figures of the same contestants side by side, each on its own scale from zero. */
export function panelPlot({ title, subtitle, panels, rows }: PanelPlot): string {
  const width = (WIDTH - LEFT - GAP * panels.length) / panels.length;
  const body = [svgText(16, 26, title, 'class="title"'), svgText(16, 46, subtitle, 'class="quiet"')];
  for (const [p, [heading, unit]] of panels.entries()) {
    const left = LEFT + p * (width + GAP);
    const most = Math.max(...rows.map(({ spreads }) => spreads[p]?.median ?? 0), Number.MIN_VALUE);
    body.push(svgText(left, TOP - 14, heading, 'class="quiet"'));
    for (const [i, { family, spreads }] of rows.entries()) {
      const y = TOP + i * ROW;
      const spread = spreads[p];
      if (spread === undefined) {
        body.push(svgText(left, y + 14, '–', 'class="quiet"'));
        continue;
      }
      const long = Math.max(1, (Math.max(0, spread.median) / most) * (width - NUMBER));
      body.push(
        `<rect x="${left.toFixed(1)}" y="${y}" width="${long.toFixed(1)}" height="${ROW - 9}" rx="2" class="f-${family}"/>`,
        svgText(left + long + 6, y + 14, `${shortNumber(spread.median)} ${unit}`, 'class="quiet"'),
      );
    }
  }
  for (const [i, { name, family }] of rows.entries()) {
    const weight = family === 'kube-informer' ? ' font-weight="600"' : '';
    body.push(svgText(LEFT - 12, TOP + i * ROW + 14, name, `text-anchor="end"${weight}`));
  }
  return svgPage(WIDTH, TOP + rows.length * ROW + 12, title, body);
}

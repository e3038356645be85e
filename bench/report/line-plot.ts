import { shortNumber, svgLine, svgPage, svgText } from './svg.ts';

export interface Line {
  readonly name: string;
  readonly family: string;
  readonly points: readonly (readonly [number, number])[];
}

export interface LinePlot {
  readonly title: string;
  readonly subtitle: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const WIDTH = 860;
const HEIGHT = 480;
const PLOT = { left: 70, right: 530, top: 84, bottom: 430 };
const LABEL = 17;

/** Lines on two logarithmic scales: cost that grows with the number of objects has the slope of the thin line. */
export function linePlot({ title, subtitle, unit, lines }: LinePlot): string {
  const all = lines.flatMap(({ points }) => points);
  const x = scale(
    all.map(([value]) => value),
    PLOT.left,
    PLOT.right,
  );
  const y = scale(
    all.map(([, value]) => value),
    PLOT.bottom,
    PLOT.top,
  );
  const drawn = lines.flatMap(({ family, points }) => [
    `<polyline class="line s-${family}" points="${points.map(([a, b]) => `${x.at(a).toFixed(1)},${y.at(b).toFixed(1)}`).join(' ')}"/>`,
    ...points.map(
      ([a, b]) => `<circle cx="${x.at(a).toFixed(1)}" cy="${y.at(b).toFixed(1)}" r="3" class="f-${family}"/>`,
    ),
  ]);
  const ends = lines.map((line) => ({ ...line, end: line.points.at(-1) as readonly [number, number] }));
  const placed = spreadLabels(ends.map(({ end }) => y.at(end[1])));
  // Not above the plot: the title is there.
  const down = Math.max(0, PLOT.top - Math.min(...placed));
  const labels = placed.map((wanted, i) => {
    const at = wanted + down;
    const { name, family, end } = ends[i] as (typeof ends)[0];
    const weight = family === 'kube-informer' ? ' font-weight="600"' : '';
    const mark = `<rect x="${PLOT.right + 22}" y="${(at - 5).toFixed(1)}" width="8" height="8" class="f-${family}"/>`;
    const leader = svgLine(PLOT.right + 5, y.at(end[1]), PLOT.right + 20, at - 1, 'axis');
    return `${leader}${mark}${svgText(PLOT.right + 36, at + 4, `${name} ${shortNumber(end[1])}`, weight)}`;
  });
  const axes = [
    svgLine(PLOT.left, PLOT.bottom, PLOT.right, PLOT.bottom, 'axis'),
    ...x.ticks.flatMap((value) => [
      svgLine(x.at(value), PLOT.top, x.at(value), PLOT.bottom, 'axis'),
      svgText(x.at(value), PLOT.bottom + 20, value.toLocaleString('en'), 'text-anchor="middle" class="quiet"'),
    ]),
    ...y.ticks.flatMap((value) => [
      svgLine(PLOT.left, y.at(value), PLOT.right, y.at(value), 'axis'),
      svgText(PLOT.left - 8, y.at(value) + 4, value.toLocaleString('en'), 'text-anchor="end" class="quiet"'),
    ]),
    svgText(PLOT.left, PLOT.top - 8, unit, 'class="quiet"'),
    svgText(PLOT.right, PLOT.bottom + 38, 'objects', 'text-anchor="end" class="quiet"'),
  ];
  const head = [svgText(16, 26, title, 'class="title"'), svgText(16, 46, subtitle, 'class="quiet"')];
  return svgPage(WIDTH, HEIGHT, title, [...head, ...axes, ...drawn, ...labels]);
}

interface Scale {
  at(value: number): number;
  readonly ticks: readonly number[];
}

/** A logarithmic scale with a tick at each power of ten, and one of 2 and 5 where there are few. */
function scale(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
  const at = (value: number): number => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
  const powers = Array.from({ length: 16 }, (_, i) => 10 ** (i - 4));
  const inside = powers
    .flatMap((power) => [power, 2 * power, 5 * power])
    .filter((value) => value >= low && value <= high);
  const tens = inside.filter((value) => powers.includes(value));
  return { at, ticks: tens.length > 2 ? tens : inside };
}

/** Moves labels apart so that none covers another; their order stays. */
export function spreadLabels(wanted: readonly number[], distance: number = LABEL): number[] {
  const order = wanted.map((_, i) => i).toSorted((a, b) => (wanted[a] as number) - (wanted[b] as number));
  const placed = [...wanted];
  // Groups of labels that touch move together, around the middle of where they want to be.
  let groups = order.map((i) => ({ members: [i], middle: wanted[i] as number }));
  for (let isMoving = true; isMoving;) {
    isMoving = false;
    for (let g = 1; g < groups.length; g += 1) {
      const [above, below] = [groups[g - 1], groups[g]] as [(typeof groups)[0], (typeof groups)[0]];
      const gap = below.middle - above.middle - ((above.members.length + below.members.length) / 2) * distance;
      if (gap >= -1e-9) continue;
      const members = [...above.members, ...below.members];
      const middle = members.reduce((sum, i) => sum + (wanted[i] as number), 0) / members.length;
      groups = [...groups.slice(0, g - 1), { members, middle }, ...groups.slice(g + 1)];
      isMoving = true;
      break;
    }
  }
  for (const { members, middle } of groups)
    for (const [at, i] of members.entries()) placed[i] = middle + (at - (members.length - 1) / 2) * distance;
  return placed;
}

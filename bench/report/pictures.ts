import { spreadOf } from '../measure/statistics.ts';
import { type Bar, barPlot } from './bar-plot.ts';
import { linePlot } from './line-plot.ts';
import { panelPlot } from './panel-plot.ts';
import { type Results, type Row, rowsOf } from './results.ts';

const KB = 1e3;
const MB = 1e6;
const SYNC = { resource: 'pods', data: 'friendly', initial: 'default' };
/** Contestants of the README's picture, by the beginning of their names. */
const SHOWN = [
  'kube-informer packed, Node 26',
  'kube-informer default, Node 26',
  'client-go protobuf',
  'kube-rs',
  'fabric8',
  'client-node, Node 26',
];

/** The pictures that can be drawn from these results, as SVG by name. */
export function drawPictures(results: Results): Map<string, string> {
  const syncs = rowsOf(results, 'first-sync', SYNC);
  const sizes = [...new Set(syncs.map(objectsOf))].toSorted((a, b) => a - b);
  const objects = sizes.filter((size) => size <= 10_000).at(-1) ?? 0;
  const at = syncs.filter((row) => objectsOf(row) === objects);
  const caches = at.filter(({ family }) => family !== 'limit');
  const keys = rowsOf(results, 'events', { read: 'key' });
  const late = rowsOf(results, 'latency', { perSecond: 100 });
  const starts = ofLargestSize(rowsOf(results, 'reconcile'));
  const pods = `${objects.toLocaleString('en')} pods on a real kube-apiserver; the thin line is the range of the rounds.`;
  const drawn = new Map<string, string>();
  if (sizes.length > 1) drawn.set('sync-cpu', costPlot(syncs));
  if (at.length > 0) {
    drawn.set('overview', overviewPlot(at, keys, objects));
    drawn.set('sync-memory', bars('Memory held for one cached pod', pods, 'KB', caches, 'heldBytes', KB));
    drawn.set('sync-peak', bars('Peak memory of the process in the first sync', pods, 'MB', at, 'peakBytes', MB));
  }
  if (keys.length > 0) {
    const subtitle = 'Watch events at full speed; the handler takes the key. Lower is better.';
    drawn.set('events', bars('CPU for one event', subtitle, 'µs', keys, 'cpuUsPerEvent', 1));
  }
  if (late.length > 0) {
    const subtitle = '99th percentile at 100 changes a second. Lower is better.';
    drawn.set('latency', bars('From server to handler', subtitle, 'ms', late, 'p99Ms', 1));
  }
  if (starts.length > 0) {
    const count = objectsOf(starts[0] as Row).toLocaleString('en');
    const subtitle = `CPU from the start to the last run of ${count} custom objects; a run does nothing. Lower is better.`;
    drawn.set('reconcile', bars('A controller that starts', subtitle, 'ms', starts, 'cpuMs', 1));
  }
  return drawn;
}

function overviewPlot(syncs: readonly Row[], events: readonly Row[], objects: number): string {
  const figure = (rows: readonly Row[], name: string, key: string, unit: number) => {
    const values = rows.find(({ contestant }) => contestant.startsWith(name))?.values[key];
    return values === undefined ? undefined : spreadOf(values.map((value) => value / unit));
  };
  const rows = SHOWN.flatMap((name) => {
    const row = syncs.find(({ contestant }) => contestant.startsWith(name));
    if (row === undefined) return [];
    const spreads = [
      figure(syncs, name, 'heldBytes', KB),
      figure(syncs, name, 'cpuMs', 1_000),
      figure(events, name, 'cpuUsPerEvent', 1),
    ];
    return [{ name: row.contestant, family: row.family, spreads }];
  });
  return panelPlot({
    title: 'What a cache of pods costs',
    subtitle: `${objects.toLocaleString('en')} pods of a real kube-apiserver, all contestants in the same run. Shorter is better.`,
    panels: [
      ['memory held for a pod', 'KB'],
      ['CPU of the first sync', 's'],
      ['CPU of one event', 'µs'],
    ],
    rows,
  });
}

/** CPU of the first sync against the number of objects. */
function costPlot(syncs: readonly Row[]): string {
  // The figure beside a name is that of its last point, so each line must reach the largest size.
  const names = [...new Set(ofLargestSize(syncs).map(({ contestant }) => contestant))];
  const lines = names.map((name) => {
    const own = syncs.filter(({ contestant }) => contestant === name);
    const points = own.map((row) => [objectsOf(row), spreadOf(row.values['cpuMs'] ?? [0]).median] as const);
    return { name, family: own[0]?.family ?? '', points: points.toSorted(([a], [b]) => a - b) };
  });
  const subtitle = 'CPU of the first sync against the number of pods; lower is better. Both scales are logarithmic.';
  return linePlot({ title: 'What a first sync costs', subtitle, unit: 'ms of CPU', lines });
}

function bars(title: string, subtitle: string, unit: string, rows: readonly Row[], figure: string, by: number): string {
  const drawn = rows.flatMap(({ contestant, family, values }): Bar[] => {
    const all = values[figure];
    return all === undefined ? [] : [{ name: contestant, family, spread: spreadOf(all.map((value) => value / by)) }];
  });
  return barPlot({ title, subtitle, unit, bars: drawn });
}

function ofLargestSize(rows: readonly Row[]): Row[] {
  const most = Math.max(...rows.map(objectsOf));
  return rows.filter((row) => objectsOf(row) === most);
}

const objectsOf = ({ case: one }: Row): number => Number(one['objects'] ?? 0);

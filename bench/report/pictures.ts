import { spreadOf } from '../measure/statistics.ts';
import { type Bar, barPlot } from './bar-plot.ts';
import { linePlot } from './line-plot.ts';
import { type Results, type Row, rowsOf } from './results.ts';

const MB = 1e6;

/** The pictures that can be drawn from these results, as SVG by name. */
export function drawPictures(results: Results): Map<string, string> {
  const drawn = new Map<string, string>();
  const sync = { resource: 'pods', data: 'friendly', initial: 'default' };
  const syncs = rowsOf(results, 'first-sync', sync);
  const sizes = [...new Set(syncs.map(({ case: one }) => Number(one['objects'])))].toSorted((a, b) => a - b);
  const objects = sizes.filter((size) => size <= 10_000).at(-1) ?? 0;
  const median = (row: Row, figure: string): number => spreadOf(row.values[figure] ?? [0]).median;
  if (sizes.length > 1) {
    const names = [...new Set(syncs.map(({ contestant }) => contestant))];
    const lines = names.map((name) => {
      const own = syncs.filter(({ contestant }) => contestant === name);
      const points = own.map((row) => [Number(row.case['objects']), median(row, 'cpuMs')] as const);
      return { name, family: own[0]?.family ?? '', points: points.toSorted(([a], [b]) => a - b) };
    });
    const subtitle = 'CPU of the first sync against the number of pods; lower is better. Both scales are logarithmic.';
    drawn.set('sync-cpu', linePlot({ title: 'What a first sync costs', subtitle, unit: 'ms of CPU', lines }));
  }
  const at = rowsOf(results, 'first-sync', { ...sync, objects });
  const pods = `${objects.toLocaleString('en')} pods on a real kube-apiserver; the thin line is the range of the rounds.`;
  if (at.length > 0) {
    const held = bars(
      at.filter(({ family }) => family !== 'limit'),
      'heldBytes',
      1_000,
    );
    drawn.set(
      'sync-memory',
      barPlot({ title: 'Memory held for one cached pod', subtitle: pods, unit: 'KB', bars: held }),
    );
    const peak = bars(at, 'peakBytes', MB);
    drawn.set(
      'sync-peak',
      barPlot({ title: 'Peak memory of the process in the first sync', subtitle: pods, unit: 'MB', bars: peak }),
    );
  }
  const keys = rowsOf(results, 'events', { read: 'key' });
  if (keys.length > 0) {
    const subtitle = 'Watch events at full speed; the handler takes the key. Lower is better.';
    drawn.set(
      'events',
      barPlot({ title: 'CPU for one event', subtitle, unit: 'µs', bars: bars(keys, 'cpuUsPerEvent', 1) }),
    );
  }
  const late = rowsOf(results, 'latency', { perSecond: 100 });
  if (late.length > 0) {
    const subtitle = '99th percentile at 100 changes a second, the write included. Lower is better.';
    drawn.set(
      'latency',
      barPlot({ title: 'From write to handler', subtitle, unit: 'ms', bars: bars(late, 'p99Ms', 1) }),
    );
  }
  return drawn;
}

function bars(rows: readonly Row[], figure: string, unit: number): Bar[] {
  return rows.flatMap(({ contestant, family, values }) => {
    const all = values[figure];
    return all === undefined ? [] : [{ name: contestant, family, spread: spreadOf(all.map((value) => value / unit)) }];
  });
}

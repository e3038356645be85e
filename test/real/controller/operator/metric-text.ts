/** Samples of a metric by its labels, as text. */
export type Samples = ReadonlyMap<string, number>;

/** Reads the text that Prometheus reads: samples by metric name. */
export function readMetrics(text: string): Map<string, Samples> {
  const metrics = new Map<string, Map<string, number>>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^([a-zA-Z_:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const samples = metrics.get(name) ?? new Map<string, number>();
    metrics.set(name, samples.set(labels, Number(value)));
  }
  return metrics;
}

/** Names of the labels of a metric, and whether two processes could be added up. */
export const labelNames = (samples: Samples): string[] => [
  ...new Set([...samples.keys()].flatMap((labels) => [...labels.matchAll(/(\w+)="/g)].map(([, name = '']) => name))),
];

/** Upper bounds of the buckets of a histogram, in order; none for other metrics. */
export const bounds = (samples: Samples): number[] =>
  [...new Set([...samples.keys()].flatMap((labels) => [...labels.matchAll(/\ble="([^"]+)"/g)].map(([, le]) => le)))]
    .map((le) => (le === '+Inf' ? Infinity : Number(le)))
    .toSorted((a, b) => a - b);

/** Sum of all samples whose labels contain a text. */
export const sum = (metrics: ReadonlyMap<string, Samples>, name: string, containing = ''): number => {
  let total = 0;
  for (const [labels, value] of metrics.get(name) ?? []) if (labels.includes(containing)) total += value;
  return total;
};

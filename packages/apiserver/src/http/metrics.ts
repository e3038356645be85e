import type { Store } from '../storage/store/store.ts';

/** Labels of the request counters. */
export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly code: number;
}

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 60];

/** Counters under the names of a real server, as far as they mean the same here. */
export class ServerMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, { readonly buckets: number[]; sum: number; count: number }>();
  readonly #watchEvents = new Map<string, number>();
  readonly #terminated = new Map<string, number>();

  request(labels: RequestLabels, seconds: number): void {
    const { verb, group, version, resource, subresource, code } = labels;
    const name = metricLabels({ code: String(code), group, resource, subresource, verb: verb.toUpperCase(), version });
    addToMetric(this.#requests, name, 1);
    if (verb === 'watch') return;
    const id = metricLabels({ group, resource, subresource, verb: verb.toUpperCase(), version });
    let entry = this.#durations.get(id);
    if (entry === undefined) {
      entry = { buckets: BUCKETS_SECONDS.map(() => 0), sum: 0, count: 0 };
      this.#durations.set(id, entry);
    }
    for (const [index, limit] of BUCKETS_SECONDS.entries()) if (seconds <= limit) (entry.buckets[index] as number) += 1;
    entry.sum += seconds;
    entry.count += 1;
  }

  watchEvents(group: string, resource: string, count: number): void {
    addToMetric(this.#watchEvents, metricLabels({ group, resource }), count);
  }

  watcherTerminated(group: string, resource: string): void {
    addToMetric(this.#terminated, metricLabels({ group, resource }), 1);
  }

  /** Prometheus text. */
  text(store: Store, longRunning: number): string {
    const lines: string[] = [];
    writeMetricCounter(lines, 'apiserver_request_total', this.#requests);
    lines.push('# TYPE apiserver_request_duration_seconds histogram');
    for (const [labels, { buckets, sum, count }] of this.#durations) {
      for (const [index, limit] of BUCKETS_SECONDS.entries())
        lines.push(`apiserver_request_duration_seconds_bucket{${labels},le="${limit}"} ${buckets[index]}`);
      lines.push(`apiserver_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`);
      lines.push(`apiserver_request_duration_seconds_sum{${labels}} ${sum}`);
      lines.push(`apiserver_request_duration_seconds_count{${labels}} ${count}`);
    }
    lines.push('# TYPE apiserver_longrunning_requests gauge', `apiserver_longrunning_requests ${longRunning}`);
    writeMetricCounter(lines, 'apiserver_watch_events_total', this.#watchEvents);
    writeMetricCounter(lines, 'apiserver_terminated_watchers_total', this.#terminated);
    lines.push('# TYPE apiserver_storage_objects gauge');
    for (const { id, size } of store.collections()) lines.push(`apiserver_storage_objects{resource="${id}"} ${size}`);
    lines.push('# TYPE apiserver_storage_revision gauge', `apiserver_storage_revision ${store.revision}`);
    return `${lines.join('\n')}\n`;
  }
}

function addToMetric(counters: Map<string, number>, labels: string, value: number): void {
  counters.set(labels, (counters.get(labels) ?? 0) + value);
}

function writeMetricCounter(lines: string[], name: string, counters: ReadonlyMap<string, number>): void {
  lines.push(`# TYPE ${name} counter`);
  for (const [labels, value] of counters) lines.push(`${name}{${labels}} ${value}`);
}

const metricLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',');

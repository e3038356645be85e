import type { RequestInfo } from '../core/request-info.ts';
import type { Registry } from '../registry/registry.ts';
import type { Store } from '../storage/store/stored-objects.ts';

/** Labels of the request counters. */
export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly code: number;
}

const VERBS: ReadonlySet<string> = new Set([
  'get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'put', 'post', 'head', 'options',
]); // prettier-ignore

/** Labels of a verb, a resource or a subresource that does not exist. */
const OTHER = 'other';

/**
 * The labels of a request. Each value is one that the server itself has, never text of the sender: labels
 * with the path would let any client fill the memory.
 */
export function serverMetricRequestLabels(
  registry: Pick<Registry, 'find'>,
  { verb, isResource, group, version, resource, subresource }: RequestInfo,
): Omit<RequestLabels, 'code'> {
  const knownVerb = VERBS.has(verb) ? verb : OTHER;
  if (!isResource) return { verb: knownVerb, group: '', version: '', resource: '', subresource: '' };
  const found = registry.find(group, version, resource)?.resource;
  if (found === undefined) return { verb: knownVerb, group: '', version: '', resource: OTHER, subresource: '' };
  const isPart = subresource === '' || found.subresources.some(({ name }) => name === subresource);
  return { verb: knownVerb, group, version, resource, subresource: isPart ? subresource : OTHER };
}

/** Maximum number of label sets of a metric: definitions are added and removed, and their resources with them. */
const MAX_SERIES = 10_000;

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 60];

/** Counters with the names of a real server, if they mean the same here. */
export class ServerMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, { readonly buckets: number[]; sum: number; count: number }>();
  readonly #watchEvents = new Map<string, number>();
  readonly #terminated = new Map<string, number>();

  request(labels: RequestLabels, seconds: number): void {
    const { verb, group, version, resource, subresource, code } = labels;
    const name = serverMetricLabels({
      code: String(code),
      group,
      resource,
      subresource,
      verb: verb.toUpperCase(),
      version,
    });
    addToServerMetric(this.#requests, name, 1);
    if (verb === 'watch') return;
    const id = serverMetricLabels({ group, resource, subresource, verb: verb.toUpperCase(), version });
    let entry = this.#durations.get(id);
    if (entry === undefined) {
      if (this.#durations.size >= MAX_SERIES) return;
      entry = { buckets: BUCKETS_SECONDS.map(() => 0), sum: 0, count: 0 };
      this.#durations.set(id, entry);
    }
    for (const [index, limit] of BUCKETS_SECONDS.entries()) if (seconds <= limit) (entry.buckets[index] as number) += 1;
    entry.sum += seconds;
    entry.count += 1;
  }

  watchEvents(group: string, resource: string, count: number): void {
    addToServerMetric(this.#watchEvents, serverMetricLabels({ group, resource }), count);
  }

  watcherTerminated(group: string, resource: string): void {
    addToServerMetric(this.#terminated, serverMetricLabels({ group, resource }), 1);
  }

  /** The metrics as Prometheus text. */
  text(store: Store, longRunning: number): string {
    const lines: string[] = [];
    writeServerMetricCounter(lines, 'apiserver_request_total', this.#requests);
    lines.push('# TYPE apiserver_request_duration_seconds histogram');
    for (const [labels, { buckets, sum, count }] of this.#durations) {
      for (const [index, limit] of BUCKETS_SECONDS.entries())
        lines.push(`apiserver_request_duration_seconds_bucket{${labels},le="${limit}"} ${buckets[index]}`);
      lines.push(`apiserver_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`);
      lines.push(`apiserver_request_duration_seconds_sum{${labels}} ${sum}`);
      lines.push(`apiserver_request_duration_seconds_count{${labels}} ${count}`);
    }
    lines.push('# TYPE apiserver_longrunning_requests gauge', `apiserver_longrunning_requests ${longRunning}`);
    writeServerMetricCounter(lines, 'apiserver_watch_events_total', this.#watchEvents);
    writeServerMetricCounter(lines, 'apiserver_terminated_watchers_total', this.#terminated);
    lines.push('# TYPE apiserver_storage_objects gauge');
    for (const { id, size } of store.collections()) lines.push(`apiserver_storage_objects{resource="${id}"} ${size}`);
    lines.push('# TYPE apiserver_storage_revision gauge', `apiserver_storage_revision ${store.revision}`);
    return `${lines.join('\n')}\n`;
  }
}

function addToServerMetric(counters: Map<string, number>, labels: string, value: number): void {
  const known = counters.get(labels);
  if (known !== undefined || counters.size < MAX_SERIES) counters.set(labels, (known ?? 0) + value);
}

function writeServerMetricCounter(lines: string[], name: string, counters: ReadonlyMap<string, number>): void {
  lines.push(`# TYPE ${name} counter`);
  for (const [labels, value] of counters) lines.push(`${name}{${labels}} ${value}`);
}

const serverMetricLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',');

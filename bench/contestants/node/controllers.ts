/** @kube-informer/controller as a contestant: its queue alone, and one controller of widgets. */
import { createInterface } from 'node:readline';
import { controller, type Operator, run } from '@kube-informer/controller';
import { WorkQueue } from '@kube-informer/controller/queue';
import { Cluster, type KubeObject } from 'kube-informer';
import { type Metrics, systemEnv } from 'kube-informer/core';
import { promMetrics } from 'kube-informer/prometheus';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { answer, collect } from './protocol.ts';

export interface Run {
  readonly do: 'run';
  readonly form: string;
  readonly selector: string;
  /** `apply`: a config map of its own for each widget. */
  readonly work: 'nothing' | 'apply';
  readonly workers: number;
  /** The lease, as `namespace/name`; empty for none. */
  readonly election: string;
}

export type ControllerCommand =
  | { readonly do: 'queue'; readonly form: string; readonly keys: number }
  | Run
  | { readonly do: 'tell' }
  | { readonly do: 'expect'; readonly events: number }
  | { readonly do: 'stop' };

const WIDGETS = 'bench.example.com/v1/widgets';
const HOUR_MS = 3_600_000;

/** A time, and the CPU that this process had used. */
interface Moment {
  readonly ms: number;
  readonly cpuUs: number;
}

function moment(): Moment {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now(), cpuUs: user + system };
}

// Each in a registry of its own: a name can be registered once.
const prometheus = (): Metrics => promMetrics({ Counter, Gauge, Histogram, register: new Registry() });

/** Adds keys, takes them all and is done with them; then adds keys that are due in an hour. */
async function measureQueue(count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, i) => `namespace-${i % 50}/object-${String(i).padStart(6, '0')}`);
  // Makes flat strings of all keys, so that none is flattened while it is measured.
  const flat = JSON.parse(JSON.stringify(keys)) as string[];
  const warm = newQueue();
  addAll(warm, flat, 0);
  await takeAll(warm, count);
  warm.close();

  const ready = newQueue();
  const empty = collect().heapBytes;
  const began = moment();
  addAll(ready, flat, 0);
  const added = moment();
  const readyBytes = collect().heapBytes - empty;
  const resumed = moment();
  await takeAll(ready, count);
  const took = moment();
  ready.close();

  const delayed = newQueue();
  const before = collect().heapBytes;
  addAll(delayed, flat, HOUR_MS);
  const delayedBytes = collect().heapBytes - before;
  delayed.close();
  answer({
    queueUs: (added.cpuUs - began.cpuUs + took.cpuUs - resumed.cpuUs) / flat.length,
    readyBytes: readyBytes / flat.length,
    delayedBytes: delayedBytes / flat.length,
  });
}

const newQueue = (): WorkQueue => new WorkQueue({ name: 'bench', metrics: prometheus() });

function addAll(queue: WorkQueue, keys: readonly string[], afterMs: number): void {
  for (const key of keys) {
    if (afterMs > 0) queue.add(key, { afterMs });
    else queue.add(key);
  }
}

async function takeAll(queue: WorkQueue, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const taken = await queue.get();
    if (taken !== undefined) queue.done(taken.key);
  }
}

/** One controller of widgets. It does nothing, or applies a config map for each widget. */
class Bench {
  readonly #operator: Operator;
  readonly #cluster: Cluster;
  #runs = 0;
  #elected: Moment | undefined;
  #first: Moment | undefined;
  #seen = new Map<string, number>();
  #left = 0;
  #latenciesUs: number[] = [];

  private constructor(cluster: Cluster, { selector, work, workers, election }: Run) {
    this.#cluster = cluster;
    const env = { ...systemEnv, log: () => {} };
    const widgets = controller<KubeObject>(cluster, WIDGETS, {
      name: 'bench',
      labels: selector,
      concurrency: workers,
      ...(work === 'apply' ? { owns: ['v1/configmaps'] } : {}),
      on: (_, object) => {
        if (this.#left > 0) this.#seen.set(`${object.metadata?.namespace}/${object.metadata?.name}`, performance.now());
        return true;
      },
      reconcile: async ({ key, name, namespace, object, apply }) => {
        this.#note(key);
        if (work === 'nothing') return;
        const metadata = { name, namespace, labels: { 'bench-child': 'yes' } };
        const data = { of: object.metadata.uid, message: 'made by the bench' };
        await apply('v1/configmaps', { metadata, data }, { force: true });
      },
    });
    const metrics = this.#noting(prometheus());
    this.#operator = run([widgets], { metrics, env, ...(election === '' ? {} : { election }) });
  }

  static async start(command: Run): Promise<Bench> {
    return new Bench(await Cluster.connect(), command);
  }

  /** Passes metrics on, and remembers when the lease was got. */
  #noting(metrics: Metrics): Metrics {
    return {
      counter: (name, labels) => metrics.counter(name, labels),
      histogram: (name, labels, buckets) => metrics.histogram(name, labels, buckets),
      gauge: (name, labels) => {
        const gauge = metrics.gauge(name, labels);
        if (name !== 'leader_election_master_status') return gauge;
        return {
          set: (value) => {
            if (value === 1) this.#elected ??= moment();
            gauge.set(value);
          },
        };
      },
    };
  }

  #note(key: string): void {
    this.#runs += 1;
    if (this.#runs === 1) this.#first = moment();
    const at = this.#seen.get(key);
    if (this.#left === 0 || at === undefined) return;
    this.#seen.delete(key);
    this.#latenciesUs.push((performance.now() - at) * 1_000);
    this.#left -= 1;
    if (this.#left === 0) answer({ done: true, latenciesUs: this.#latenciesUs });
  }

  expect(events: number): void {
    this.#seen = new Map();
    this.#left = events;
    this.#latenciesUs = [];
  }

  tell(): object {
    const [elected, first] = [this.#elected, this.#first];
    const taken =
      elected === undefined || first === undefined
        ? {}
        : { firstRunMs: first.ms - elected.ms, firstRunCpuMs: (first.cpuUs - elected.cpuUs) / 1_000 };
    return { runs: this.#runs, warm: this.#operator.health().ready, ...taken };
  }

  async stop(): Promise<void> {
    await this.#operator.stop();
    await this.#cluster.close();
  }
}

answer({ ready: true, version: `Node ${process.versions.node}`, heapBytes: collect().heapBytes });
let bench: Bench | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as ControllerCommand;
  if (command.do === 'queue') {
    await measureQueue(command.keys);
    continue;
  }
  if (command.do === 'run') bench = await Bench.start(command);
  else if (command.do === 'expect') bench?.expect(command.events);
  else if (command.do === 'stop') await bench?.stop();
  answer(command.do === 'tell' ? (bench?.tell() ?? {}) : { ok: true });
}
process.exit(0);

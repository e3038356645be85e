import { createInterface } from 'node:readline';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/** What to cache, and how: the first command. */
export interface Start {
  readonly do: 'start';
  readonly resource: 'pods' | 'widgets';
  readonly selector: string;
  readonly form: string;
  readonly initial: 'watch-list' | 'list';
  readonly namespaces: readonly string[];
  readonly handlers: number;
  readonly read: 'key' | 'phase';
}

export type Command =
  | { readonly do: 'gc' }
  | { readonly do: 'expect'; readonly events: number; readonly latency?: boolean }
  | { readonly do: 'tell' }
  | { readonly do: 'read'; readonly what: Read; readonly times: number; readonly argument: string };

export type Read = 'get' | 'namespace' | 'index' | 'labels' | 'scan';

/** The caches of one run. */
export interface Caches {
  readonly objects: number;
  /** How many objects a read found. */
  read(what: Read, argument: string): number;
}

/** The annotation with the time of a write, in microseconds. */
export const WRITTEN_AT = 'bench.example.com/at';

/** Counts what handlers are called with, and reports when the expected number has come. */
export class Counters {
  notifications = 0;
  #left = 0;
  #latenciesUs: number[] | undefined;

  expect(events: number, latency: boolean): void {
    this.#left = events;
    this.#latenciesUs = latency ? [] : undefined;
    answer({ ok: true });
  }

  /** `written` is called only when latencies are measured. */
  count(written: () => string | undefined): void {
    this.notifications += 1;
    if (this.#left === 0) return;
    this.#latenciesUs?.push((performance.timeOrigin + performance.now()) * 1_000 - Number(written()));
    this.#left -= 1;
    if (this.#left === 0) answer({ done: true, latenciesUs: this.#latenciesUs });
  }
}

/** Writes one line of JSON; every answer carries the CPU time so far. */
export function answer(value: object): void {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ ...value, cpuUs: user + system })}\n`);
}

/** Plays a contestant: says that it is ready, starts the caches, then answers commands until the pipe closes. */
export async function play(
  version: string,
  start: (start: Start, counters: Counters) => Promise<Caches>,
): Promise<void> {
  answer({ ready: true, version, heapBytes: collect().heapBytes });
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) return;
  const counters = new Counters();
  const caches = await measured(() => start(JSON.parse(first.value) as Start, counters));
  for await (const line of { [Symbol.asyncIterator]: () => lines }) {
    const command = JSON.parse(line) as Command;
    if (command.do === 'gc') answer(collect());
    else if (command.do === 'expect') counters.expect(command.events, command.latency === true);
    else if (command.do === 'tell') answer({ notifications: counters.notifications });
    else answer(timed(caches, command));
  }
  process.exit(0);
}

/** Starts the caches and answers with what it took, the longest block of the event loop and the longest collection included. */
async function measured(start: () => Promise<Caches>): Promise<Caches> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let gcMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs = Math.max(gcMs, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  delay.enable();
  const began = performance.now();
  const caches = await start();
  const wallMs = performance.now() - began;
  delay.disable();
  observer.disconnect();
  answer({ objects: caches.objects, wallMs, blockMs: delay.max / 1e6, longestGcMs: gcMs });
  return caches;
}

function timed(caches: Caches, { what, times, argument }: Extract<Command, { do: 'read' }>): object {
  let found = 0;
  const began = process.hrtime.bigint();
  for (let i = 0; i < times; i += 1) found = caches.read(what, argument);
  return { found, ns: Number(process.hrtime.bigint() - began) };
}

/** The bytes of live objects and buffers, and how long a full collection takes. */
export function collect(): { heapBytes: number; gcMs: number } {
  const gc = globalThis.gc as () => void;
  gc();
  const began = performance.now();
  gc();
  const gcMs = performance.now() - began;
  // Not `external`: that leaves shared memory out.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heapBytes: heapUsed + arrayBuffers, gcMs };
}

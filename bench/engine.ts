/**
 * The engine alone, without a network: what a watch event costs on its way through reflector, queue,
 * cache and handlers, what a relist of 100,000 objects costs, and what a cached object costs above itself.
 *
 * Every figure is printed next to the limit measured in the same run: a bare `Map.set` of the same objects.
 * Run with `npm run bench`; needs `--expose-gc` for the memory figure (the script re-runs itself with it).
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type KubeObject, type WatchEvent, SharedInformer, systemEnv } from 'kube-informer';
import { Indexer } from 'kube-informer/store';

if (globalThis.gc === undefined) {
  const args = [...process.execArgv, '--expose-gc', fileURLToPath(import.meta.url)];
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
}
const collect = globalThis.gc;

const EVENTS = 200_000;
const OBJECTS = 100_000;
const LIVE = 5_000;
const ROUNDS = 7;

const pod = (i: number, version: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: `ns-${i % 50}`, name: `pod-${i}`, uid: `uid-${i}`, resourceVersion: String(version) },
});
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Makes every event beforehand, so that only the engine is measured. */
const initial = Array.from({ length: LIVE }, (_, i) => pod(i, i + 1));
const events: WatchEvent<KubeObject>[] = Array.from({ length: EVENTS }, (_, i) => ({
  type: 'MODIFIED',
  object: pod(i % LIVE, LIVE + 1 + i),
}));

async function throughEngine(handlers: number, queue: 'ordered' | 'delta' = 'ordered'): Promise<number> {
  let left = EVENTS * handlers;
  let done = (): void => {};
  const finished = new Promise<void>((resolve) => (done = resolve));
  let go = (): void => {};
  const started = new Promise<void>((resolve) => (go = resolve));
  const informer = new SharedInformer<KubeObject>(
    {
      watchListUnsupported: true,
      list: async () => ({ metadata: { resourceVersion: String(LIVE) }, items: initial }),
      async *watch(_, signal) {
        await started;
        yield* events;
        await systemEnv.sleep(60_000, signal);
      },
    },
    { env: { ...systemEnv, log: () => {} }, freeze: false, queue },
  );
  const count = (): void => {
    left -= 1;
    if (left === 0) done();
  };
  // `block` delivers every event; with coalescing less work would be measured.
  for (let i = 0; i < handlers; i += 1) informer.on({ update: count }, { policy: 'block', limit: 4_096 });
  informer.start();
  await informer.synced();
  const startedAt = performance.now();
  go();
  await finished;
  const ms = performance.now() - startedAt;
  await informer.stop();
  return (ms * 1_000) / EVENTS;
}

function throughMap(): number {
  const map = new Map<string, KubeObject>();
  const startedAt = performance.now();
  for (const { object } of events) {
    const { namespace, name } = (object as KubeObject).metadata as { namespace: string; name: string };
    map.set(`${namespace}/${name}`, object as KubeObject);
  }
  return ((performance.now() - startedAt) * 1_000) / EVENTS;
}

/** Measures the generator and the awaits alone: the cost of any `for await` over the same stream. */
async function throughIteration(): Promise<number> {
  const map = new Map<string, KubeObject>();
  async function* stream(): AsyncGenerator<WatchEvent<KubeObject>> {
    yield* events;
  }
  const startedAt = performance.now();
  for await (const { object } of stream()) {
    const { namespace, name } = (object as KubeObject).metadata as { namespace: string; name: string };
    map.set(`${namespace}/${name}`, object as KubeObject);
  }
  return ((performance.now() - startedAt) * 1_000) / EVENTS;
}

async function replaceAll(): Promise<{ ms: number; longestMs: number }> {
  const items = Array.from({ length: OBJECTS }, (_, i) => pod(i, i + 1));
  let handled = 0;
  let done = (): void => {};
  const finished = new Promise<void>((resolve) => (done = resolve));
  const informer = new SharedInformer<KubeObject>(
    {
      watchListUnsupported: true,
      list: async () => ({ metadata: { resourceVersion: String(OBJECTS) }, items }),
      async *watch(_, signal) {
        await systemEnv.sleep(60_000, signal);
        yield* [];
      },
    },
    { env: { ...systemEnv, log: () => {} }, freeze: false },
  );
  informer.on({
    add: () => {
      handled += 1;
      if (handled === OBJECTS) done();
    },
  });
  let longestMs = 0;
  let at = performance.now();
  let running = true;
  const beat = (): void => {
    longestMs = Math.max(longestMs, performance.now() - at);
    at = performance.now();
    if (running) setImmediate(beat);
  };
  collect();
  setImmediate(beat);
  const startedAt = performance.now();
  at = startedAt;
  informer.start();
  await finished;
  const ms = performance.now() - startedAt;
  running = false;
  await informer.stop();
  return { ms, longestMs };
}

function bytesPerObject(fill: (objects: KubeObject[]) => unknown): number {
  const objects = Array.from({ length: OBJECTS }, (_, i) => pod(i, i + 1));
  collect();
  const before = process.memoryUsage().heapUsed;
  const held = fill(objects);
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / OBJECTS;
  return held === undefined ? Number.NaN : bytes;
}

async function rounds(measure: () => Promise<number> | number): Promise<number> {
  const values: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) values.push(await measure());
  return median(values);
}

const map = await rounds(throughMap);
const iteration = await rounds(throughIteration);
const rows: [string, number][] = [
  ['Map.set (the limit)', map],
  ['for await + Map.set', iteration],
  ['engine, 1 handler', await rounds(() => throughEngine(1))],
  ['engine, 10 handlers', await rounds(() => throughEngine(10))],
  ['engine, 1 handler, DeltaFifo', await rounds(() => throughEngine(1, 'delta'))],
];
console.log(
  `\n${EVENTS.toLocaleString('en')} watch events over ${LIVE.toLocaleString('en')} objects, median of ${ROUNDS}`,
);
console.log('                                 µs/event    events/s   × Map.set   above for-await');
for (const [name, micros] of rows) {
  const above = name.startsWith('engine') ? `${(micros - iteration).toFixed(2)} µs` : '';
  console.log(
    `${name.padEnd(32)} ${micros.toFixed(3).padStart(8)} ${Math.round(1e6 / micros)
      .toLocaleString('en')
      .padStart(11)} ${(micros / map).toFixed(1).padStart(11)} ${above.padStart(17)}`,
  );
}
const replaces = [await replaceAll(), await replaceAll(), await replaceAll()];
const best = replaces.toSorted((a, b) => a.ms - b.ms)[1] as { ms: number; longestMs: number };
console.log(
  `\nfirst list of ${OBJECTS.toLocaleString('en')} objects, one handler: ${best.ms.toFixed(0)} ms in all, longest block of the event loop ${best.longestMs.toFixed(1)} ms`,
);
const bare = bytesPerObject(
  (objects) => new Map(objects.map((object) => [`${object.metadata?.namespace}/${object.metadata?.name}`, object])),
);
const indexed = bytesPerObject((objects) => {
  const indexer = new Indexer();
  indexer.replace(objects, '1');
  return indexer;
});
console.log(
  `memory above the object itself: Map ${bare.toFixed(0)} B, engine with namespace index ${indexed.toFixed(0)} B per object`,
);

/**
 * A cache of pods held plain and packed, without a network: what an object costs in CPU and in bytes, what reads cost, and
 * what an event costs, in one run and for two sets of pods. Both are given the same JSON bytes.
 *
 * Run with `npx tsx --conditions=@kube-informer/source bench/packed.ts`; `--pods 2000` for a quick look.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type KubeObject, LabelSelector, SharedInformer, systemEnv } from 'kube-informer';
import { plainJsonCodec } from '../packages/kube-informer/src/core/object/json-codec.ts';
import type { BuildObject } from '../packages/kube-informer/src/core/object/object-codec.ts';
import type { ListWatch } from '../packages/kube-informer/src/informer/list-watch/list-watch.ts';
import { podBytes, type PodKind } from './pods.ts';

if (globalThis.gc === undefined) {
  const args = [...process.execArgv, '--expose-gc', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
}
const collect = globalThis.gc;

const asked = process.argv.indexOf('--pods');
const PODS = asked === -1 ? 10_000 : Number(process.argv[asked + 1]);
const EVENTS = PODS;

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName: string };
  readonly status: { readonly phase: string };
}

const decoder = new TextDecoder();
const codec = plainJsonCodec();
const parse = (bytes: Uint8Array): Pod => JSON.parse(decoder.decode(bytes)) as Pod;

/** Gives the pods as one list, made of their bytes when it is read, and then events, also made when they are read. */
function sourceOf<R>(
  pods: readonly Uint8Array[],
  events: readonly Uint8Array[],
  go: Promise<void>,
  make: (bytes: Uint8Array) => R,
): ListWatch<R> {
  return {
    watchListUnsupported: true,
    list: async () => {
      const items: R[] = [];
      for (const [i, bytes] of pods.entries()) {
        items.push(make(bytes));
        if (i % 256 === 0) await systemEnv.yield();
      }
      return { metadata: { resourceVersion: '1000000' }, items };
    },
    async *watch(_, signal) {
      await go;
      for (const bytes of events) yield { type: 'MODIFIED', object: make(bytes) };
      await systemEnv.sleep(600_000, signal);
    },
  };
}

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const used = (): number => {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

async function measure(kind: PodKind, hold: 'plain' | 'packed'): Promise<Record<string, number>> {
  let pods: Uint8Array[] = Array.from({ length: PODS }, (_, i) => podBytes(kind, i));
  const wire = pods.reduce((sum, { length }) => sum + length, 0) / PODS;
  let events: Uint8Array[] = Array.from({ length: EVENTS }, (_, i) => podBytes(kind, i % PODS, PODS + i + 1));
  let go = (): void => {};
  const started = new Promise<void>((resolve) => (go = resolve));
  const plain = sourceOf(pods, events, started, parse);
  const building = <R>(build: BuildObject<R>): ListWatch<R> =>
    sourceOf(pods, events, started, (bytes) => build(codec, bytes, 0, bytes.length));
  const before = used();
  const informer = new SharedInformer<Pod>(hold === 'plain' ? plain : { ...plain, building }, {
    env: { ...systemEnv, log: () => {} },
    freeze: false,
    hold,
  });
  let left = EVENTS;
  let done = (): void => {};
  const finished = new Promise<void>((resolve) => (done = resolve));
  informer.on(
    {
      update: () => {
        left -= 1;
        if (left === 0) done();
      },
    },
    { policy: 'block' },
  );
  const t0 = cpu();
  informer.start();
  await informer.synced();
  const sync = (cpu() - t0) / PODS;
  // A packed cache packs what arrived when nothing arrives for a while.
  const t1 = cpu();
  await systemEnv.sleep(6_500);
  const settle = hold === 'plain' ? 0 : (cpu() - t1) / PODS;
  const bytes = (used() - before) / PODS;
  const time = (read: () => unknown): number => {
    const from = performance.now();
    read();
    return performance.now() - from;
  };
  const scan = (): number => informer.list().filter((pod) => pod.status.phase === 'Running').length;
  const selector = LabelSelector.parse('tier=tier-1');
  const byLabels = (): number =>
    informer.store.byLabels?.(selector, '').length ??
    informer.list().filter((pod) => selector.matches(informer.access.labels(pod))).length;
  const [scan1, scan2, scan3] = [time(scan), time(scan), time(scan)];
  const [labels1, labels2, labels3] = [time(byLabels), time(byLabels), time(byLabels)];
  const t2 = cpu();
  go();
  await finished;
  const event = (cpu() - t2) / EVENTS;
  const { held = 0, wire: sent = 0, pinned = 0 } = informer.health().bytes ?? {};
  await informer.stop();
  pods = [];
  events = [];
  return {
    wire,
    sync,
    settle,
    bytes,
    scan1,
    scan2,
    scan3,
    labels1,
    labels2,
    labels3,
    event,
    held: held / PODS,
    sent: sent / PODS,
    pinned: pinned / PODS,
  };
}

for (const kind of ['friendly', 'random'] as const) {
  const results = { plain: await measure(kind, 'plain'), packed: await measure(kind, 'packed') };
  console.log(`\n${PODS.toLocaleString('en')} ${kind} pods of ${results.plain['wire']?.toFixed(0)} bytes of JSON`);
  console.log('                                                  plain      packed   packed/plain');
  const rows: [string, string][] = [
    ['sync', 'CPU until synced, µs per object'],
    ['settle', 'CPU of packing afterwards, µs per object'],
    ['bytes', 'memory, bytes per object'],
    ['event', 'CPU per event, handler takes the key, µs'],
    ['scan1', 'list().filter(status.phase), first, ms'],
    ['scan2', '… second, ms'],
    ['scan3', '… third, ms'],
    ['labels1', 'list by a label, first, ms'],
    ['labels2', '… second, ms'],
    ['labels3', '… third, ms'],
  ];
  for (const [name, text] of rows) {
    const [plain, packed] = [results.plain[name] ?? 0, results.packed[name] ?? 0];
    const ratio = plain === 0 ? '' : (packed / plain).toFixed(2);
    console.log(
      `${text.padEnd(44)} ${plain.toFixed(1).padStart(10)} ${packed.toFixed(1).padStart(11)} ${ratio.padStart(14)}`,
    );
  }
  const { held = 0, sent = 0, pinned = 0 } = results.packed;
  console.log(
    `after the events: ${held.toFixed(0)} bytes held for ${sent.toFixed(0)} sent, ${pinned.toFixed(0)} of them pinned`,
  );
}

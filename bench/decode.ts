/**
 * The decoders alone, without a network: what a watch event of 9 KB and a list of 10,000 pods of 28 KB cost on their
 * way from bytes to objects, and how long they keep the event loop waiting; then the same pods as JSON and as protobuf, with the
 * memory that the decoded objects hold.
 *
 * Every figure is printed next to two limits of the same run: reading the chunks and doing nothing with them, and
 * `JSON.parse` of text that is in memory. The bodies never wait, so the event loop gets only the turns that
 * the decoder gives it. Run with `npx tsx bench/decode.ts`.
 */
import { spawnSync } from 'node:child_process';
import { PerformanceObserver } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { encodeFrame, encodeList, encodeObject } from '../packages/kube-informer/test/client/rig/protobuf-encoder.ts';
import { decodeList, decodeListOf } from '../packages/kube-informer/src/client/codec/list-stream.ts';
import { loadProtobufFormat } from '../packages/kube-informer/src/client/codec/protobuf/protobuf-format.ts';
import { decodeWatchStream, decodeWatchStreamOf } from '../packages/kube-informer/src/client/codec/watch-stream.ts';

if (globalThis.gc === undefined) {
  const args = [...process.execArgv, '--expose-gc', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
}
const collect = globalThis.gc;

const EVENTS = 30_000;
const PODS = 10_000;
const ROUNDS = 5;
const CHUNK = 65_536;

const range = <R>(length: number, make: (i: number) => R): R[] => Array.from({ length }, (_, i) => make(i));

function managed(manager: string, containers: number): object {
  const leaf = { '.': {}, 'f:name': {}, 'f:value': {} };
  const container = { '.': {}, 'f:env': { '.': {}, 'k:{"name":"A"}': leaf, 'k:{"name":"B"}': leaf }, 'f:image': {} };
  const fields = Object.fromEntries(range(containers, (i) => [`k:{"name":"main-${i}"}`, container]));
  const meta = { 'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} }, 'f:ownerReferences': { '.': {} } };
  const fieldsV1 = {
    'f:metadata': meta,
    'f:spec': { 'f:containers': fields, 'f:dnsPolicy': {}, 'f:restartPolicy': {} },
  };
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2024-08-24T08:38:29Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
}

/** A pod as servers send them, managedFields included: 4 containers make 9 KB, 14 make 28 KB. */
function pod(i: number, containers: number, team = 'payments'): object {
  const digest = String(i).padStart(8, '0').repeat(8);
  return {
    metadata: {
      name: `web-6d4cf56db6-${i}`,
      generateName: 'web-6d4cf56db6-',
      namespace: `namespace-${i % 50}`,
      uid: `504a2097-2923-4092-be7b-${String(i).padStart(12, '0')}`,
      resourceVersion: String(1_000_000 + i),
      creationTimestamp: '2024-08-24T08:05:52Z',
      labels: { app: 'web', 'pod-template-hash': '6d4cf56db6', team },
      managedFields: [managed('kube-controller-manager', containers), managed('kubelet', containers)],
    },
    spec: {
      containers: range(containers, (c) => ({
        name: `main-${c}`,
        image: 'registry.example/some/image:v1.2.3',
        env: range(14, (e) => ({ name: `VARIABLE_${e}`, value: `value number ${e} of this container` })),
        resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
        volumeMounts: [
          { name: 'api-access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
        ],
        terminationMessagePath: '/dev/termination-log',
        imagePullPolicy: 'IfNotPresent',
      })),
      restartPolicy: 'Always',
      nodeName: `node-${i % 100}`,
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
      })),
      podIP: `10.1.${i % 256}.1`,
      containerStatuses: range(containers, (c) => ({
        name: `main-${c}`,
        ready: true,
        restartCount: 0,
        imageID: `sha256:${digest}`,
        containerID: `containerd://${digest}`,
        state: { running: { startedAt: '2024-08-24T08:05:52Z' } },
      })),
    },
  };
}

/** Yields the same bytes again and again, in chunks as sockets do. */
async function* chunksOf(parts: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const part of parts) for (let at = 0; at < part.length; at += CHUNK) yield part.subarray(at, at + CHUNK);
}

interface Measured {
  readonly ms: number;
  /** CPU time of all threads of the process: the figure to compare when the machine is busy. */
  readonly cpuMs: number;
  /** Longest time between two turns of the event loop, and the 99th percentile. */
  readonly longestMs: number;
  readonly p99Ms: number;
  /** Longest such time without garbage collection. */
  readonly ownMs: number;
  readonly longestGcMs: number;
}

function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function measure(work: () => Promise<unknown>): Promise<Measured> {
  collect();
  const pauses: { readonly startTime: number; readonly duration: number }[] = [];
  const gc = new PerformanceObserver((list) => void pauses.push(...list.getEntries()));
  gc.observe({ entryTypes: ['gc'] });
  const turns: { readonly from: number; readonly wall: number; readonly cpu: number }[] = [];
  let running = true;
  const first = { wall: performance.now(), cpu: cpuNow() };
  let last = first;
  const turn = (): void => {
    const now = { wall: performance.now(), cpu: cpuNow() };
    turns.push({ from: last.wall, wall: now.wall - last.wall, cpu: now.cpu - last.cpu });
    last = now;
  };
  const beat = (): void => {
    turn();
    if (running) setImmediate(beat);
  };
  setImmediate(beat);
  const result = await work();
  turn();
  running = false;
  // The observer receives the last pauses a little later.
  await new Promise((resolve) => setTimeout(resolve, 20));
  gc.disconnect();
  if (result === undefined) throw new Error('no result');
  // Wall clock or CPU, whichever is less: a turn in which another program had the processor is not counted.
  const own = turns.map(({ from, wall, cpu }) => {
    const collecting = pauses.filter(({ startTime }) => startTime >= from && startTime < from + wall);
    return Math.min(wall - collecting.reduce((sum, { duration }) => sum + duration, 0), cpu);
  });
  const times = turns.map(({ wall, cpu }) => Math.min(wall, cpu)).toSorted((a, b) => a - b);
  return {
    ms: last.wall - first.wall,
    cpuMs: last.cpu - first.cpu,
    longestMs: times.at(-1) as number,
    p99Ms: times[Math.floor(times.length * 0.99)] as number,
    ownMs: Math.max(...own),
    longestGcMs: Math.max(0, ...pauses.map(({ duration }) => duration)),
  };
}

/**
 * Runs rounds in which all rows take turns, because a busy machine is busy for all. Times are the median; for the turns of the
 * event loop the best round counts, because other programs can only make them longer.
 */
async function compare(rows: readonly (readonly [string, () => Promise<unknown>])[]): Promise<Map<string, Measured>> {
  const rounds = new Map<string, Measured[]>(rows.map(([name]) => [name, []]));
  for (let i = 0; i < ROUNDS; i += 1) for (const [name, work] of rows) rounds.get(name)?.push(await measure(work));
  const sorted = (all: readonly Measured[], field: keyof Measured): number[] =>
    all.map((one) => one[field]).toSorted((a, b) => a - b);
  return new Map(
    [...rounds].map(([name, all]) => {
      const median = (field: keyof Measured): number => sorted(all, field)[ROUNDS >> 1] as number;
      const best = (field: keyof Measured): number => sorted(all, field)[0] as number;
      const times = { ms: median('ms'), cpuMs: median('cpuMs') };
      return [
        name,
        {
          ...times,
          longestMs: best('longestMs'),
          p99Ms: best('p99Ms'),
          ownMs: best('ownMs'),
          longestGcMs: best('longestGcMs'),
        },
      ];
    }),
  );
}

function print(title: string, count: number, bytes: number, limit: string, table: Map<string, Measured>): void {
  const line = (name: string, ...cells: string[]): void =>
    console.log(name.padEnd(30) + cells.map((cell) => cell.padStart(13)).join(''));
  console.log(`\n${title}, chunks of 64 KB, median of ${ROUNDS}`);
  line('', 'ms', 'CPU ms', 'per CPU s', 'MB/CPU s', '× parse', 'longest turn', 'p99 turn', 'without GC', 'longest GC');
  const best = (table.get(limit) as Measured).cpuMs;
  for (const [name, { ms, cpuMs, longestMs, p99Ms, ownMs, longestGcMs }] of table) {
    const rates = [(count / cpuMs) * 1_000, bytes / cpuMs / 1_000].map((rate) => Math.round(rate).toLocaleString('en'));
    const times = [longestMs, p99Ms, ownMs, longestGcMs].map((time) => `${time.toFixed(1)} ms`);
    line(name, ms.toFixed(0), cpuMs.toFixed(0), ...rates, (cpuMs / best).toFixed(2), ...times);
  }
}

async function watch(title: string, team: string): Promise<void> {
  const block = range(1_000, (i) =>
    JSON.stringify({ type: 'MODIFIED', object: { kind: 'Pod', apiVersion: 'v1', ...pod(i, 4, team) } }),
  );
  const bytes = Buffer.from(`${block.join('\n')}\n`);
  const repeated = (): Iterable<Buffer> => range(EVENTS / block.length, () => bytes);
  const table = await compare([
    [
      'reading only',
      async () => {
        let total = 0;
        for await (const chunk of chunksOf(repeated())) total += chunk.length;
        return total;
      },
    ],
    [
      'JSON.parse of ready lines',
      async () => {
        let seen = 0;
        for (let i = 0; i < EVENTS / block.length; i += 1)
          for (const line of block) seen += (JSON.parse(line) as { type: string }).type.length;
        return seen;
      },
    ],
    [
      'decodeWatchStream',
      async () => {
        let seen = 0;
        for await (const event of decodeWatchStream(chunksOf(repeated()))) seen += event.type.length;
        return seen;
      },
    ],
  ]);
  print(
    `${EVENTS.toLocaleString('en')} watch events of ${(bytes.length / block.length / 1_000).toFixed(1)} KB${title}`,
    EVENTS,
    bytes.length * (EVENTS / block.length),
    'JSON.parse of ready lines',
    table,
  );
}

async function list(): Promise<void> {
  const text = range(PODS, (i) => Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(pod(i, 14))}`));
  const head = Buffer.from('{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[');
  const whole = Buffer.concat([head, ...text, Buffer.from(']}')]);
  let end = head.length;
  const items = text.map((item, i) => {
    const from = end + (i === 0 ? 0 : 1);
    end += item.length;
    return whole.subarray(from, end);
  });
  text.length = 0;
  const table = await compare([
    [
      'reading only',
      async () => {
        let total = 0;
        for await (const chunk of chunksOf([whole])) total += chunk.length;
        return total;
      },
    ],
    ['JSON.parse of each item', async () => items.map((item) => JSON.parse(item.toString('utf8')) as unknown)],
    [
      'JSON.parse of the whole body',
      async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of chunksOf([whole])) chunks.push(chunk);
        return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
      },
    ],
    ['decodeList', () => decodeList(chunksOf([whole]))],
  ]);
  print(
    `a list of ${PODS.toLocaleString('en')} pods of ${(whole.length / PODS / 1_000).toFixed(1)} KB`,
    PODS,
    whole.length,
    'JSON.parse of each item',
    table,
  );
}

/** Bytes of the heap and of buffers that the result of `work` holds, per object. */
async function held(work: () => Promise<unknown>): Promise<number> {
  const used = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const result = await work();
  const after = used();
  if (result === undefined) throw new Error('no result');
  return (after - before) / PODS;
}

const POD = { apiVersion: 'v1', kind: 'Pod' };

/** The same pods in both formats. A hundred different ones are sent again and again: encoding more takes longer than the bench. */
async function formats(): Promise<void> {
  const pods = range(100, (i) => pod(i, 4));
  const times = <R>(values: readonly R[]): R[] => range(PODS, (i) => values[i % values.length] as R);
  const texts = times(pods.map((each) => Buffer.from(JSON.stringify(each))));
  const comma = Buffer.from(',');
  const head = Buffer.from('{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[');
  const json = Buffer.concat([head, ...texts.flatMap((text, i) => (i === 0 ? [text] : [comma, text])), Buffer.from(']}')]);
  const binary = Buffer.from(protobufList(times(pods.map((each) => Buffer.from(encodeObject({ ...POD, ...each }))))));
  const lines = Buffer.concat(times(pods.map((object) => Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object: { ...POD, ...object } })}\n`))));
  const frames = Buffer.concat(times(pods.map((object) => Buffer.from(encodeFrame('MODIFIED', { ...POD, ...object })))));
  const protobuf = await loadProtobufFormat();
  const count = async (events: AsyncIterable<{ readonly type: string }>): Promise<number> => {
    let seen = 0;
    for await (const { type } of events) seen += type.length;
    return seen;
  };
  const rows: [string, () => Promise<unknown>][] = [
    ['list: JSON.parse of each item', async () => texts.map((text) => JSON.parse(text.toString('utf8')) as unknown)],
    ['list: JSON', () => decodeList(chunksOf([json]))],
    ['list: protobuf', () => decodeListOf(protobuf, chunksOf([binary]), {})],
    ['list: protobuf, metadata only', () => decodeListOf(protobuf, chunksOf([binary]), { metadataOnly: POD })],
    ['events: JSON', () => count(decodeWatchStream(chunksOf([lines])))],
    ['events: protobuf', () => count(decodeWatchStreamOf(protobuf, chunksOf([frames]), {}))],
  ];
  const table = await compare(rows);
  print(
    `${PODS.toLocaleString('en')} pods, ${(json.length / PODS / 1_000).toFixed(1)} KB of JSON, ${(binary.length / PODS / 1_000).toFixed(1)} KB of protobuf`,
    PODS,
    json.length,
    'list: JSON.parse of each item',
    table,
  );
  for (const [name, work] of rows.filter(([row]) => row.startsWith('list')))
    console.log(`${name.padEnd(32)} ${((table.get(name) as Measured).cpuMs / PODS * 1_000).toFixed(1)} µs CPU, ${((await held(work)) / 1_000).toFixed(1)} KB held per object`);
} // prettier-ignore

/** A list of encoded pods. `encodeList` spreads its items, which is too slow for so many. */
function protobufList(items: readonly Buffer[]): Uint8Array {
  const [empty, one] = [encodeList(POD, []), encodeList(POD, [[]])];
  const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]);
  // Everything before the length of the content, and the fields after it, are the same in every list.
  const at = empty.findIndex((byte, i) => byte !== one[i]);
  const meta = empty.subarray(at + 1, empty.length - 4);
  const raw = Buffer.concat([meta, ...items.flatMap((item) => [Buffer.from([0x12, ...varint(item.length)]), item])]);
  return Buffer.concat([empty.subarray(0, at), Buffer.from(varint(raw.length)), raw, empty.subarray(empty.length - 4)]);
} // prettier-ignore

if (!process.argv.includes('--formats')) {
  await watch('', 'payments');
  // One letter is enough to make the platform's UTF-8 decoder many times slower.
  await watch(', one letter not ASCII', 'équipe');
  await list();
}
await formats();

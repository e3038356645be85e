/**
 * The embedded API server: how long it takes to start, to list 100,000 objects, to create over HTTP, what a stored
 * object costs, and how much of a core 10,000 events a second to 50 watchers take.
 *
 * The server runs in a process of its own (this file with an argument), and so do its clients: the cost of one side is not
 * measured on the other. Every figure is printed next to its limit.
 * Run with `npm run build && tsx bench/apiserver.ts`.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get as plainGet, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:http2';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApiServer } from '@kube-informer/apiserver';

const OBJECTS = 100_000;
const WATCHERS = 50;
const EVENTS_PER_SECOND = 10_000;
const SECONDS = 5;
const TICK_MS = 10;
const CREATES = 5_000;
const CONNECTIONS = 8;
const ROUNDS = 5;
const LIVE = 1_000;

const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** About 800 bytes of JSON: a pod as controllers write them, without its status. */
const pod = (i: number, version = 0) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `pod-${i}`,
    namespace: 'default',
    labels: { app: `app-${i % 100}`, tier: i % 2 === 0 ? 'web' : 'batch', version: String(version) },
    annotations: { 'example.com/checksum': `${i}`.repeat(8) },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `rs-${i % 100}`, uid: `rs-uid-${i % 100}`, controller: true },
    ],
  },
  spec: {
    nodeName: `node-${i % 50}`,
    restartPolicy: 'Always',
    serviceAccountName: 'default',
    containers: [
      { name: 'main', image: 'registry.example.com/app:1.0', env: [{ name: 'ID', value: `${i}` }], ports: [{ containerPort: 8080 }] },
      { name: 'sidecar', image: 'registry.example.com/proxy:1.0', resources: { limits: { cpu: '100m', memory: '64Mi' } } },
    ],
  },
  status: { phase: 'Running', podIP: `10.0.${(i >> 8) & 255}.${i & 255}` },
}); // prettier-ignore

function* pods(count: number) {
  for (let i = 0; i < count; i += 1) yield pod(i);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const ms = (value: number): string => `${value.toFixed(0)} ms`;
const ratio = (value: number, limit: number): string => `${(value / limit).toFixed(2)} of the limit`;

/** Commands of the server process, one at a time. */
type Command =
  | { readonly do: 'start'; readonly tls: boolean }
  | { readonly do: 'load'; readonly count: number }
  | { readonly do: 'churn' }
  | { readonly do: 'stop' };

interface Address {
  readonly url: string;
  readonly token: string;
  readonly ca: string | undefined;
}

async function serve(): Promise<void> {
  let server: Awaited<ReturnType<typeof startApiServer>> | undefined;
  const commands: Record<Command['do'], (command: never) => unknown> = {
    start: async ({ tls }: { tls: boolean }): Promise<Address> => {
      server = await startApiServer({ tls });
      const { url, token, ca } = server;
      return { url, token, ca };
    },
    load: ({ count }: { count: number }) => {
      const before = memory();
      const started = performance.now();
      server?.load(pods(count));
      const loadMs = performance.now() - started;
      return { loadMs, bytes: memory() - before };
    },
    churn: async () => {
      const cpu = process.cpuUsage();
      const started = performance.now();
      let sent = 0;
      while (sent < EVENTS_PER_SECOND * SECONDS) {
        const due = Math.min(
          EVENTS_PER_SECOND * SECONDS,
          Math.floor(((performance.now() - started) / 1000) * EVENTS_PER_SECOND),
        );
        server?.load(Array.from({ length: due - sent }, (_, i) => pod((sent + i) % LIVE, sent + i + 1)));
        sent = due;
        await sleep(TICK_MS);
      }
      const elapsedMs = performance.now() - started;
      const { user, system } = process.cpuUsage(cpu);
      const cpuMs = (user + system) / 1000;
      return { elapsedMs, cpu: cpuMs / elapsedMs, perCore: (sent / cpuMs) * 1000 };
    },
    stop: async () => {
      await server?.close();
      server = undefined;
    },
  };
  process.on('message', (command: Command) => {
    void (async () => process.send?.((await commands[command.do](command as never)) ?? {}))();
  });
  process.send?.('ready');
}

/** The heap of this process after a garbage collection. */
function memory(): number {
  for (let i = 0; i < 3; i += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The clients of the watch benchmark: each counts its frames until it has all of them. */
async function watch({ url, token }: Address): Promise<void> {
  const expected = EVENTS_PER_SECOND * SECONDS;
  let open = 0;
  const watchers = Array.from({ length: WATCHERS }, async () => {
    const headers = { authorization: `Bearer ${token}` };
    const [response] = (await once(
      plainGet(`${url}${PODS}?watch=1&resourceVersion=${process.argv[4]}`, { headers, agent: false }),
      'response',
    )) as [IncomingMessage];
    open += 1;
    if (open === WATCHERS) process.send?.('watching');
    let frames = 0;
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) frames += 1;
      if (frames >= expected) break;
    }
    return { frames, bytes };
  });
  const results = await Promise.all(watchers);
  process.send?.({
    frames: results.reduce((sum, { frames }) => sum + frames, 0),
    bytes: results.reduce((sum, { bytes }) => sum + bytes, 0),
    short: results.filter(({ frames }) => frames < expected).length,
  });
}

class Child {
  readonly #child: ChildProcess;

  constructor(...args: string[]) {
    const execArgv = [...process.execArgv, '--expose-gc'];
    this.#child = fork(fileURLToPath(import.meta.url), args, { execArgv });
  }

  async next<T>(): Promise<T> {
    const [message] = (await once(this.#child, 'message')) as [T];
    return message;
  }

  ask<T>(command: Command): Promise<T> {
    this.#child.send(command);
    return this.next<T>();
  }

  end(): void {
    this.#child.kill();
  }
}

async function withServer<T>(tls: boolean, run: (server: Child, address: Address) => Promise<T>): Promise<T> {
  const server = new Child('server');
  try {
    await server.next();
    return await run(server, await server.ask<Address>({ do: 'start', tls }));
  } finally {
    server.end();
  }
}

function benchStart(): void {
  const program = `
    const t0 = performance.now();
    const { startApiServer } = await import('@kube-informer/apiserver');
    const t1 = performance.now();
    const server = await startApiServer();
    const t2 = performance.now();
    await server.close();
    const t3 = performance.now();
    const again = await startApiServer();
    const t4 = performance.now();
    await again.close();
    console.log(JSON.stringify([t1 - t0, t2 - t1, t4 - t3]));`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const runs = Array.from({ length: ROUNDS }, () => {
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
    return JSON.parse(out) as [number, number, number];
  });
  const [load, first, again] = [0, 1, 2].map((at) => median(runs.map((run) => run[at] as number)));
  const both = (load as number) + (first as number);
  console.log(
    `start: ${ms(first as number)} (${ratio(first as number, 150)}); with import ${ms(both)} (${ratio(both, 150)}); ` +
      `another in the same process ${ms(again as number)}`,
  );
}

/** Milliseconds to the last byte, and the number of bytes. */
async function listPlain({ url, token }: Address): Promise<[number, number]> {
  const started = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const [response] = (await once(plainGet(url + PODS, { headers, agent: false }), 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
  return [performance.now() - started, bytes];
}

async function listHttp2({ url, token, ca }: Address): Promise<[number, number]> {
  // As Go's clients do: with Node's default windows a large response waits for the reader again and again.
  const session = connect(url, { ca: ca as string, settings: { initialWindowSize: 4 << 20 } });
  await once(session, 'connect');
  session.setLocalWindowSize(64 << 20);
  const started = performance.now();
  const stream = session.request({ ':path': PODS, authorization: `Bearer ${token}` });
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) bytes += chunk.length;
  const elapsed = performance.now() - started;
  session.close();
  return [elapsed, bytes];
}

async function benchList(): Promise<void> {
  for (const tls of [false, true])
    await withServer(tls, async (server, address) => {
      const { loadMs, bytes: kept } = await server.ask<{ loadMs: number; bytes: number }>({
        do: 'load',
        count: OBJECTS,
      });
      const runs: [number, number][] = [];
      for (let i = 0; i < ROUNDS; i += 1) runs.push(await (tls ? listHttp2(address) : listPlain(address)));
      const elapsed = median(runs.map(([time]) => time));
      const bytes = runs[0]?.[1] as number;
      console.log(
        `list of ${OBJECTS} (${(bytes / 1e6).toFixed(0)} MB) over ${tls ? 'HTTP/2 with TLS' : 'HTTP/1.1'}: ` +
          `${ms(elapsed)} (${ratio(elapsed, 500)}), ${(bytes / 1e3 / elapsed).toFixed(0)} MB/s`,
      );
      if (tls) return;
      console.log(
        `memory: ${(kept / OBJECTS).toFixed(0)} bytes for an object of ${(bytes / OBJECTS).toFixed(0)}: ` +
          `${(kept / bytes).toFixed(2)}× its JSON (${ratio(kept / bytes, 2)}); loaded in ${ms(loadMs)}`,
      );
    });
}

async function benchCreate(): Promise<void> {
  await withServer(false, async (_, { url, token }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const create = async (i: number): Promise<void> => {
      const call = request(url + CONFIG_MAPS, { method: 'POST', agent, headers });
      call.end(JSON.stringify({ metadata: { name: `c-${i}`, labels: { app: 'bench' } }, data: { key: 'value' } }));
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      if (response.statusCode !== 201) throw new Error(`create answered ${response.statusCode}`);
      response.resume();
      await once(response, 'end');
    };
    let next = 0;
    const started = performance.now();
    const worker = async (): Promise<void> => {
      while (next < CREATES) await create((next += 1));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    const elapsed = performance.now() - started;
    agent.destroy();
    console.log(`creates over HTTP/1.1: ${((CREATES / elapsed) * 1000).toFixed(0)}/s on ${CONNECTIONS} connections`);
  });
}

/** The number of watches that the server closed because the client did not read. */
async function cutWatchers({ url, token }: Address): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  const counts = text.matchAll(/^apiserver_terminated_watchers_total\{[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function benchWatch(): Promise<void> {
  await withServer(false, async (server, address) => {
    await server.ask({ do: 'load', count: LIVE });
    const response = await fetch(`${address.url}${PODS}?limit=1`, {
      headers: { authorization: `Bearer ${address.token}` },
    });
    const { metadata } = (await response.json()) as { metadata: { resourceVersion: string } };
    const clients = new Child('watch', JSON.stringify(address), metadata.resourceVersion);
    try {
      await clients.next();
      const done = clients.next<{ frames: number; bytes: number; short: number }>();
      const started = performance.now();
      const { elapsedMs, cpu, perCore } = await server.ask<Record<string, number>>({ do: 'churn' });
      const { frames, bytes, short } = await done;
      const cut = await cutWatchers(address);
      const total = performance.now() - started;
      if (elapsedMs === undefined || cpu === undefined || perCore === undefined) throw new Error('no answer');
      // A stream that is short, and that the server did not report as cut, has lost events. One that was cut after the
      // last write is complete: queued events are still sent.
      if (short > cut) throw new Error(`${short} watchers are short of frames, but the server cut only ${cut}`);
      if (short > 0) {
        console.log(`watch: no result, ${short} of ${WATCHERS} watchers did not get enough CPU to follow and were cut`);
        return;
      }
      const rate = (EVENTS_PER_SECOND * SECONDS * 1000) / total;
      console.log(
        `watch: ${rate.toFixed(0)} events/s to ${WATCHERS} watchers for ${(total / 1000).toFixed(1)} s, ` +
          `${frames} frames, ${(bytes / 1e3 / total).toFixed(0)} MB/s; ` +
          `server CPU ${(cpu * 100).toFixed(0)} % of a core, so a whole one carries ${perCore.toFixed(0)} events/s ` +
          `(${ratio(EVENTS_PER_SECOND, perCore)}); last frame ${ms(total - elapsedMs)} after the last write`,
      );
    } finally {
      clients.end();
    }
  });
}

const [role, address] = process.argv.slice(2);
if (role === 'server') await serve();
else if (role === 'watch') await watch(JSON.parse(address as string) as Address);
else {
  const [load = 0] = loadavg();
  console.log(
    `${availableParallelism()} cores, load ${load.toFixed(1)}, Node ${process.version}, medians of ${ROUNDS}`,
  );
  benchStart();
  await benchList();
  await benchCreate();
  await benchWatch();
}

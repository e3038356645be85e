/**
 * A server of recorded pods that sends events as fast as its client reads. Runs in a process of its own, so that its cost is not
 * measured on the client. Plain HTTP: what is measured is the client, not TLS.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Encoding, ReplayData } from './replay-data.ts';

/** Commands of the bench. Each is answered with `{}` when it is done. */
export type ReplayCommand =
  | { readonly do: 'change'; readonly events: number; readonly perSecond?: number }
  | { readonly do: 'expire' };

const CONTENT_TYPES: Record<Encoding, string> = {
  json: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
};
const WATCHED_WITHIN_MS = 60_000;
/** Events are written in pieces of this size, as a busy server's TCP connection delivers them. */
const PIECE_BYTES = 64 << 10;

const [jsonFile, protobufFile, kubeconfig] = process.argv.slice(2) as [string, string, string];
const data = new ReplayData(readFileSync(jsonFile), readFileSync(protobufFile));
const watches = new Map<ServerResponse, Encoding>();

const server = createServer((request, response) => {
  if (request.headers.upgrade !== undefined) {
    // fabric8 asks for a WebSocket first, and takes this answer for a server that has none.
    response.writeHead(503).end();
    return;
  }
  const url = new URL(request.url as string, 'http://replay');
  if (url.pathname !== '/api/v1/pods') {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}');
    return;
  }
  const encoding = request.headers.accept?.includes('protobuf') === true ? 'protobuf' : 'json';
  const isWatch = ['1', 'true'].includes(url.searchParams.get('watch') ?? '');
  const type = `${CONTENT_TYPES[encoding]}${isWatch && encoding === 'protobuf' ? ';stream=watch' : ''}`;
  response.writeHead(200, { 'content-type': type });
  if (!isWatch) {
    // One object is a question for the version. Pages are not cut: what is measured is the client, not its paging.
    const isQuestion = url.searchParams.get('limit') === '1';
    for (const part of data.list(encoding, isQuestion ? 1 : undefined)) response.write(part);
    response.end();
    return;
  }
  response.flushHeaders();
  void serveWatch(response, encoding, url.searchParams);
});

/** As a server does it: from the version that is asked for, and for as long. A watch that is opened again misses nothing. */
async function serveWatch(response: ServerResponse, encoding: Encoding, query: URLSearchParams): Promise<void> {
  const timeout = setTimeout(() => end(response), Number(query.get('timeoutSeconds') ?? 3_600) * 1_000);
  response.once('close', () => {
    clearTimeout(timeout);
    watches.delete(response);
  });
  // None, and 0 for any state: from now on.
  let version = Number(query.get('resourceVersion') ?? 0) || data.version;
  if (query.get('sendInitialEvents') === 'true') {
    for (let i = 0; i < data.size; i += 1) await send(response, data.event('ADDED', i, encoding));
    version = data.version;
    await send(response, data.endOfInitialEvents(encoding));
  }
  while (version < data.version && isOpen(response)) {
    version += 1;
    await send(response, data.pastEvent(version, encoding));
  }
  if (isOpen(response)) watches.set(response, encoding);
}

function end(response: ServerResponse, last?: Buffer): void {
  watches.delete(response);
  response.end(last);
}

function isOpen({ destroyed, writableEnded }: ServerResponse): boolean {
  return !destroyed && !writableEnded;
}

/** Resolves when the client has read enough for more to be sent, or is gone. */
async function send(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (!isOpen(response) || response.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Changes pods in turn, and sends each change to every watch: as fast as they read, or at a rate. */
async function change(events: number, perSecond = Number.POSITIVE_INFINITY): Promise<void> {
  const began = performance.now();
  let pieces = new Map<ServerResponse, Buffer[]>();
  let size = 0;
  const flush = async (): Promise<void> => {
    const all = [...pieces].map(([response, parts]) => send(response, Buffer.concat(parts)));
    pieces = new Map();
    size = 0;
    await Promise.all(all);
  };
  for (let i = 0; i < events; i += 1) {
    const early = began + (i * 1_000) / perSecond - performance.now();
    if (early > 0) {
      await flush();
      await sleep(early);
    }
    data.change(i % data.size);
    for (const [response, encoding] of watches) {
      const event = data.event('MODIFIED', i % data.size, encoding);
      pieces.set(response, [...(pieces.get(response) ?? []), event]);
      size += event.length;
    }
    if (size >= PIECE_BYTES) await flush();
  }
  await flush();
}

/** Clients that list first say that they are ready before their watch is there, and would miss what is sent before it. */
async function watched(): Promise<void> {
  const deadline = performance.now() + WATCHED_WITHIN_MS;
  while (watches.size === 0 && performance.now() < deadline) await sleep(10);
}

process.on('message', (command: ReplayCommand) => {
  void (async () => {
    await watched();
    if (command.do === 'change') await change(command.events, command.perSecond);
    else for (const [response, encoding] of watches) end(response, data.expired(encoding));
    process.send?.({});
  })();
});
process.once('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'replay',
      // client-node refuses plain HTTP without it.
      clusters: [{ name: 'replay', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'nobody', user: {} }],
      contexts: [{ name: 'replay', context: { cluster: 'replay', user: 'nobody' } }],
    }),
  );
  process.send?.({});
});

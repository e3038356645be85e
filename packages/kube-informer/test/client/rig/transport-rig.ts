import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished } from 'vitest';
import type { TlsSettings, TlsSource } from '../../../src/client/transport/tls-settings.ts';
import type { NodeTransportLimits } from '../../../src/client/transport/node-transport-limits.ts';
import {
  createNodeTransport,
  type NodeTransport,
  type NodeTransportOptions,
} from '../../../src/client/transport/node/node-transport.ts';
import type { TransportRequest, TransportResponse } from '../../../src/client/transport/transport.ts';
import { defined } from '../../../src/core/defined.ts';
import { type Env, systemEnv } from '../../../src/core/env.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import { type Pair, TestAuthority } from './certificates.ts';
import {
  FaultProxy,
  type FramePeer,
  type Handler,
  type Listening,
  rawH2,
  rawTls,
  ScriptedServer,
  type ServerOptions,
} from './scripted-server.ts';

/** One authority and one server certificate for a whole file of tests. */
export interface Certificates {
  readonly authority: TestAuthority;
  readonly pair: Pair;
}

export function certificates(): () => Certificates {
  let made: Certificates | undefined;
  beforeAll(async () => {
    const authority = new TestAuthority();
    made = { authority, pair: authority.server() };
  });
  return () => made as Certificates;
}

/** Settings that a test can change, as a rotation of files would. */
export class ChangingTls implements TlsSource {
  settings: TlsSettings;
  /** The content of the "files"; `refresh` adopts it. */
  files: TlsSettings;
  reads = 0;

  constructor(settings: TlsSettings) {
    this.settings = settings;
    this.files = settings;
  }

  current(): TlsSettings {
    return this.settings;
  }

  refresh(): Promise<boolean> {
    this.reads += 1;
    const changed = this.files !== this.settings;
    this.settings = this.files;
    return Promise.resolve(changed);
  }
}

export const QUIET: Env = { ...systemEnv, log: () => {} };

/** A long connect timeout, because a busy machine may be slow. */
const PATIENT: Partial<NodeTransportLimits> = { connectTimeoutMs: 30_000 };

export function transportTo(
  server: URL | Listening,
  tls: TlsSource | string,
  options: Partial<NodeTransportOptions> = {},
): NodeTransport {
  const transport = createNodeTransport({
    server: server instanceof URL ? server : server.url,
    tls: typeof tls === 'string' ? new ChangingTls({ ca: tls }) : tls,
    env: QUIET,
    ...options,
    limits: { ...PATIENT, ...options.limits },
  });
  onTestFinished(() => transport.close());
  return transport;
}

export async function serve(options: ServerOptions): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(options);
  onTestFinished(() => server.stop());
  return server;
}

export async function stopLater<L extends Listening>(listening: Promise<L>): Promise<L> {
  const started = await listening;
  onTestFinished(() => started.stop());
  return started;
}

export interface TransportRigOptions extends Partial<NodeTransportOptions> {
  readonly protocol?: ServerOptions['protocol'];
  readonly handler?: Handler;
  readonly maxStreams?: number;
}

/** A scripted server and a transport to it. */
export async function transportRig(
  certs: () => Certificates,
  { protocol = 'h2', handler = echo, maxStreams, ...options }: TransportRigOptions = {},
): Promise<{ server: ScriptedServer; transport: NodeTransport }> {
  const { authority, pair } = certs();
  const server = await serve({ pair, protocol, handler, ...defined({ maxStreams }) });
  return { server, transport: transportTo(server, authority.ca, options) };
}

/** The same with a FaultProxy between the two. */
export async function proxiedRig(
  certs: () => Certificates,
  { protocol = 'h2', handler = echo, ...options }: Omit<TransportRigOptions, 'maxStreams'> = {},
): Promise<{ server: ScriptedServer; proxy: FaultProxy; transport: NodeTransport }> {
  const { authority, pair } = certs();
  const server = await serve({ pair, protocol, handler });
  const proxy = await stopLater(FaultProxy.start(server.port));
  return { server, proxy, transport: transportTo(proxy, authority.ca, options) };
}

/** An HTTP/2 server scripted frame by frame, and a transport to it. `script` gets each connection and its number from 1. */
export async function frameRig(
  certs: () => Certificates,
  script: (peer: FramePeer, number: number) => void,
  { maxStreams, ...options }: Omit<TransportRigOptions, 'protocol' | 'handler'> = {},
): Promise<{ peers: readonly FramePeer[]; transport: NodeTransport }> {
  const { authority, pair } = certs();
  let number = 0;
  const { listening, peers } = await rawH2(pair, (peer) => script(peer, (number += 1)), maxStreams);
  await stopLater(Promise.resolve(listening));
  return { peers, transport: transportTo(listening, authority.ca, options) };
}

/** A TLS server whose HTTP/1.1 is scripted byte by byte, and a transport to it. */
export async function rawRig(
  certs: () => Certificates,
  script: (socket: Socket, listening: () => Listening) => void,
  options: Partial<NodeTransportOptions> = {},
): Promise<{ listening: Listening; transport: NodeTransport }> {
  const { authority, pair } = certs();
  const listening: Listening = await stopLater(rawTls(pair, 'http/1.1', (socket) => script(socket, () => listening)));
  return { listening, transport: transportTo(listening, authority.ca, options) };
}

export function get(path = '/', more: Partial<TransportRequest> = {}): TransportRequest {
  return { method: 'GET', path, headers: {}, signal: new AbortController().signal, ...more };
}

export const watch = (path = '/watch', more: Partial<TransportRequest> = {}): TransportRequest =>
  get(path, { longLived: true, ...more });

export async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function reader({ body }: TransportResponse): AsyncIterator<Uint8Array> {
  return body[Symbol.asyncIterator]();
}

export async function nextText(chunks: AsyncIterator<Uint8Array>): Promise<string> {
  const { value, done } = await chunks.next();
  return done === true ? '<end>' : Buffer.from(value as Uint8Array).toString();
}

/** The KubeError that `work` fails with. */
export async function failure(work: Promise<unknown>): Promise<KubeError & { cause: Error & { code?: string } }> {
  try {
    await work;
  } catch (error) {
    expect(error).toMatchObject({ name: 'KubeError' });
    return error as KubeError & { cause: Error & { code?: string } };
  }
  throw new Error('expected a failure');
}

/** Waits for a condition over real sockets, with a deadline that suits a busy machine. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs: number = 30_000,
): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await holds());) {
    if (Date.now() > deadline) throw new Error(`timed out after ${withinMs} ms: ${what}`);
    await sleep(5);
  }
}

/** The sockets this process connects from now on; their `bytesRead` counts received bytes, read or not. */
export function clientSockets(): readonly Socket[] {
  const sockets: Socket[] = [];
  const made = (message: unknown): void => void sockets.push((message as { readonly socket: Socket }).socket);
  subscribe('net.client.socket', made);
  onTestFinished(() => void unsubscribe('net.client.socket', made));
  return sockets;
}

/** Responds with the path; `/watch` stays open after its first line. */
export const echo: Handler = (request, answer) => {
  answer.writeHead(200, { 'content-type': 'text/plain' });
  if (request.url?.startsWith('/watch') === true) answer.write('line\n');
  else answer.end(request.url);
};

import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Env } from 'kube-informer/core';
import { listenerConnection } from '../../http/listener/listener-connections.ts';
import type { FaultRequest } from '../../http/seams.ts';
import type { CutKind } from '../rules/rule.ts';

/** Maximum wait for a reader to take the data: one that takes nothing must not prevent the cut. */
const FLUSH_MS = 1000;
const INTERNAL_ERROR = 2;
const NOTHING = Buffer.alloc(0);

type Streamed = Partial<{ readonly stream: ServerHttp2Stream }>;

const faultyTransportStream = ({ response }: FaultRequest): ServerHttp2Stream | undefined =>
  (response as unknown as Streamed).stream;

/** Resolves when the written data has been sent: a reset discards data that still waits here. */
export async function flushFaultyTransport(env: Env, request: FaultRequest): Promise<void> {
  const { response } = request;
  if (request.gone.aborted || !response.headersSent) return;
  const writer = faultyTransportStream(request) ?? response.socket;
  if (writer === null || writer.destroyed || writer.writableEnded) return;
  const done = new AbortController();
  writer.write(NOTHING, () => done.abort());
  writer.once('close', () => done.abort());
  await env.sleep(FLUSH_MS, done.signal);
}

/** Ends the connection, or its HTTP/2 counterpart, in one of the ways connections end. Never rejects. */
export async function cutFaultyTransport(env: Env, request: FaultRequest, kind: CutKind, code?: number): Promise<void> {
  try {
    await cutFaultyTransportByKind(env, request, kind, code);
  } catch {
    // It was already ending by itself.
    request.response.destroy();
  }
}

/** Number of turns after which a requested frame has been sent. */
const GOODBYE_TURNS = 3;

async function cutFaultyTransportByKind(env: Env, request: FaultRequest, kind: CutKind, code?: number): Promise<void> {
  await flushFaultyTransport(env, request);
  const { response } = request;
  const stream = faultyTransportStream(request);
  const socket = request.request.socket as Socket | null;
  const connection = socket === null || socket === undefined ? undefined : listenerConnection(socket);
  switch (kind) {
    case 'rst-stream':
      if (stream !== undefined) {
        // In a later turn: if a stream is closed while its first bytes are being sent, Node asks it for trailers when
        // it is already gone, and aborts the process.
        await env.yield();
        return stream.close(code ?? INTERNAL_ERROR);
      }
      return resetFaultyTransport(request, connection);
    case 'goaway':
      if (stream?.session !== undefined) {
        // Destroying the session at once can lose the GOAWAY itself.
        const { session } = stream;
        session.goaway(code ?? 0);
        for (let turn = 0; turn < GOODBYE_TURNS && !session.destroyed; turn += 1) await env.yield();
        return session.destroy(undefined, code ?? 0);
      }
      return halfCloseFaultyTransport(request, connection);
    case 'fin':
      return halfCloseFaultyTransport(request, connection);
    case 'rst':
      return resetFaultyTransport(request, connection);
    default:
      response.destroy();
  }
}

function resetFaultyTransport({ response }: FaultRequest, connection: Socket | undefined): void {
  if (connection === undefined || connection.destroyed) response.destroy();
  else connection.resetAndDestroy();
}

/** Ends the connection without a last chunk and without GOAWAY. */
function halfCloseFaultyTransport(request: FaultRequest, connection: Socket | undefined): void {
  if (faultyTransportStream(request) === undefined && request.response.socket !== null) request.response.socket.end();
  else if (connection === undefined) request.response.destroy();
  else connection.end();
}

/** Asks the client to use another connection for its next request. Cannot be undone; HTTP/1.1 cannot do it after the head. */
export function sendFaultyTransportGoaway(request: FaultRequest): void {
  const session = faultyTransportStream(request)?.session;
  if (session === undefined) {
    if (!request.response.headersSent) request.response.setHeader('connection', 'close');
  } else if (!session.destroyed && !session.closed) session.goaway();
}

/** Stops reading from the connection: it fills up, and PINGs get no reply. */
export async function stopReadingFaultyTransport(env: Env, request: FaultRequest): Promise<void> {
  await flushFaultyTransport(env, request);
  const connection = listenerConnection(request.request.socket);
  // HTTP/2 and TLS read below the stream, so pausing the stream would do nothing.
  (connection as { _handle?: { readStop?: () => void } } | undefined)?._handle?.readStop?.();
}

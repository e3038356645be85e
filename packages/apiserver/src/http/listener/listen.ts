import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { KubeError } from 'kube-informer/core';
import type { IssuedCertificate } from '../../auth/certificates/authority.ts';
import { rememberListenerConnection } from './listener-connections.ts';
import { respondToUnreadableRequest } from './unreadable-request.ts';

export interface TlsOptions {
  readonly serverCertificate: IssuedCertificate;
  /** Authorities whose client certificates are accepted, PEM. */
  readonly clientAuthorities: readonly string[];
}

/** Handles one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Undefined for plain HTTP/1.1. */
  readonly tls: TlsOptions | undefined;
  readonly handler: Handler;
}

/** `refused`: the port is closed. `stalled`: connections are accepted, and then nothing happens on them. */
export type Door = 'open' | 'refused' | 'stalled';

/** A listening socket and all its connections. */
export interface Listener {
  readonly port: number;
  /** Uses another certificate from the next handshake on. */
  setTls(tls: TlsOptions): void;
  /** Sets what happens to new connections; open ones stay. */
  setDoor(door: Door): Promise<void>;
  /** Tells HTTP/2 clients to open another connection (GOAWAY); open streams may finish. */
  sayGoodbye(): void;
  /** Stops listening and cuts the open connections. */
  close(): Promise<void>;
}

/** Maximum number of concurrent streams on a connection, as on a real server. */
const MAX_CONCURRENT_STREAMS = 100;

/** Maximum size of a request's first line and headers together, as on a real server: long selectors make long lines. */
const MAX_HEADER_BYTES = 1024 * 1024 + 4096;

/** Interval of the check for connections that were reset unnoticed. */
const LOOK_EVERY_MS = 1_000;

/**
 * Listens. The TCP socket is our own and the HTTP server behind it never listens itself, so that connections
 * can be held, or cut below TLS.
 */
export async function listen({ host, port, tls, handler }: ListenOptions): Promise<Listener> {
  const server = tls === undefined ? listenerWithoutTls(handler) : listenerWithTls(tls, handler);
  const sockets = new Set<Socket>();
  const connections = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const waiting = new Set<Socket>();
  let door: Door = 'open';
  /** Serialises changes of the listener; none happens once it is closed, because it would open the port again. */
  let turning: Promise<void> = Promise.resolve();
  let isClosed = false;
  const admit = (socket: Socket): void => void server.emit('connection', socket);
  // Without noDelay an event waits for the reader's acknowledgement of the last one.
  const front = createTcpServer({ noDelay: true }, (socket) => {
    rememberListenerSocket(connections, socket);
    rememberListenerConnection(socket);
    if (door === 'open') admit(socket);
    else rememberListenerSocket(waiting, socket);
  });
  server.on('secureConnection', (socket: Socket) => rememberListenerSocket(sockets, socket));
  server.on('session', (session: ServerHttp2Session) => rememberListenerSocket(sessions, session));
  const open = (at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const failed = (cause: Error): void =>
        reject(new KubeError('INVALID_OPTION', `cannot listen on ${host}:${at}: ${listenProblem(cause)}`, { cause }));
      front.once('error', failed);
      front.listen(at, host, () => {
        front.removeListener('error', failed);
        resolve();
      });
    });
  await open(port);
  const own = (front.address() as AddressInfo).port;
  // oxlint-disable-next-line no-restricted-globals -- sockets are real, also where time is not
  const looking = setInterval(() => {
    for (const socket of connections) if (lostInListen(socket)) socket.destroy();
  }, LOOK_EVERY_MS).unref();
  const turn = async (next: Door): Promise<void> => {
    if (isClosed) return;
    door = next;
    if (next === 'refused') {
      front.close();
      return;
    }
    if (!front.listening) await open(own);
    if (next === 'stalled') return;
    for (const socket of waiting) {
      waiting.delete(socket);
      admit(socket);
    }
  };
  return {
    port: own,
    setTls: ({ serverCertificate, clientAuthorities }) => {
      if ('setSecureContext' in server)
        server.setSecureContext({
          cert: serverCertificate.certificate,
          key: serverCertificate.key,
          ca: [...clientAuthorities],
        });
    },
    setDoor: (next) => (turning = turning.catch(() => {}).then(() => turn(next))),
    sayGoodbye: () => {
      for (const session of sessions) if (!session.destroyed) session.goaway();
    },
    close: async () => {
      isClosed = true;
      clearInterval(looking);
      await turning.catch(() => {});
      await new Promise<void>((resolve) => {
        front.close(() => resolve());
        for (const session of sessions) session.destroy();
        for (const socket of [...sockets, ...connections]) socket.destroy();
      });
    },
  };
}

/**
 * Whether the client has reset the connection without an event from Node.
 *
 * Node stops reading an HTTP/2 connection while it writes to it. When that write fails below TLS, it never
 * completes: nothing is read or written, and no event is emitted. Only the handle has the error, and it
 * cannot be read in another way.
 */
function lostInListen(socket: Socket): boolean {
  const { _handle: handle } = socket as { _handle?: { getpeername?(name: object): number } | null };
  return !socket.destroyed && (handle?.getpeername?.({}) ?? 0) !== 0;
}

function listenerWithoutTls(handler: ListenOptions['handler']): HttpServer {
  // Watches have no time limit.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES }, handler);
  respondToUnreadableRequest(server);
  return server;
}

function listenerWithTls(
  { serverCertificate, clientAuthorities }: TlsOptions,
  handler: ListenOptions['handler'],
): Http2SecureServer {
  const server = createSecureServer({
    allowHTTP1: true,
    cert: serverCertificate.certificate,
    key: serverCertificate.key,
    ca: [...clientAuthorities],
    // Requested, not required: most clients send a token instead.
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
  });
  // For HTTP/1.1, whose parser reads it from the server; there is no option for it.
  (server as { maxHeaderSize?: number }).maxHeaderSize = MAX_HEADER_BYTES;
  respondToUnreadableRequest(server);
  server.on('request', handler as unknown as Parameters<typeof server.on>[1]);
  // A client that abandons a handshake or a session is not an error of the server.
  server.on('tlsClientError', () => {});
  server.on('sessionError', () => {});
  return server;
}

interface Closing {
  once(event: 'close', listener: () => void): unknown;
  on(event: 'error', listener: () => void): unknown;
}

function rememberListenerSocket<T extends Closing>(open: Set<T>, one: T): void {
  open.add(one);
  one.on('error', () => {});
  one.once('close', () => void open.delete(one));
}

function listenProblem(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'EADDRINUSE') return 'the port is in use by another program; without a port, a free one is chosen';
  return cause.message;
}

import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { KubeError } from 'kube-informer/core';
import type { IssuedCertificate } from '../auth/certificates.ts';

export interface TlsOptions {
  readonly identity: IssuedCertificate;
  /** Whose client certificates are taken, PEM. */
  readonly clientAuthority: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Undefined: plain HTTP/1.1. */
  readonly tls: TlsOptions | undefined;
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A listening socket and everything that came through it. */
export interface Listener {
  readonly port: number;
  /** Shows another certificate from the next handshake on. */
  setIdentity(identity: IssuedCertificate): void;
  /** Stops listening and cuts what is still open. */
  close(): Promise<void>;
}

/** Streams a connection may have open at once, as a real server allows. */
const MAX_CONCURRENT_STREAMS = 100;

export async function listen({ host, port, tls, handler }: ListenOptions): Promise<Listener> {
  const server = tls === undefined ? plainServer(handler) : secureServer(tls, handler);
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  server.on('connection', (socket: Socket) => {
    // Plain servers do this themselves. Without it an event waits for the reader's acknowledgement of the last one.
    socket.setNoDelay(true);
    remember(sockets, socket);
  });
  server.on('secureConnection', (socket: Socket) => remember(sockets, socket));
  server.on('session', (session: ServerHttp2Session) => remember(sessions, session));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new KubeError('INVALID_OPTION', `cannot listen on ${host}:${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    setIdentity: ({ certificate, key }) => {
      if ('setSecureContext' in server) server.setSecureContext({ cert: certificate, key });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function plainServer(handler: ListenOptions['handler']): HttpServer {
  // Watches are open for as long as they like.
  return createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, handler);
}

function secureServer({ identity, clientAuthority }: TlsOptions, handler: ListenOptions['handler']): Http2SecureServer {
  const server = createSecureServer({
    allowHTTP1: true,
    cert: identity.certificate,
    key: identity.key,
    ca: clientAuthority,
    // Asked for, not insisted on: most clients bring a token instead.
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
  });
  server.on('request', handler as unknown as Parameters<typeof server.on>[1]);
  // A client that gives up a handshake or a session is none of our errors.
  server.on('tlsClientError', () => {});
  server.on('sessionError', () => {});
  return server;
}

interface Closing {
  once(event: 'close', listener: () => void): unknown;
  on(event: 'error', listener: () => void): unknown;
}

function remember<T extends Closing>(open: Set<T>, one: T): void {
  open.add(one);
  one.on('error', () => {});
  one.once('close', () => void open.delete(one));
}

import { defined } from '../../../core/defined.ts';
import { lookup as platformLookup } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { createSecureContext } from 'node:tls';
import { bareHost, proxyAddress, type Target, tunnel } from './proxy-tunnel.ts';
import { sniOf, type TlsView } from './tls.ts';
import { because } from '../transport-failure.ts';

/** How to get to the server. */
export interface Route {
  readonly target: Target;
  readonly proxy: URL | undefined;
  readonly lookup: LookupFunction | undefined;
  /** Which addresses may be connected to; undefined: all. */
  readonly accepts: ((address: string) => boolean) | undefined;
  readonly tcpKeepAliveMs: number;
}

/** A connection that is ready for HTTP. */
export interface Wire {
  readonly socket: Socket;
  /** The lowest socket: the one that keeps the process alive. */
  readonly tcp: Socket;
  readonly protocol: 'h2' | 'http/1.1';
}

/** With several addresses each gets this long before the next is tried; the platform's 250 ms is too short for far ones. */
const ADDRESS_ATTEMPT_MS = 2_000;

/**
 * Connects: TCP, through the proxy if there is one, and TLS if `tls` is given. The name is looked up anew each time.
 *
 * When `signal` aborts it rejects at once with the reason, and the socket is gone. Verifies the server against
 * `tls` and nothing else: not against a variable of the process.
 */
export async function dial(route: Route, tls: TlsView | undefined, alpn: string[], signal: AbortSignal): Promise<Wire> {
  const { target, proxy } = route;
  const tcp = open(route, proxy === undefined ? target : proxyAddress(proxy));
  try {
    await until(tcp, 'connect', signal);
    let socket = tcp;
    if (proxy !== undefined) {
      if (proxy.protocol === 'https:') socket = await secure(socket, tlsOfProxy(proxy), ['http/1.1'], signal);
      socket = await unlessAborted(tunnel(socket, proxy, target), signal);
    }
    if (tls === undefined) return { socket, tcp, protocol: 'http/1.1' };
    const secured = await secure(socket, tls, alpn, signal);
    return { socket: secured, tcp, protocol: secured.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' };
  } catch (error) {
    tcp.destroy();
    throw error;
  }
}

function open({ lookup: given, accepts, tcpKeepAliveMs }: Route, { host, port }: Target): Socket {
  // An address is connected to without a lookup.
  if (accepts !== undefined && isIP(host) !== 0 && !accepts(host)) throw refusedAddress(host);
  const lookup = accepts === undefined ? given : guardedLookup(given ?? platformLookup, accepts);
  const tcp = connect({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: tcpKeepAliveMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    ...defined({ lookup }),
  });
  // Whoever uses the socket listens for itself; an error between two users must not end the process.
  tcp.on('error', () => {});
  return tcp;
}

/** Looks names up and lets only accepted addresses through: the check and the connect see the same answer. */
export function guardedLookup(lookup: LookupFunction, accepts: (address: string) => boolean): LookupFunction {
  return (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return done(error, '', 0);
      const all = typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found;
      const [first, ...others] = all.filter(({ address }) => accepts(address));
      if (first === undefined) return done(refusedAddress(host), '', 0);
      if (options.all === true) return done(null, [first, ...others]);
      return done(null, first.address, first.family);
    });
}

function refusedAddress(host: string): Error {
  return because('ERR_ADDRESS_REFUSED', `${host} is not a public address, and this configuration may use no other`);
}

type SecureSocket = ReturnType<typeof connectTls>;

async function secure(socket: Socket, tls: TlsView, alpn: string[], signal: AbortSignal): Promise<SecureSocket> {
  const { context, verifyName, insecure } = tls;
  const secured = connectTls({
    socket,
    secureContext: context,
    servername: sniOf(verifyName),
    rejectUnauthorized: !insecure,
    ALPNProtocols: alpn,
    checkServerIdentity: (_, certificate) => checkServerIdentity(verifyName, certificate),
  });
  secured.on('error', () => {});
  await until(secured, 'secureConnect', signal);
  return secured;
}

/** The proxy is trusted as the platform trusts; the cluster's own authority has no say about it. */
function tlsOfProxy(proxy: URL): TlsView {
  return { context: createSecureContext({ minVersion: 'TLSv1.2' }), verifyName: bareHost(proxy), insecure: false };
}

/** Waits for `event`; an error or the end of the socket rejects. */
function until(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const happened = new Promise<void>((resolve, reject) => {
    socket.once(event, resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  return unlessAborted(happened, signal);
}

/** Not `untilAborted` of core/: the reason of this signal is the error itself. */
function unlessAborted<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  work.catch(() => {}); // after an abort nobody is left to be told
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    const unlink = (): void => signal.removeEventListener('abort', aborted);
    work.then(resolve, reject).finally(unlink);
  });
}

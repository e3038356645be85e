import { defined } from '../../../core/defined.ts';
import { lookup as platformLookup } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { createSecureContext } from 'node:tls';
import { addressWithoutBrackets } from '../addresses.ts';
import { openProxyTunnel, proxyTunnelAddress, type Target } from './proxy-tunnel.ts';
import { tlsServerName, type TlsView } from './tls.ts';
import { transportFailureCause } from '../transport-failure.ts';

/** The way to the server: its address and an optional proxy. */
export interface Route {
  readonly target: Target;
  readonly proxy: URL | undefined;
  readonly lookup: LookupFunction | undefined;
  /** Whether an address may be connected to; undefined: all. */
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

/** Time for each address of a host before the next is tried; Node's 250 ms is too short for distant servers. */
const ADDRESS_ATTEMPT_MS = 2_000;

/**
 * Connects: TCP, through the proxy if there is one, and TLS if `tls` is given. Looks the host name up each time.
 *
 * When `signal` aborts, rejects at once with its reason and destroys the socket. Only `tls` decides how the server is
 * verified; environment variables do not matter.
 */
export async function dial(route: Route, tls: TlsView | undefined, alpn: string[], signal: AbortSignal): Promise<Wire> {
  const { target, proxy } = route;
  const tcp = dialTcp(route, proxy === undefined ? target : proxyTunnelAddress(proxy));
  try {
    await waitForDialedSocket(tcp, 'connect', signal);
    let socket = tcp;
    if (proxy !== undefined) {
      if (proxy.protocol === 'https:') socket = await dialTls(socket, dialProxyTls(proxy), ['http/1.1'], signal);
      socket = await rejectDialWhenAborted(openProxyTunnel(socket, proxy, target), signal);
    }
    if (tls === undefined) return { socket, tcp, protocol: 'http/1.1' };
    const secured = await dialTls(socket, tls, alpn, signal);
    return { socket: secured, tcp, protocol: secured.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' };
  } catch (error) {
    tcp.destroy();
    throw error;
  }
}

function dialTcp({ lookup: given, accepts, tcpKeepAliveMs }: Route, { host, port }: Target): Socket {
  // Node does not look up an address, so `guardedDialLookup` would not see it.
  if (accepts !== undefined && isIP(host) !== 0 && !accepts(host)) throw dialRefused(host);
  const lookup = accepts === undefined ? given : guardedDialLookup(given ?? platformLookup, accepts);
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
  // The users of the socket have their own listeners; an error between two users must not end the process.
  tcp.on('error', () => {});
  return tcp;
}

/** A lookup that returns only accepted addresses, so that the check and the connection use the same result. */
export function guardedDialLookup(lookup: LookupFunction, accepts: (address: string) => boolean): LookupFunction {
  return (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return done(error, '', 0);
      const all = typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found;
      const [first, ...others] = all.filter(({ address }) => accepts(address));
      if (first === undefined) return done(dialRefused(host), '', 0);
      if (options.all === true) return done(null, [first, ...others]);
      return done(null, first.address, first.family);
    });
}

function dialRefused(host: string): Error {
  return transportFailureCause(
    'ERR_ADDRESS_REFUSED',
    `${host} is not a public address; this configuration may only connect to public ones`,
  );
}

type SecureSocket = ReturnType<typeof connectTls>;

async function dialTls(socket: Socket, tls: TlsView, alpn: string[], signal: AbortSignal): Promise<SecureSocket> {
  const { context, verifyName, insecure } = tls;
  const secured = connectTls({
    socket,
    secureContext: context,
    servername: tlsServerName(verifyName),
    rejectUnauthorized: !insecure,
    ALPNProtocols: alpn,
    checkServerIdentity: (_, certificate) => checkServerIdentity(verifyName, certificate),
  });
  secured.on('error', () => {});
  await waitForDialedSocket(secured, 'secureConnect', signal);
  return secured;
}

/** TLS settings for the proxy, which is verified against the platform's roots, not against the cluster's authority. */
function dialProxyTls(proxy: URL): TlsView {
  return {
    context: createSecureContext({ minVersion: 'TLSv1.2' }),
    verifyName: addressWithoutBrackets(proxy),
    insecure: false,
  };
}

/** Resolves at `event`; rejects when the socket fails or closes. */
function waitForDialedSocket(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const happened = new Promise<void>((resolve, reject) => {
    socket.once(event, resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  return rejectDialWhenAborted(happened, signal);
}

/** Settles like `work`, or rejects with the signal's own reason, which `untilAborted` of core/ does not. */
function rejectDialWhenAborted<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  work.catch(() => {}); // a failure after the abort is not an unhandled rejection
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    const unlink = (): void => signal.removeEventListener('abort', aborted);
    work.then(resolve, reject).finally(unlink);
  });
}

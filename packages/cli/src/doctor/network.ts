import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Connection, TlsSettings } from 'kube-informer/client';
import { defined, type Env } from 'kube-informer/core';
import { objectAgeText, objectAgeInstant } from '@kube-informer/inspector/internal';
import { errorText } from '../output/error-text.ts';
import { anySignal } from '../host/signals.ts';
import { failFinding, type Finding, noteFinding, okFinding, warnFinding } from './finding.ts';

const TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;
/** A certificate that expires within this time causes a warning. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

/**
 * Checks name resolution, the TCP connection and TLS, in this order, and stops at the first failure: that is the one to
 * fix. With a proxy, only the connection to the proxy can be checked.
 */
export async function* networkFindings(connection: Connection, env: Env, signal: AbortSignal): AsyncGenerator<Finding> {
  const { server, proxy } = connection;
  const target = proxy ?? server;
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : target.protocol === 'http:' ? 80 : 1080);
  yield proxy === undefined
    ? noteFinding('proxy', 'not used')
    : noteFinding(
        'proxy',
        `requests go through ${proxy.protocol}//${proxy.host}; only the connection to it can be checked`,
      );
  const name = await networkNameFinding(host);
  yield name;
  if (name.level === 'fail') return;
  const tcp = await networkPortFinding(host, port, env, signal);
  yield tcp;
  if (tcp.level === 'fail' || proxy !== undefined) return;
  if (server.protocol === 'http:')
    return yield warnFinding('TLS', 'the connection is not encrypted', 'use https, except on localhost');
  await connection.tls.refresh();
  const settings = connection.tls.current();
  yield* networkTlsFindings({ host, port, settings }, env, signal);
  yield* networkCertificateFindings(settings, env.wallNow());
}

async function networkNameFinding(host: string): Promise<Finding> {
  if (isIP(host) !== 0) return okFinding('DNS', `${host} is an IP address`);
  try {
    const addresses = await lookup(host, { all: true });
    return okFinding('DNS', `${host} resolves to ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const fix = 'check the host name in the kubeconfig; many clusters can be resolved only through their VPN';
    return failFinding('DNS', `${host} cannot be resolved (${doctorNetworkErrorCode(error)})`, fix);
  }
}

async function networkPortFinding(host: string, port: number, env: Env, signal: AbortSignal): Promise<Finding> {
  const startedAt = env.now();
  try {
    const socket = await doctorNetworkSocket(connectTcp({ host, port }), 'connect', env, signal);
    socket.destroy();
    return okFinding('TCP', `connected to port ${port} of ${host} in ${Math.ceil(env.now() - startedAt)} ms`);
  } catch (error) {
    const code = doctorNetworkErrorCode(error);
    const fixes: ReadonlyMap<string, string> = new Map<string, string>(
      Object.entries({
        ECONNREFUSED:
          'the host is up, but nothing listens on the port: check that the API server is running, and the port',
        ETIMEDOUT: 'packets are dropped: check firewalls, and that the VPN is connected',
        EHOSTUNREACH: 'no route to that network: check that the VPN is connected',
        ENETUNREACH: 'no route to that network: check that the VPN is connected',
      }),
    );
    return failFinding(
      'TCP',
      `cannot connect to port ${port} of ${host} (${code})`,
      fixes.get(code) ?? 'check the address and the network',
    );
  }
}

interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly settings: TlsSettings;
}

async function* networkTlsFindings(
  { host, port, settings }: Endpoint,
  env: Env,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { ca, serverName, insecureSkipVerify = false } = settings;
  const name = serverName ?? (isIP(host) === 0 ? host : undefined);
  const options = {
    host,
    port,
    ALPNProtocols: ['h2', 'http/1.1'],
    rejectUnauthorized: !insecureSkipVerify,
    ...defined({ ca, servername: name }),
  };
  let socket: TLSSocket;
  try {
    socket = await doctorNetworkSocket(connectTls(options), 'secureConnect', env, signal);
  } catch (error) {
    return yield failFinding(
      'TLS',
      `the server's certificate is not trusted (${doctorNetworkErrorCode(error)})`,
      doctorNetworkTlsFix(doctorNetworkErrorCode(error)),
    );
  }
  const { valid_to: validTo } = socket.getPeerCertificate();
  const left = (objectAgeInstant(validTo) ?? Infinity) - env.wallNow();
  const [protocol, alpn] = [socket.getProtocol() ?? 'TLS', socket.alpnProtocol];
  socket.destroy();
  if (insecureSkipVerify)
    yield warnFinding(
      'TLS',
      `${protocol}; the server's certificate is not verified`,
      'remove insecure-skip-tls-verify and add certificate-authority-data',
    );
  else if (left < EXPIRES_SOON_MS)
    yield warnFinding(
      'TLS',
      `${protocol}; the server's certificate expires in ${objectAgeText(left)}`,
      'renew the certificate',
    );
  else yield okFinding('TLS', `${protocol}; the certificate is trusted and valid for ${objectAgeText(left)}`);
  yield alpn === 'h2'
    ? okFinding('HTTP/2', 'supported: all watches share one connection')
    : warnFinding(
        'HTTP/2',
        'not supported: every watch needs its own connection',
        'check for a proxy or load balancer that disables HTTP/2',
      );
}

/** Checks the user's client certificate, whose expiry is easily overlooked. */
function* networkCertificateFindings({ certificate }: TlsSettings, now: number): Generator<Finding> {
  if (certificate === undefined) return;
  let left: number;
  try {
    left = (objectAgeInstant(new X509Certificate(certificate.cert).validTo) ?? 0) - now;
  } catch {
    return yield failFinding(
      'certificate',
      'your client certificate cannot be read',
      'check client-certificate-data in the kubeconfig',
    );
  }
  if (left <= 0)
    yield failFinding(
      'certificate',
      `your client certificate expired ${objectAgeText(-left)} ago`,
      'get a new kubeconfig',
    );
  else if (left < EXPIRES_SOON_MS)
    yield warnFinding(
      'certificate',
      `your client certificate expires in ${objectAgeText(left)}`,
      'get a new kubeconfig',
    );
  else yield okFinding('certificate', `your client certificate is valid for ${objectAgeText(left)}`);
}

function doctorNetworkTlsFix(code: string): string {
  if (/EXPIRED/.test(code))
    return "the server's certificate has expired: renew it, or correct the clock of this machine";
  if (/ALTNAME/.test(code)) return 'the certificate is for another host name: use that name, or set tls-server-name';
  if (/SELF_SIGNED|UNABLE_TO|ISSUER|SIGNATURE/.test(code))
    return 'it is signed by an unknown CA: set certificate-authority-data in the kubeconfig, and check for a proxy that intercepts TLS';
  if (/TIMEDOUT|RESET/.test(code)) return 'the port is open, but does not respond to TLS: check the port';
  return 'check that this is the port of a Kubernetes API server';
}

/** Resolves with the socket once it is connected. Destroys it after a timeout. */
function doctorNetworkSocket<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  env: Env,
  signal: AbortSignal,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const done = new AbortController();
    const give = (settle: () => void): void => {
      done.abort();
      settle();
    };
    socket.once(event, () => give(() => resolve(socket)));
    // Stays registered: an 'error' event without a listener ends the process.
    socket.on('error', (error) => give(() => reject(error)));
    void env.sleep(TIMEOUT_MS, anySignal(done.signal, signal)).then(() => {
      if (done.signal.aborted) return;
      socket.destroy(Object.assign(new Error('no response'), { code: 'ETIMEDOUT' }));
    });
  });
}

function doctorNetworkErrorCode(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const found = code ?? errors?.[0]?.code;
  return typeof found === 'string' ? found : errorText(error);
}

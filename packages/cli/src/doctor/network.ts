import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Connection, TlsSettings } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import { defined, humanAge, instant } from '@kube-informer/inspector/internal';
import { errorText } from '../output/error-text.ts';
import { anySignal } from '../host/signals.ts';
import { fail, type Finding, note, ok, warn } from './finding.ts';

const PATIENCE_MS = 5_000;
const DAY_MS = 86_400_000;
/** A certificate that expires within this time causes a warning. */
const SOON_MS = 14 * DAY_MS;

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
    ? note('proxy', 'none is used')
    : note(
        'proxy',
        `requests go through ${proxy.protocol}//${proxy.host}; only the way to it can be checked from here`,
      );
  const name = await nameFinding(host);
  yield name;
  if (name.level === 'fail') return;
  const port_ = await portFinding(host, port, env, signal);
  yield port_;
  if (port_.level === 'fail' || proxy !== undefined) return;
  if (server.protocol === 'http:')
    return yield warn(
      'TLS',
      'the server is spoken to without encryption',
      'fine on the loopback; anywhere else use https',
    );
  await connection.tls.refresh();
  const settings = connection.tls.current();
  yield* tlsFindings({ host, port, settings }, env, signal);
  yield* ownCertificateFindings(settings, env.wallNow());
}

async function nameFinding(host: string): Promise<Finding> {
  if (isIP(host) !== 0) return ok('DNS', `${host} is an address: no name has to be resolved`);
  try {
    const addresses = await lookup(host, { all: true });
    return ok('DNS', `${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const fix = 'is the name in the kubeconfig right? Many clusters can be resolved only through their VPN';
    return fail('DNS', `${host} cannot be resolved (${codeOf(error)})`, fix);
  }
}

async function portFinding(host: string, port: number, env: Env, signal: AbortSignal): Promise<Finding> {
  const startedAt = env.now();
  try {
    const socket = await opened(connectTcp({ host, port }), 'connect', env, signal);
    socket.destroy();
    return ok('TCP', `port ${port} of ${host} answers in ${Math.ceil(env.now() - startedAt)} ms`);
  } catch (error) {
    const code = codeOf(error);
    const fixes: Readonly<Record<string, string>> = {
      ECONNREFUSED: 'the machine is there and nothing listens: is the API server running, is the port right?',
      ETIMEDOUT: 'something swallows the packets: a firewall, or a VPN that is not connected',
      EHOSTUNREACH: 'there is no way to that network: is the VPN connected?',
      ENETUNREACH: 'there is no way to that network: is the VPN connected?',
    };
    return fail(
      'TCP',
      `port ${port} of ${host} cannot be reached (${code})`,
      fixes[code] ?? 'look at the address and the network',
    );
  }
}

interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly settings: TlsSettings;
}

async function* tlsFindings(
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
    socket = await opened(connectTls(options), 'secureConnect', env, signal);
  } catch (error) {
    return yield fail('TLS', `the server's certificate is not accepted (${codeOf(error)})`, tlsFix(codeOf(error)));
  }
  const { valid_to: validTo } = socket.getPeerCertificate();
  const left = (instant(validTo) ?? Infinity) - env.wallNow();
  const [protocol, alpn] = [socket.getProtocol() ?? 'TLS', socket.alpnProtocol];
  socket.destroy();
  if (insecureSkipVerify)
    yield warn(
      'TLS',
      `${protocol}; whoever answers is trusted`,
      'remove insecure-skip-tls-verify and add certificate-authority-data',
    );
  else if (left < SOON_MS)
    yield warn('TLS', `${protocol}; the server's certificate ends in ${humanAge(left)}`, 'renew it before that');
  else yield ok('TLS', `${protocol}; the certificate is trusted and valid for ${humanAge(left)}`);
  yield alpn === 'h2'
    ? ok('HTTP/2', 'the server speaks it: all watches share one connection')
    : warn(
        'HTTP/2',
        'the server speaks HTTP/1.1 only: every watch needs a connection of its own',
        'look for a proxy or load balancer in between that switches it off',
      );
}

/** Checks the user's client certificate, whose expiry is easily overlooked. */
function* ownCertificateFindings({ certificate }: TlsSettings, now: number): Generator<Finding> {
  if (certificate === undefined) return;
  let left: number;
  try {
    left = (instant(new X509Certificate(certificate.cert).validTo) ?? 0) - now;
  } catch {
    return yield fail(
      'certificate',
      'your client certificate cannot be read',
      'look at client-certificate-data in the kubeconfig',
    );
  }
  if (left <= 0)
    yield fail('certificate', `your client certificate ended ${humanAge(-left)} ago`, 'get a new kubeconfig');
  else if (left < SOON_MS)
    yield warn('certificate', `your client certificate ends in ${humanAge(left)}`, 'get a new one before that');
  else yield ok('certificate', `your client certificate is valid for ${humanAge(left)}`);
}

function tlsFix(code: string): string {
  if (/EXPIRED/.test(code))
    return "the server's certificate has run out: renew it; or is the clock of this machine wrong?";
  if (/ALTNAME/.test(code)) return 'the certificate is for another name: use that name, or set tls-server-name';
  if (/SELF_SIGNED|UNABLE_TO|ISSUER|SIGNATURE/.test(code))
    return 'it was signed by somebody else: put the right certificate-authority-data into the kubeconfig; or does a company proxy open the connection?';
  if (/TIMEDOUT|RESET/.test(code)) return 'the port is open and does not speak TLS: is it the right one?';
  return 'is this the port of a Kubernetes API server?';
}

/** Resolves with the socket once it is connected. Destroys it after a timeout. */
function opened<S extends Socket>(
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
    void env.sleep(PATIENCE_MS, anySignal(done.signal, signal)).then(() => {
      if (done.signal.aborted) return;
      socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
    });
  });
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const found = code ?? errors?.[0]?.code;
  return typeof found === 'string' ? found : errorText(error);
}

import { defined } from '../../../core/defined.ts';
import { envPlatformFlag } from '../../../core/env.ts';
import { KubeError } from '../../../core/errors.ts';
import type { FetchLike } from './fetch-transport.ts';
import type { ClientCertificate, TlsSettings, TlsSource } from '../tls-settings.ts';

/** The part of a Connection that decides how `fetch` reaches the server. */
export interface FetchDestination {
  readonly server: URL;
  readonly tls: TlsSource;
  readonly credentials: { readonly kind: string };
  readonly proxy?: URL;
  /** Where the configuration came from, for messages. */
  readonly origin: string;
}

/** The globals of Deno and Bun that go beyond the standard. */
interface Platform {
  readonly fetch?: (url: string, init: object) => ReturnType<FetchLike>;
  readonly Bun?: unknown;
  readonly Deno?: { createHttpClient(options: Readonly<Record<string, unknown>>): { close(): void } };
}

/** Checks for Node last: Deno and Bun also define `process.versions.node`. */
export function platformOfFetch(): 'deno' | 'bun' | 'node' | 'browser' {
  const { Deno, Bun, process } = globalThis as Platform & { process?: { versions?: { node?: unknown } } };
  if (Deno !== undefined) return 'deno';
  if (Bun !== undefined) return 'bun';
  return process?.versions?.node === undefined ? 'browser' : 'node';
}

/**
 * The platform's `fetch` with the TLS settings of the connection: through a client object in Deno, an option in Bun, not
 * at all in a browser. Throws INVALID_CONFIG for settings that the platform does not support.
 *
 * Reads certificates before each request and uses new ones from then on; open streams stay on the old ones. Deno always
 * trusts its own roots in addition to the given authority.
 */
export function platformFetch(connection: FetchDestination): FetchLike {
  switch (platformOfFetch()) {
    case 'deno':
      return denoPlatformFetch(connection);
    case 'bun':
      return bunPlatformFetch(connection);
    case 'node':
    case 'browser':
      return plainPlatformFetch(connection);
  }
}

function plainPlatformFetch({ tls, credentials, proxy, origin }: FetchDestination): FetchLike {
  const { certificate, insecureSkipVerify, serverName } = tls.current();
  const cannot = (what: string): never => {
    throw new KubeError(
      'INVALID_CONFIG',
      `${origin}: fetch cannot use ${what} here; go through "kubectl proxy" or use Node`,
    );
  };
  // Without Node certificate files are not read; the kind of the credentials shows that one is configured.
  if (certificate !== undefined || credentials.kind === 'client certificate') cannot('a client certificate');
  if (insecureSkipVerify === true) cannot('insecure-skip-tls-verify');
  if (serverName !== undefined) cannot('tls-server-name');
  if (proxy !== undefined) cannot('a proxy');
  return (url, init) => globalPlatformFetch()(url, init);
}

function bunPlatformFetch({ tls, proxy, origin }: FetchDestination): FetchLike {
  if (proxy?.protocol === 'socks5:')
    throw new KubeError('INVALID_CONFIG', `${origin}: Bun cannot use a socks5 proxy; use an http proxy or Node`);
  return async (url, init) => {
    await tls.refresh();
    const { ca, certificate, serverName, insecureSkipVerify = false } = tls.current();
    const settings = {
      rejectUnauthorized: !insecureSkipVerify,
      ...defined({ ca, serverName }),
      ...platformFetchCertificate(certificate),
    };
    // False, not undefined: Bun would otherwise read the proxy from the environment again.
    return globalPlatformFetch()(url, { ...init, tls: settings, proxy: proxy?.href ?? false });
  };
}

function denoPlatformFetch({ server, tls, proxy, origin }: FetchDestination): FetchLike {
  const { Deno } = globalThis as unknown as Required<Platform>;
  const cannot = (what: string): never => {
    throw new KubeError('INVALID_CONFIG', `${origin}: Deno ${what}`);
  };
  const { insecureSkipVerify, serverName } = tls.current();
  if (insecureSkipVerify === true)
    cannot('leaves certificates unchecked only when started with --unsafely-ignore-certificate-errors');
  if (serverName !== undefined) cannot('cannot use tls-server-name; name the server as its certificate does');
  const unwanted = proxy === undefined ? denoPlatformFetchProxy(server) : undefined;
  if (unwanted !== undefined)
    cannot(`would use the proxy from ${unwanted}, but this connection uses none; add ${server.hostname} to NO_PROXY`);

  let settings: TlsSettings | undefined;
  let client: { close(): void } | undefined;
  const fetch: FetchLike = async (url, init) => {
    await tls.refresh();
    const now = tls.current();
    if (client === undefined || now !== settings) {
      // Running requests keep what they need of the old client.
      client?.close();
      client = Deno.createHttpClient({
        ...(now.ca === undefined ? {} : { caCerts: [now.ca] }),
        ...platformFetchCertificate(now.certificate),
        ...(proxy === undefined ? {} : { proxy: { url: proxy.href } }),
      });
      settings = now;
    }
    try {
      return await globalPlatformFetch()(url, { ...init, client });
    } catch (error) {
      throw denoPlatformFetchFailure(error);
    }
  };
  const close = (): void => {
    client?.close();
    client = undefined;
  };
  return Object.assign(fetch, { close });
}

/**
 * The variable whose proxy Deno would use for this server, which cannot be turned off. Reads NO_PROXY more
 * strictly than Deno; the error of a server refused by mistake says what to add.
 */
function denoPlatformFetchProxy({ protocol, hostname }: URL): string | undefined {
  const scheme = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const names = [scheme, 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const found = names.find((name) => (envPlatformFlag(name) ?? '') !== '');
  const exempt = (envPlatformFlag('NO_PROXY') || envPlatformFlag('no_proxy') || '')
    .split(',')
    .map((entry) => entry.trim());
  const isExempt = exempt.some((entry) => entry === '*' || (entry !== '' && `.${hostname}`.endsWith(`.${entry}`)));
  return isExempt ? undefined : found;
}

/**
 * Removes the URL from Deno's error and adds Node's code. Deno gives the reason one level below, with the
 * whole URL and without a code.
 */
function denoPlatformFetchFailure(error: unknown): unknown {
  const { cause } = error as { cause?: { message?: unknown } };
  const [reason] = /client error .*$/s.exec(String(cause?.message)) ?? [];
  if (reason === undefined) return error;
  const code = DENO_CODES.find(([pattern]) => pattern.test(reason))?.[1];
  return Object.assign(new TypeError(reason, { cause: error }), defined({ code }));
}

/** Node's codes for Deno's messages; the retry table depends on them. */
const DENO_CODES: readonly (readonly [RegExp, string])[] = [
  [/invalid peer certificate: .*(?:not valid for name|NotValidForName)/s, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/invalid peer certificate: .*expired/is, 'CERT_HAS_EXPIRED'],
  [/invalid peer certificate/, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [/Connection refused/, 'ECONNREFUSED'],
];

/** The global `fetch`, looked up at each call: programs replace it, for tracing and in tests. */
function globalPlatformFetch(): (url: string, init: object) => ReturnType<FetchLike> {
  return (globalThis as unknown as Required<Platform>).fetch;
}

/** The certificate, copied field by field because its key is not enumerable. */
function platformFetchCertificate(certificate: ClientCertificate | undefined): Partial<ClientCertificate> {
  return defined({ cert: certificate?.cert, key: certificate?.key });
}

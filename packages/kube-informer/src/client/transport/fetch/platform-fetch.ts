import { defined } from '../../../core/defined.ts';
import { platformFlag } from '../../../core/env.ts';
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

/** What Deno's and Bun's `fetch` take besides the standard; other platforms have nothing of the kind. */
interface Platform {
  readonly fetch?: (url: string, init: object) => ReturnType<FetchLike>;
  readonly Bun?: unknown;
  readonly Deno?: { createHttpClient(options: Readonly<Record<string, unknown>>): { close(): void } };
}

/** `node` is asked last: Deno and Bun pretend to be it. */
export function platformName(): 'deno' | 'bun' | 'node' | 'browser' {
  const { Deno, Bun, process } = globalThis as Platform & { process?: { versions?: { node?: unknown } } };
  if (Deno !== undefined) return 'deno';
  if (Bun !== undefined) return 'bun';
  return process?.versions?.node === undefined ? 'browser' : 'node';
}

/**
 * The platform's `fetch`, told whom to trust and who we are as far as it can be told: Deno by a client object, Bun by
 * an option, a browser not at all. Throws INVALID_CONFIG where the connection asks for what cannot be done.
 *
 * Certificates are looked at before each request, and a new one is used from then on; streams that are open stay on the
 * old one. Deno trusts its own roots besides the authority it is given: it cannot be told to trust that one alone.
 */
export function platformFetch(connection: FetchDestination): FetchLike {
  switch (platformName()) {
    case 'deno':
      return denoFetch(connection);
    case 'bun':
      return bunFetch(connection);
    case 'node':
    case 'browser':
      return plainFetch(connection);
  }
}

function plainFetch({ tls, credentials, proxy, origin }: FetchDestination): FetchLike {
  const { certificate, insecureSkipVerify, serverName } = tls.current();
  const cannot = (what: string): never => {
    throw new KubeError(
      'INVALID_CONFIG',
      `${origin}: fetch cannot use ${what} here; go through "kubectl proxy" or use Node`,
    );
  };
  // Where there is no Node nobody reads certificates; that one was meant shows in the credentials.
  if (certificate !== undefined || credentials.kind === 'client certificate') cannot('a client certificate');
  if (insecureSkipVerify === true) cannot('insecure-skip-tls-verify');
  if (serverName !== undefined) cannot('tls-server-name');
  if (proxy !== undefined) cannot('a proxy');
  return (url, init) => ownFetch()(url, init);
}

function bunFetch({ tls, proxy, origin }: FetchDestination): FetchLike {
  if (proxy?.protocol === 'socks5:')
    throw new KubeError('INVALID_CONFIG', `${origin}: Bun cannot use a socks5 proxy; use an http proxy or Node`);
  return async (url, init) => {
    await tls.refresh();
    const { ca, certificate, serverName, insecureSkipVerify = false } = tls.current();
    const settings = {
      rejectUnauthorized: !insecureSkipVerify,
      ...defined({ ca, serverName }),
      ...pairOf(certificate),
    };
    // Said also when there is none: left to itself Bun asks the environment, which was asked already.
    return ownFetch()(url, { ...init, tls: settings, proxy: proxy?.href ?? false });
  };
}

function denoFetch({ server, tls, proxy, origin }: FetchDestination): FetchLike {
  const { Deno } = globalThis as unknown as Required<Platform>;
  const cannot = (what: string): never => {
    throw new KubeError('INVALID_CONFIG', `${origin}: Deno ${what}`);
  };
  const { insecureSkipVerify, serverName } = tls.current();
  if (insecureSkipVerify === true)
    cannot('leaves certificates unchecked only when started with --unsafely-ignore-certificate-errors');
  if (serverName !== undefined) cannot('cannot use tls-server-name; name the server as its certificate does');
  const unwanted = proxy === undefined ? denoProxyVariable(server) : undefined;
  if (unwanted !== undefined)
    cannot(`would go through the proxy of ${unwanted}, which is not wanted here; add ${server.hostname} to NO_PROXY`);

  let settings: TlsSettings | undefined;
  let client: { close(): void } | undefined;
  const fetch: FetchLike = async (url, init) => {
    await tls.refresh();
    const now = tls.current();
    if (client === undefined || now !== settings) {
      // Requests that run keep what they need of the old one.
      client?.close();
      client = Deno.createHttpClient({
        ...(now.ca === undefined ? {} : { caCerts: [now.ca] }),
        ...pairOf(now.certificate),
        ...(proxy === undefined ? {} : { proxy: { url: proxy.href } }),
      });
      settings = now;
    }
    try {
      return await ownFetch()(url, { ...init, client });
    } catch (error) {
      throw denoFailure(error);
    }
  };
  const close = (): void => {
    client?.close();
    client = undefined;
  };
  return Object.assign(fetch, { close });
}

/**
 * The variable whose proxy Deno would use for this server; it cannot be told to use none. Reads NO_PROXY narrower than
 * Deno does: who is refused by mistake is told what to write.
 */
function denoProxyVariable({ protocol, hostname }: URL): string | undefined {
  const scheme = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const names = [scheme, 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const found = names.find((name) => (platformFlag(name) ?? '') !== '');
  const exempt = (platformFlag('NO_PROXY') || platformFlag('no_proxy') || '').split(',').map((entry) => entry.trim());
  const isExempt = exempt.some((entry) => entry === '*' || (entry !== '' && `.${hostname}`.endsWith(`.${entry}`)));
  return isExempt ? undefined : found;
}

/** Deno says "fetch failed" and the reason, with the whole URL, one level below; codes it has none. */
function denoFailure(error: unknown): unknown {
  const { cause } = error as { cause?: { message?: unknown } };
  const [said] = /client error .*$/s.exec(String(cause?.message)) ?? [];
  if (said === undefined) return error;
  const code = DENO_CODES.find(([pattern]) => pattern.test(said))?.[1];
  return Object.assign(new TypeError(said, { cause: error }), code === undefined ? {} : { code });
}

/** The names Node has for these, which decide whether trying again makes sense. */
const DENO_CODES: readonly (readonly [RegExp, string])[] = [
  [/invalid peer certificate: .*(?:not valid for name|NotValidForName)/s, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/invalid peer certificate: .*expired/is, 'CERT_HAS_EXPIRED'],
  [/invalid peer certificate/, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [/Connection refused/, 'ECONNREFUSED'],
];

/** Looked up at each call: programs replace it, for tracing and in tests. */
function ownFetch(): (url: string, init: object) => ReturnType<FetchLike> {
  return (globalThis as unknown as Required<Platform>).fetch;
}

/** Field by field: a certificate hides its key from whoever walks over its properties. */
function pairOf(certificate: ClientCertificate | undefined): Partial<ClientCertificate> {
  return certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key };
}

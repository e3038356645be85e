import { KubeError } from '../core/errors.ts';
import type { Connection, TlsSettings } from './connection.ts';
import type { ClientCertificate } from './credentials.ts';
import type { FetchLike } from './fetch-transport.ts';

/** What Deno's and Bun's `fetch` take besides the standard; other platforms have nothing of the kind. */
interface Platform {
  readonly fetch?: FetchLike;
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
 */
export function platformFetch(connection: Connection): FetchLike {
  switch (platformName()) {
    case 'deno':
      return denoFetch(connection);
    case 'bun':
      return bunFetch(connection);
    default:
      return plainFetch(connection);
  }
}

function plainFetch({ tls, proxy, origin }: Connection): FetchLike {
  const { certificate, insecureSkipVerify } = tls.current();
  const cannot = (what: string): never => {
    throw new KubeError(
      'INVALID_CONFIG',
      `${origin}: fetch cannot use ${what} here; go through "kubectl proxy" or use Node`,
    );
  };
  if (certificate !== undefined) cannot('a client certificate');
  if (insecureSkipVerify === true) cannot('insecure-skip-tls-verify');
  if (proxy !== undefined) cannot('a proxy');
  return (url, init) => (globalThis as unknown as Required<Platform>).fetch(url, init);
}

function bunFetch({ tls, proxy }: Connection): FetchLike {
  const { fetch } = globalThis as unknown as { fetch(url: string, init: object): ReturnType<FetchLike> };
  return (url, init) => {
    const { ca, certificate, serverName, insecureSkipVerify = false } = tls.current();
    const settings = {
      rejectUnauthorized: !insecureSkipVerify,
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { serverName }),
      ...pairOf(certificate),
    };
    return fetch(url, { ...init, tls: settings, ...(proxy === undefined ? {} : { proxy: proxy.href }) });
  };
}

function denoFetch({ tls, proxy, origin }: Connection): FetchLike {
  const { Deno, fetch } = globalThis as unknown as Required<Platform> & {
    fetch(url: string, init: object): ReturnType<FetchLike>;
  };
  let settings: TlsSettings | undefined;
  let client: { close(): void } | undefined;
  return (url, init) => {
    const now = tls.current();
    if (now.insecureSkipVerify === true)
      throw new KubeError(
        'INVALID_CONFIG',
        `${origin}: Deno leaves certificates unchecked only when started with --unsafely-ignore-certificate-errors`,
      );
    if (client === undefined || now !== settings) {
      // Requests that run keep the old one; closing it would end them, and Deno lets go of it with the last of them.
      client = Deno.createHttpClient({
        ...(now.ca === undefined ? {} : { caCerts: [now.ca] }),
        ...pairOf(now.certificate),
        ...(proxy === undefined ? {} : { proxy: { url: proxy.href } }),
      });
      settings = now;
    }
    return fetch(url, { ...init, client });
  };
}

/** Field by field: a certificate hides its key from whoever walks over its properties. */
function pairOf(certificate: ClientCertificate | undefined): Partial<ClientCertificate> {
  return certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key };
}

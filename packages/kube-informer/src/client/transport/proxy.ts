import { KubeError } from '../../core/errors.ts';
import { isAddressInNetwork, isLoopbackAddress, parseAddress } from './addresses.ts';

/** Reads an environment variable. */
export type ReadVariable = (name: string) => string | undefined;

/** Parses the URL of a proxy. Throws INVALID_CONFIG without the URL, which may hold a password. */
export function proxyUrl(text: string, where: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^(?:https?|socks5):$/.test(url.protocol) && url.hostname !== '') {
    if (isHalfEncodedProxyCredential(url.username) || isHalfEncodedProxyCredential(url.password))
      throw new KubeError('INVALID_CONFIG', `${where}: user name or password: write a literal % as %25`);
    return url;
  }
  throw new KubeError('INVALID_CONFIG', `${where}: expected a URL that starts with http://, https:// or socks5://`);
}

/**
 * The proxy set by the environment, if any: HTTPS_PROXY (for a plain server HTTP_PROXY), unless NO_PROXY names the
 * server. Upper case wins over lower case. A server on loopback is never reached through a proxy.
 */
export function environmentProxy(server: URL, read: ReadVariable): URL | undefined {
  const secure = server.protocol === 'https:';
  // Under CGI a client's `Proxy:` header arrives as HTTP_PROXY.
  if (!secure && (read('REQUEST_METHOD') ?? '') !== '') return undefined;
  const names = secure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const name = names.find((one) => (read(one) ?? '') !== '');
  if (name === undefined || isLoopbackAddress(server.hostname)) return undefined;
  if (isExemptFromProxy(server, read('NO_PROXY') || read('no_proxy') || '')) return undefined;
  const text = read(name) ?? '';
  return proxyUrl(/^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`, `environment variable ${name}`);
}

/**
 * Whether `list` (NO_PROXY) names the server: `*`; an address or a network (10.0.0.0/8); a domain with its subdomains
 * (`.example.com` or `*.example.com`: subdomains only); each, except a network, optionally with a port.
 */
function isExemptFromProxy(server: URL, list: string): boolean {
  const host = server.hostname.toLowerCase().replace(/\.$/, '');
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  const address = parseAddress(host);
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => {
      if (entry === '') return false;
      if (entry === '*') return true;
      if (entry.includes('/')) return address !== undefined && isAddressInNetwork(address, entry);
      const [, name = '', wanted] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [undefined, entry];
      if (wanted !== undefined && wanted !== port) return false;
      const exempt = parseAddress(name);
      if (exempt !== undefined)
        return address?.length === exempt.length && exempt.every((byte, at) => byte === address[at]);
      const domain = name.replace(/^\*\./, '.');
      if (domain === '' || domain === '.') return false;
      return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
    });
}

/** Decodes a user name or password of a URL. */
export function decodeProxyCredential(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}

/** Whether a text is ambiguous: it has a valid escape and a literal %. */
function isHalfEncodedProxyCredential(text: string): boolean {
  return /%[0-9a-f]{2}/i.test(text) && decodeProxyCredential(text) === text;
}

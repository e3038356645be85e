import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The target of a request: the page's files, data of the caches, or an action. */
export type Access = 'page' | 'data' | 'action';

/** The reason a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 405 | 415;
  readonly error: string;
}

export interface RequestHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** All Host headers of the request. More than one is an attempt at request smuggling. */
  readonly hosts: readonly string[];
}

/** A custom header: forms, images and links of other sites cannot send it. */
export const TOKEN_HEADER = 'x-inspector-token';

/**
 * Decides which requests are served. Refuses by default.
 *
 * Every site open in the same browser can send requests to this address, so:
 *  - `Host` must be exactly one of ours, which prevents DNS rebinding;
 *  - `Origin`, if present, must match `Host`; actions require it;
 *  - data and actions require the token, in a header that only our own script can set; actions are POST requests with JSON.
 *
 * No response has a CORS header.
 *
 * Room rule: headers in, decision out. Reads no body, writes no response.
 */
export class Guard {
  readonly #isOwnHost: (host: string) => boolean;
  readonly #schemes: readonly string[];
  readonly #digest: Buffer;

  /**
   * `isOwnHost` decides about a value of the Host header, in lower case and with its port. `schemes`: the
   * schemes by which browsers reach it; the user's server may have TLS.
   */
  constructor(isOwnHost: (host: string) => boolean, token: string, schemes: readonly string[] = ['http']) {
    this.#schemes = schemes;
    this.#isOwnHost = isOwnHost;
    this.#digest = accessGuardDigest(token);
  }

  /** Returns undefined if the request may be served. */
  refuse(head: RequestHead, access: Access): Refusal | undefined {
    return this.#checkOrigin(head, access) ?? accessGuardMethod(head, access) ?? this.#checkToken(head, access);
  }

  #checkOrigin({ hosts, headers }: RequestHead, access: Access): Refusal | undefined {
    const [host = ''] = hosts;
    if (hosts.length !== 1 || !this.#isOwnHost(host.toLowerCase()))
      return accessGuardRefusal('the Host header is not an address of this server');
    const { origin } = headers;
    const isOwn = (scheme: string): boolean => origin?.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
    if (origin !== undefined && !this.#schemes.some(isOwn))
      return accessGuardRefusal('cross-origin requests are not allowed');
    if (origin === undefined && access === 'action') return accessGuardRefusal('an action requires an Origin header');
    // A link from another site may lead to the page, which contains no data; other sites may not read data.
    const site = headers['sec-fetch-site'];
    if (access !== 'page' && site !== undefined && site !== 'same-origin' && site !== 'none')
      return accessGuardRefusal('cross-origin requests are not allowed');
    return undefined;
  }

  #checkToken({ headers }: RequestHead, access: Access): Refusal | undefined {
    if (access === 'page') return undefined;
    const given = headers[TOKEN_HEADER];
    if (typeof given !== 'string' || !timingSafeEqual(accessGuardDigest(given), this.#digest))
      return { status: 401, error: 'the token is missing or wrong: open the address that was printed at the start' };
    return undefined;
  }
}

/**
 * The digest of a token. Digests have equal length, so comparing them does not reveal how much of the token
 * was right.
 */
const accessGuardDigest = (token: string): Buffer => createHash('sha256').update(token).digest();

const accessGuardRefusal = (error: string): Refusal => ({ status: 403, error });

function accessGuardMethod({ method, headers }: RequestHead, access: Access): Refusal | undefined {
  if (access !== 'action') {
    if (method === 'GET' || method === 'HEAD') return undefined;
    return { status: 405, error: 'method not allowed: use GET' };
  }
  if (method !== 'POST') return { status: 405, error: 'method not allowed: use POST' };
  const type = headers['content-type'] ?? '';
  return type === 'application/json'
    ? undefined
    : { status: 415, error: 'unsupported content type: use application/json' };
}

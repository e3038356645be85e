import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a request wants: our own page, what the caches hold, or that something happens. */
export type Access = 'page' | 'data' | 'action';

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 401 | 403 | 405 | 415;
  readonly error: string;
}

export interface RequestHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Every Host header that came: one is right, two are an attempt to be understood in two ways. */
  readonly hosts: readonly string[];
}

/** Not a standard one: no form, image or link of another site can send it. */
export const TOKEN_HEADER = 'x-inspector-token';

/**
 * Decides who is answered. Default deny.
 *
 * The page is reachable by every site a person has open in the same browser, so an address is no protection:
 *  - `Host` must be one of ours exactly, or a name somebody else controls would lead here (DNS rebinding);
 *  - `Origin`, where there is one, must be the same address as `Host`; actions need one;
 *  - data and actions need the token, in a header that only our own script can set; actions are POSTs of JSON.
 *
 * Nothing is ever allowed by CORS: no answer carries such a header.
 *
 * Room rule: headers in, verdict out. Reads no body, writes no answer.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #digest: Buffer;

  /** `hosts` as they stand in a Host header, port included. */
  constructor(hosts: Iterable<string>, token: string) {
    this.#hosts = new Set(hosts);
    this.#digest = digestOf(token);
  }

  /** Undefined when the request may be answered. */
  refuse(visit: RequestHead, access: Access): Refusal | undefined {
    return this.#fromElsewhere(visit, access) ?? wrongMethod(visit, access) ?? this.#stranger(visit, access);
  }

  #fromElsewhere({ hosts, headers }: RequestHead, access: Access): Refusal | undefined {
    const [host = ''] = hosts;
    if (hosts.length !== 1 || !this.#hosts.has(host.toLowerCase()))
      return forbidden('this address is not the one it is served at');
    const { origin } = headers;
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
      return forbidden('another site asked');
    if (origin === undefined && access === 'action') return forbidden('an action needs the origin of the page');
    // A link from elsewhere may lead to the page, which holds no data; nothing from elsewhere may read data.
    const site = headers['sec-fetch-site'];
    if (access !== 'page' && site !== undefined && site !== 'same-origin' && site !== 'none')
      return forbidden('another site asked');
    return undefined;
  }

  #stranger({ headers }: RequestHead, access: Access): Refusal | undefined {
    if (access === 'page') return undefined;
    const given = headers[TOKEN_HEADER];
    if (typeof given !== 'string' || !timingSafeEqual(digestOf(given), this.#digest))
      return { status: 401, error: 'the token is missing or wrong: open the address that was printed at the start' };
    return undefined;
  }
}

/** Digests have one length, so that comparing tells nothing about how much was right. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const forbidden = (error: string): Refusal => ({ status: 403, error });

function wrongMethod({ method, headers }: RequestHead, access: Access): Refusal | undefined {
  if (access !== 'action') {
    if (method === 'GET' || method === 'HEAD') return undefined;
    return { status: 405, error: 'only GET' };
  }
  if (method !== 'POST') return { status: 405, error: 'only POST' };
  const type = headers['content-type'] ?? '';
  return type === 'application/json' ? undefined : { status: 415, error: 'only application/json' };
}

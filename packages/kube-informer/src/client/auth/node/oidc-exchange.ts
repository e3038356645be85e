import { defined } from '../../../core/defined.ts';
import { request as send, type RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import { KubeError } from '../../../core/errors.ts';
import { dial } from '../../transport/node/dial.ts';
import { addressWithoutBrackets } from '../../transport/addresses.ts';
import type { ExchangeRequest, HttpExchange } from '../oidc.ts';

/** Maximum length of a response. */
const MAX_BODY = 1 << 20;
const TCP_KEEP_ALIVE_MS = 30_000;

/** Returns the proxy for requests to a provider, if any. */
export type ProxyTo = (provider: URL) => URL | undefined;

/**
 * Sends requests to an identity provider with Node's https: no redirects, TLS 1.2 or newer, responses of at most
 * 1 MiB. Through a proxy, TLS is end to end. The signal is the only timeout.
 */
export function nodeOidcExchange(proxyTo: ProxyTo = () => undefined): HttpExchange {
  return async (request) => {
    const proxy = proxyTo(request.url);
    if (proxy === undefined) return sendOidcExchange(request, { agent: false });
    const { tcp, socket } = await exchangeOidcThroughProxy(request, proxy);
    try {
      return await sendOidcExchange(request, { createConnection: () => socket });
    } finally {
      tcp.destroy();
    }
  };
}

function sendOidcExchange(
  { method, url, headers, body, ca, signal }: ExchangeRequest,
  route: RequestOptions,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const trust = { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...defined({ ca }) } as const;
    const call = send(url, { method, headers, signal, ...trust, ...route }, (response) => {
      const chunks: string[] = [];
      let length = 0;
      response.setEncoding('utf8').on('data', (text: string) => {
        chunks.push(text);
        length += text.length;
        if (length > MAX_BODY) call.destroy(new KubeError('TRANSPORT', 'the response is larger than 1 MiB'));
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: chunks.join('') }));
      response.on('error', reject);
    });
    call.on('error', reject);
    // A switch to another protocol closes the connection without an error.
    call.on('close', () => reject(new KubeError('TRANSPORT', 'the connection was closed without a complete response')));
    call.end(body);
  });
}

function exchangeOidcThroughProxy({ url, ca, signal }: ExchangeRequest, proxy: URL): ReturnType<typeof dial> {
  const target = { host: addressWithoutBrackets(url), port: Number(url.port) || 443 };
  const route = { target, proxy, lookup: undefined, accepts: undefined, tcpKeepAliveMs: TCP_KEEP_ALIVE_MS };
  const context = createSecureContext({ minVersion: 'TLSv1.2', ...defined({ ca }) });
  return dial(route, { context, verifyName: target.host, insecure: false }, ['http/1.1'], signal);
}

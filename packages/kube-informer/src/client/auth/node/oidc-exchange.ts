import { defined } from '../../../core/defined.ts';
import { request as send, type RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import { KubeError } from '../../../core/errors.ts';
import { dial } from '../../transport/node/dial.ts';
import { hostWithoutBrackets } from '../../transport/addresses.ts';
import type { ExchangeRequest, HttpExchange } from '../oidc.ts';

const MOST_BODY = 1 << 20;
const TCP_KEEP_ALIVE_MS = 30_000;

/** The proxy on the way to a provider, if any. */
export type ProxyTo = (provider: URL) => URL | undefined;

/**
 * Asks an identity provider with Node's own https: no redirects, TLS 1.2 at least, 1 MiB at most. Through a proxy TLS
 * goes from end to end. How long it may take is decided by the signal.
 */
export function nodeExchange(proxyTo: ProxyTo = () => undefined): HttpExchange {
  return async (request) => {
    const proxy = proxyTo(request.url);
    if (proxy === undefined) return exchange(request, { agent: false });
    const { tcp, socket } = await throughProxy(request, proxy);
    try {
      return await exchange(request, { createConnection: () => socket });
    } finally {
      tcp.destroy();
    }
  };
}

function exchange(
  { method, url, headers, body, ca, signal }: ExchangeRequest,
  way: RequestOptions,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const trust = { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...defined({ ca }) } as const;
    const call = send(url, { method, headers, signal, ...trust, ...way }, (answer) => {
      const chunks: string[] = [];
      let length = 0;
      answer.setEncoding('utf8').on('data', (text: string) => {
        chunks.push(text);
        length += text.length;
        if (length > MOST_BODY) call.destroy(new KubeError('TRANSPORT', 'the answer is larger than 1 MiB'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: chunks.join('') }));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

function throughProxy({ url, ca, signal }: ExchangeRequest, proxy: URL): ReturnType<typeof dial> {
  const target = { host: hostWithoutBrackets(url), port: Number(url.port) || 443 };
  const route = { target, proxy, lookup: undefined, accepts: undefined, tcpKeepAliveMs: TCP_KEEP_ALIVE_MS };
  const context = createSecureContext({ minVersion: 'TLSv1.2', ...defined({ ca }) });
  return dial(route, { context, verifyName: target.host, insecure: false }, ['http/1.1'], signal);
}

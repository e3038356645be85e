import { request as send } from 'node:https';
import { linkedAbort } from '../core/abort.ts';
import { type Env, systemEnv } from '../core/env.ts';
import { KubeError } from '../core/errors.ts';
import type { HttpExchange } from './oidc.ts';
import { safeCause } from './redact.ts';

const MOST_BODY = 1 << 20;
const TIMEOUT_MS = 30_000;

/**
 * Asks an identity provider with Node's own https: no redirects, no proxy, TLS 1.2 at least, 1 MiB and 30 s at most.
 */
export function nodeExchange(env: Env = systemEnv): HttpExchange {
  return async ({ method, url, headers, body, ca, signal }) => {
    const linked = linkedAbort(signal);
    const over = new AbortController();
    void env.sleep(TIMEOUT_MS, over.signal).then(() => {
      if (!over.signal.aborted) linked.abort(new KubeError('TRANSPORT', `no answer within ${TIMEOUT_MS / 1000} s`));
    });
    try {
      return await new Promise((resolve, reject) => {
        const options = {
          method,
          headers,
          agent: false,
          minVersion: 'TLSv1.2',
          rejectUnauthorized: true,
          signal: linked.signal,
        } as const;
        const call = send(url, ca === undefined ? options : { ...options, ca }, (answer) => {
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
    } catch (error) {
      // Node's own abort error says less than the reason for it.
      throw linked.signal.aborted && !signal.aborted ? safeCause(linked.signal.reason) : error;
    } finally {
      over.abort();
      linked[Symbol.dispose]();
    }
  };
}

import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { ApiServer } from '../../src/index.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  readonly text: string;
  // The tests compare whole bodies.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface Ask {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** One request on a connection of its own. */
export function ask(server: ApiServer, method: string, path: string, options: Ask = {}): Promise<Answer> {
  const { body, headers = {}, token = server.token, tls } = options;
  const send = server.url.startsWith('https') ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const request = send(server.url + path, {
      method,
      agent: false,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(server.ca === undefined ? {} : { ca: server.ca }),
      ...tls,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('aborted', () => reject(new Error('the answer was cut')));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        const isJson =
          response.headers['content-type']?.startsWith('application/json') && !response.headers['content-encoding'];
        let parsed: unknown;
        try {
          parsed = isJson ? JSON.parse(text) : undefined;
        } catch {
          // A stream of frames: tests read the text.
        }
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text, body: parsed });
      });
    });
    request.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

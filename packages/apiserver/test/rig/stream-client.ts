import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type ClientHttp2Session } from 'node:http2';
import { request as tlsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServer } from '../../src/index.ts';

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export interface Frame {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- frames are compared, not used
  readonly object: any;
}

/** A response that may never end, as it arrives. */
export interface Stream {
  status: number;
  headers: IncomingHttpHeaders;
  readonly chunks: Buffer[];
  readonly bytes: () => Buffer;
  readonly text: () => string;
  readonly frames: () => Frame[];
  /** `end`, or the code of what went wrong; undefined while it is open. */
  outcome: string | undefined;
  readonly session?: ClientHttp2Session;
  close(): void;
}

export interface OpenOptions {
  readonly http2?: boolean;
  readonly url?: string;
  readonly ca?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  /** JSON. */
  readonly body?: string;
  readonly session?: ClientHttp2Session;
}

/** Sends a request without waiting for the response. */
export function open(server: ApiServer, path: string, options: OpenOptions = {}): Stream {
  const { http2 = false, url = server.url, ca = server.ca, token = server.token, method = 'GET' } = options;
  const { body } = options;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { authorization: `Bearer ${token}`, ...type, ...options.headers };
  const chunks: Buffer[] = [];
  const bytes = (): Buffer => Buffer.concat(chunks);
  const text = (): string => bytes().toString();
  const frames = (): Frame[] =>
    text()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Frame);
  const stream: Stream = { status: 0, headers: {}, chunks, bytes, text, frames, outcome: undefined, close: () => {} };
  const finish = (outcome: string): void => void (stream.outcome ??= outcome);
  const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.message;
  if (http2) {
    const session = options.session ?? connect(url, ca === undefined ? {} : { ca });
    session.on('error', (error) => finish(codeOf(error)));
    session.on('close', () => finish('closed'));
    const request = session.request({ ':path': path, ':method': method, ...headers });
    request.on('response', (answer) => {
      stream.status = Number(answer[':status']);
      stream.headers = answer as IncomingHttpHeaders;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', (error) => finish(codeOf(error)));
    let isComplete = false;
    request.on('end', () => (isComplete = true));
    request.on('close', () => finish(request.rstCode === 0 && isComplete ? 'end' : `reset ${request.rstCode}`));
    request.end(body);
    return Object.assign(stream, { session, close: () => session.destroy() });
  }
  const send = url.startsWith('https') ? tlsRequest : plainRequest;
  const request = send(url + path, { method, agent: false, headers, ...(ca === undefined ? {} : { ca }) });
  request.on('response', (answer) => {
    stream.status = answer.statusCode ?? 0;
    stream.headers = answer.headers;
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', (error) => finish(codeOf(error)));
    answer.on('end', () => finish('end'));
  });
  request.on('error', (error) => finish(codeOf(error)));
  request.end(body);
  return Object.assign(stream, { close: () => void request.destroy() });
}

/** Polls, because data on sockets arrives at any time. */
export async function until(what: () => unknown, ms = 30_000): Promise<void> {
  const deadline = performance.now() + ms;
  for (;;) {
    try {
      if ((await what()) === true) return;
      if (performance.now() > deadline) throw new Error(`not so after ${ms} ms: ${what.toString()}`);
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(5);
  }
}

/** Waits long enough for a wrong event to arrive. */
export const aWhile = (): Promise<void> => sleep(60);

export const configMap = (name: string, text = '1') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { text },
});

export const watchPath = (server: ApiServer, more = ''): string =>
  `${CONFIG_MAPS}?watch=true&resourceVersion=${server.store.revision}${more}`;

/** An open watch that has sent nothing yet. */
export async function watch(server: ApiServer, options: OpenOptions & { more?: string } = {}): Promise<Stream> {
  const before = server.watchers().length;
  const stream = open(server, watchPath(server, options.more ?? ''), options);
  await until(() => server.watchers().length > before && stream.status === 200);
  return stream;
}

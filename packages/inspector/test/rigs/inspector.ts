import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { type ApiServer, startApiServer } from '@kube-informer/apiserver';
import { Cluster, type KubeObject, type Log, SharedInformer } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { FakeSource } from 'kube-informer/testing';
import { onTestFinished } from 'vitest';
import { type Inspector, type InspectorOptions, startInspector } from '../../src/index.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Rig {
  readonly server: ApiServer;
  readonly cluster: Cluster;
  readonly inspector: Inspector;
  /** `127.0.0.1:1234` */
  readonly authority: string;
  readonly lines: readonly string[];
  /** Sends a request without the token, as another site in the same browser could. */
  readonly plain: (path: string, requestOptions?: RequestOptions) => Promise<Answer>;
  /** Sends a request with the token. */
  readonly ask: (path: string, requestOptions?: RequestOptions) => Promise<Answer>;
  readonly json: <T>(path: string) => Promise<T>;
}

/** Starts an API server, a cluster connected to it, and an inspector of the cluster. */
export async function rig(options: InspectorOptions = {}): Promise<Rig> {
  const lines: string[] = [];
  const log: Log = (level, message, fields) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const server = await startApiServer();
  const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig(), env: { ...systemEnv, log: () => {} } });
  const inspector = await startInspector(cluster, { env: { ...systemEnv, log }, ...options });
  onTestFinished(async () => {
    await inspector.close();
    await cluster.close();
    await server.close();
  });
  const { port } = inspector.address;
  const plain = (path: string, requestOptions: RequestOptions = {}): Promise<Answer> =>
    send(port, path, requestOptions);
  const ask = (path: string, requestOptions: RequestOptions = {}): Promise<Answer> =>
    plain(path, { ...requestOptions, headers: { 'x-inspector-token': inspector.token, ...requestOptions.headers } });
  return {
    server,
    cluster,
    inspector,
    authority: `127.0.0.1:${port}`,
    lines,
    plain,
    ask,
    json: async <T>(path: string) => JSON.parse((await ask(path)).text) as T,
  };
}

export function send(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: RequestOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.once('error', reject).end(body);
  });
}

/** Sends raw bytes, for requests that HTTP libraries refuse to send. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => void socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.once('error', reject).once('close', () => resolve(answer));
  });
}

export interface Message {
  readonly event: string;
  readonly data: unknown;
}

export interface Following {
  readonly status: number;
  readonly messages: readonly Message[];
  /** Resolves with the last message of this type that matches. */
  until<T>(event: string, fits?: (data: T) => boolean): Promise<T>;
  close(): void;
}

const DEADLINE_MS = 60_000;

/** Opens an event stream, as the page does. */
export async function follow({ inspector }: Rig, query = ''): Promise<Following> {
  const messages: Message[] = [];
  const { port } = inspector.address;
  const headers = { 'x-inspector-token': inspector.token };
  let status = 0;
  const sent = request({ host: '127.0.0.1', port, path: `/api/stream?${query}`, headers, agent: false });
  await new Promise<void>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      status = response.statusCode ?? 0;
      let rest = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          const [, event = '', data = 'null'] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
          messages.push({ event, data: JSON.parse(data) as unknown });
        }
      });
      response.once('error', () => {});
      resolve();
    });
    sent.end();
  });
  sent.on('error', () => {});
  onTestFinished(() => void sent.destroy());
  return {
    status,
    messages,
    async until<T>(event: string, fits: (data: T) => boolean = () => true) {
      for (const end = Date.now() + DEADLINE_MS; ;) {
        const found = messages.findLast((one) => one.event === event && fits(one.data as T));
        if (found !== undefined) return found.data as T;
        if (Date.now() > end)
          throw new Error(`no such ${event}; heard: ${messages.map((one) => one.event).join(', ')}`);
        await systemEnv.sleep(20);
      }
    },
    close: () => void sent.destroy(),
  };
}

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...metadata },
  data,
}); // prettier-ignore

/** An informer on a source in memory, as `cluster.caches()` returns it. */
export async function fakeCache(objects: readonly KubeObject[] = []) {
  const source = new FakeSource();
  for (const object of objects) source.create(object);
  const informer = new SharedInformer<KubeObject, string>(source, { env: { ...systemEnv, log: () => {} } }).start();
  onTestFinished(() => informer.stop());
  await informer.synced({ timeoutMs: DEADLINE_MS });
  const scope = { namespace: undefined, labelSelector: undefined, fieldSelector: undefined, metadataOnly: false };
  return { source, informer, cache: { resource: 'v1/things', ...scope, informer } };
}

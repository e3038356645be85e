import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import {
  KubeError,
  type KubeList,
  type KubeObject,
  type ListOptions,
  type WatchEvent,
  type WatchOptions,
} from 'kube-informer/core';
import type { ListWatch } from 'kube-informer/informer';
import type { ControlPlane } from '../harness/control-plane.ts';

/**
 * A minimal source that lists and watches a real server, for the engine without our client: no retries, no limits, no
 * resumption.
 */
export function plainSource(plane: ControlPlane, path: string, url: string = plane.url): ListWatch<KubeObject> {
  const agent = new Agent({ keepAlive: true });
  const open = (options: ListOptions & { watch?: boolean }, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const query = new URLSearchParams(
        Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const headers = { authorization: `Bearer ${plane.credentials.token}`, accept: 'application/json' };
      request(`${url}${path}?${query.toString()}`, { agent, ca: plane.credentials.ca, headers, signal }, resolve)
        .on('error', reject)
        .end();
    });
  const failure = async (answer: AsyncIterable<Buffer>): Promise<KubeError> => {
    const status = JSON.parse(await text(answer)) as { message?: string; details?: { retryAfterSeconds?: number } };
    const seconds = status.details?.retryAfterSeconds;
    return new KubeError('API_STATUS', status.message ?? 'failed', {
      status,
      ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 }),
    });
  };
  return {
    async list(options, signal) {
      const answer = await open(options, signal);
      if (answer.statusCode !== 200) throw await failure(answer);
      return JSON.parse(await text(answer)) as KubeList<KubeObject>;
    },
    async *watch(options: WatchOptions, signal) {
      const answer = await open({ ...options, watch: true }, signal);
      if (answer.statusCode !== 200) throw await failure(answer);
      try {
        for await (const line of createInterface({ input: answer })) yield JSON.parse(line) as WatchEvent<KubeObject>;
      } finally {
        answer.destroy();
      }
    },
  };
}

async function text(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

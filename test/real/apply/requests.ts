import { Agent, request } from 'node:https';
import type { ApiObject } from '../../../packages/apiserver/src/core/kube-object.ts';
import type { Status } from '../../../packages/apiserver/src/core/status-error.ts';

export interface Server {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface Answer {
  readonly code: number;
  readonly body: ApiObject & Partial<Omit<Status, 'kind' | 'apiVersion' | 'metadata'>>;
}

export type Ask = (method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>;

export const APPLY = 'application/apply-patch+yaml';
export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';

/** One connection to a server, kept open. */
export function connect({ url, ca, token }: Server): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'user-agent': 'walker/1.0',
        ...(body === undefined ? {} : { 'content-type': contentType }),
      };
      request(`${url}${path}`, { method, ca, agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          // The response for a path that is not served yet is plain text.
          const body = (text.startsWith('{') ? JSON.parse(text) : { message: text }) as Answer['body'];
          resolve({ code: answer.statusCode ?? 0, body });
        });
      })
        .on('error', reject)
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
}

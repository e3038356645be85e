// A DNS provider in memory, for tests and for trying the operator out.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PublishedRecord } from './zones.ts';

export interface Provider extends AsyncDisposable {
  readonly url: string;
  readonly records: Map<string, PublishedRecord>;
  /** The next requests that change something get this status. */
  failNext(status: number, times?: number): void;
}

interface Reply {
  readonly status: number;
  readonly body?: string;
}

export async function startProvider(): Promise<Provider> {
  const records = new Map<string, PublishedRecord>();
  const failures: number[] = [];
  let highestFence = 0;

  const reply = async (request: IncomingMessage): Promise<Reply> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider');
    const hostname = /^\/records\/(.+)$/.exec(pathname)?.[1];
    const owner = searchParams.get('owner') ?? '';
    if (hostname === undefined) {
      const owned = [...records].filter(([, record]) => record.owner === owner).map(([name]) => name);
      return { status: 200, body: JSON.stringify(owned) };
    }
    const body = await textOf(request);
    // A leader that was paused for long does not know that it was replaced. Its number is lower.
    const fence = Number(request.headers['x-fence'] ?? 0);
    if (fence < highestFence) return { status: 412 };
    highestFence = fence;
    const failure = failures.shift();
    if (failure !== undefined) return { status: failure };
    const known = records.get(hostname);
    if (request.method === 'DELETE') {
      if (known === undefined) return { status: 404 };
      if (known.owner !== owner) return { status: 409 };
      records.delete(hostname);
      return { status: 204 };
    }
    const record = JSON.parse(body) as PublishedRecord;
    if (!/^[a-z0-9.-]+\.[a-z]+$/.test(hostname)) return { status: 422, body: `${hostname} is not a hostname` };
    if (known !== undefined && known.owner !== record.owner) return { status: 409 };
    if (JSON.stringify(known) === JSON.stringify(record)) return { status: 204 };
    records.set(hostname, record);
    return { status: known === undefined ? 201 : 200 };
  };

  const server = createServer((request, response) => {
    void reply(request).then(({ status, body }) => {
      response.writeHead(status, status === 429 ? { 'retry-after': '7' } : {});
      response.end(body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    records,
    failNext: (status, times = 1) => void failures.push(...Array.from({ length: times }, () => status)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

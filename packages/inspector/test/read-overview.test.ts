import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readKey, readOverview } from '../src/index.ts';
import { rig } from './rigs/inspector.ts';

/** A server that is not an inspector. */
async function stranger(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => void server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/#token=x`;
}

describe('reading a running inspector', () => {
  test('the printed address is enough', async () => {
    const { inspector, cluster } = await rig();
    await cluster.informer('v1/nodes').synced({ timeoutMs: 30_000 });
    expect(await readOverview(inspector.url)).toMatchObject({
      caches: [{ id: 'v1/nodes', state: 'synced', objects: 0 }],
    });
  });

  test('S42: a wrong token is reported, without the token', async () => {
    const { inspector } = await rig();
    const wrong = `${inspector.url}x`;
    const failure = await readOverview(wrong).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'CREDENTIALS' });
    expect(String(failure)).not.toContain(inspector.token);
  });

  test.each(['nonsense', 'http://127.0.0.1:1/', 'https://127.0.0.1:1/#token=x', 'file:///etc/passwd#token=x'])(
    '%s is not such an address',
    async (url) => {
      await expect(readOverview(url)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    },
  );

  test.each([
    [200, 'hello'],
    [200, 'null'],
    [200, '{"caches":{}}'],
    [404, '{}'],
  ])('another server at that address is reported: %i %s', async (status, body) => {
    await expect(readOverview(await stranger(status, body))).rejects.toMatchObject({ code: 'TRANSPORT' });
  });

  test('no server, or an aborted request', async () => {
    await expect(readOverview('http://127.0.0.1:1/#token=x')).rejects.toMatchObject({ code: 'TRANSPORT' });
    const { inspector } = await rig();
    await expect(readOverview(inspector.url, AbortSignal.abort())).rejects.toMatchObject({ code: 'TRANSPORT' });
  });

  const run = {
    outcome: 'a',
    tone: 'a',
    events: [{ at: 1, reason: 'a' }],
    attempt: 1,
    error: '',
    request: '',
    writes: [{ at: 1 }],
  };
  const key = { at: 1, operator: 'a', state: 'a', controller: 'a', sentence: 'a', runs: [run] };
  const cache = {
    id: 'a',
    state: 'a',
    objects: 1,
    resourceVersion: '',
    perSecond: 1,
    queued: 1,
    restarts: 1,
    bytes: 1,
  };
  const overview = { at: 1, server: 'a', rssBytes: 1, heapBytes: 1, caches: [cache] };

  test.each([
    [readOverview, { ...overview, rssBytes: '\u001b[2J' }, 'rssBytes'],
    [readOverview, { ...overview, caches: [{ ...cache, objects: '\u001b[2J' }] }, 'caches[0].objects'],
    [readOverview, { ...overview, caches: [{ ...cache, lastRestart: { at: 1, because: {} } }] }, 'caches[0].lastRestart.because'],
    [readKeyAt, { ...key, runs: [run, { ...run, writes: { length: 1 } }] }, 'runs[1].writes'],
    [readKeyAt, { ...key, runs: [{ ...run, writes: [{ at: '\u001b[2J' }] }] }, 'runs[0].writes[0].at'],
    [readKeyAt, { ...key, runs: [{ ...run, error: 5 }] }, 'runs[0].error'],
    [readKeyAt, { ...key, at: '1' }, 'at'],
  ] as const)('S120: a process that sends other types than the protocol has is refused, and the message names them: %#', async (read, body, where) => {
    await expect(read(await stranger(200, JSON.stringify(body)))).rejects.toMatchObject({
      code: 'TRANSPORT',
      message: expect.stringContaining(`${where} is missing or has another type`),
    });
  }); // prettier-ignore

  test('S120: what the protocol has is accepted', async () => {
    await expect(readOverview(await stranger(200, JSON.stringify(overview)))).resolves.toMatchObject({ caches: [{}] });
    await expect(readKeyAt(await stranger(200, JSON.stringify(key)))).resolves.toMatchObject({ runs: [{}] });
  });
});

const readKeyAt = (url: string): Promise<unknown> => readKey(url, { controller: 'a', key: 'a' });

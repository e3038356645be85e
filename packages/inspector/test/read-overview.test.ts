import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readOverview } from '../src/index.ts';
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
});

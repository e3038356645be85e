import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createFetchTransport, type FetchLike } from '../../../src/client/transport/fetch/fetch-transport.ts';
import {
  certificates,
  failure,
  frameRig,
  get,
  QUIET,
  textOf,
  transportRig,
  transportTo,
} from '../rig/transport-rig.ts';

const certs = certificates();
const SECRET = 'CANARY-token';
const ms = expect.any(Number) as number;

/** The diagnostics messages published while the test runs. */
function rig(...names: ('request' | 'connection')[]): unknown[] {
  const received: unknown[] = [];
  const listen = (message: unknown): void => void received.push(message);
  for (const name of names) {
    subscribe(`kube-informer:${name}`, listen);
    onTestFinished(() => void unsubscribe(`kube-informer:${name}`, listen));
  }
  return received;
}

describe('diagnostics channels', () => {
  test('S24: connections and requests are published in order, without the query', async () => {
    const received = rig('connection', 'request');
    const { server, transport } = await transportRig(certs);
    await textOf(await transport.send(get(`/a?token=${SECRET}`)));
    await transport.close();
    const { origin } = server.url;
    expect(received).toStrictEqual([
      { type: 'open', protocol: 'h2', server: origin },
      { method: 'GET', path: '/a', server: origin, attempt: 1, ms, protocol: 'h2', status: 200 },
      { type: 'close', protocol: 'h2', server: origin },
    ]);
    expect(JSON.stringify(received)).not.toContain(SECRET);
  });

  test('F7: a request without a connection is published too, with the reason', async () => {
    const received = rig('request');
    const server = new URL('https://127.0.0.1:1');
    await failure(transportTo(server, '').send(get(`/a?token=${SECRET}`)));
    expect(received).toStrictEqual([
      { method: 'GET', path: '/a', server: server.origin, attempt: 1, ms, error: 'ECONNREFUSED' },
    ]);
    expect((received[0] as { ms: number }).ms).toBeGreaterThanOrEqual(0);
    const gone = new AbortController();
    gone.abort();
    await failure(transportTo(server, '').send(get('/b', { signal: gone.signal })));
    expect(received[1]).toMatchObject({ path: '/b', error: 'ABORTED' });
  });

  test('F14: every attempt is published with its number and its failure', async () => {
    const received = rig('request');
    const { transport } = await frameRig(certs, (peer, number) => {
      peer.onRequest = (id) => (number < 2 ? peer.rst(id, 7) : peer.headers(id, { end: true }));
    });
    await textOf(await transport.send(get('/', { method: 'POST', body: 'x' })));
    expect(received).toMatchObject([
      { method: 'POST', attempt: 1, error: 'ERR_HTTP2_STREAM_REFUSED', protocol: 'h2' },
      { method: 'POST', attempt: 2, status: 200, protocol: 'h2' },
    ]);
  });

  test('S24, F7: the fetch transport publishes the same', async () => {
    const received = rig('request');
    const server = new URL('http://127.0.0.1:1');
    const empty = { status: 204, type: 'basic', headers: new Headers(), body: null };
    const transport = createFetchTransport({ server, env: QUIET, fetch: () => Promise.resolve(empty) });
    await textOf(await transport.send(get(`/a?token=${SECRET}`)));
    await failure(createFetchTransport({ server, env: QUIET }).send(get(`/b?token=${SECRET}`)));
    expect(received).toStrictEqual([
      { method: 'GET', path: '/a', server: server.origin, attempt: 1, ms, status: 204 },
      { method: 'GET', path: '/b', server: server.origin, attempt: 1, ms, error: expect.any(String) as string },
    ]);
    expect(JSON.stringify(received)).not.toContain(SECRET);
  });

  test('where there are no channels, as in a browser, requests are sent all the same', async () => {
    const received = rig('request');
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.resetModules();
    });
    vi.resetModules();
    vi.stubGlobal('process', undefined);
    const fresh = await import('../../../src/client/transport/fetch/fetch-transport.ts');
    const fetch: FetchLike = () => Promise.resolve({ status: 204, type: 'basic', headers: new Headers(), body: null });
    const transport = fresh.createFetchTransport({ server: new URL('http://127.0.0.1:1'), env: QUIET, fetch });
    expect((await transport.send(get('/'))).status).toBe(204);
    expect(received).toEqual([]);
  });
});

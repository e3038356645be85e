import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TlsSettings } from '../../../packages/kube-informer/src/client/transport/tls-settings.ts';
import {
  createNodeTransport,
  type NodeTransport,
} from '../../../packages/kube-informer/src/client/transport/node/node-transport.ts';
import type {
  TransportRequest,
  TransportResponse,
} from '../../../packages/kube-informer/src/client/transport/transport.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the transport on a real kube-apiserver: ${missing}\n`);

const WATCH =
  '/api/v1/namespaces/default/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The first bytes of a body, and the iterator for the rest. */
async function begun({ status, body }: TransportResponse): Promise<AsyncIterator<Uint8Array>> {
  expect(status).toBe(200);
  const chunks = body[Symbol.asyncIterator]();
  const { value } = await chunks.next();
  // Any part of the first frame is enough: the end of a chunk has no meaning.
  expect(
    Buffer.from(value as Uint8Array)
      .toString()
      .startsWith('{'),
  ).toBe(true);
  return chunks;
}

describe.skipIf(missing !== undefined)('the transport on a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    for (const name of ['one', 'two']) {
      await plane.ask('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
    }
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  function rig(options: { http2?: boolean; certificate?: boolean } = {}) {
    const { credentials, url } = plane;
    const settings: TlsSettings = {
      ca: credentials.ca,
      ...(options.certificate === true
        ? { certificate: { cert: credentials.clientCertificate, key: credentials.clientKey } }
        : {}),
    };
    const transport: NodeTransport = createNodeTransport({
      server: new URL(url),
      tls: { current: () => settings, refresh: () => Promise.resolve(false) },
      ...(options.http2 === undefined ? {} : { http2: options.http2 }),
    });
    onTestFinished(() => transport.close());
    const headers: Record<string, string> =
      options.certificate === true ? {} : { authorization: `Bearer ${credentials.token}` };
    const { signal } = new AbortController();
    const get = (path: string, more: Partial<TransportRequest> = {}): Promise<TransportResponse> =>
      transport.send({ method: 'GET', path, headers, signal, ...more });
    return { transport, get, watch: () => get(WATCH, { longLived: true }).then(begun) };
  }

  test('F16: 100 watches share one HTTP/2 connection, 150 use two, and none waits', async () => {
    const { transport, watch, get } = rig();
    await Promise.all(Array.from({ length: 100 }, watch));
    expect(transport.stats()).toEqual({ connections: 1, streams: 100, handshakes: 1 });
    await Promise.all(Array.from({ length: 50 }, watch));
    expect(transport.stats()).toEqual({ connections: 2, streams: 150, handshakes: 2 });
    expect((await get('/version')).status).toBe(200);
  });

  test('F16: 150 watches started at once use two connections as well', async () => {
    const { transport, watch } = rig();
    await Promise.all(Array.from({ length: 150 }, watch));
    expect(transport.stats()).toEqual({ connections: 2, streams: 150, handshakes: 2 });
  });

  test('F16: on HTTP/1.1 watches have connections of their own and requests share one', async () => {
    const { transport, watch, get } = rig({ http2: false });
    await Promise.all(Array.from({ length: 20 }, watch));
    for (let i = 0; i < 20; i += 1) await textOf(await get('/version'));
    expect(transport.stats()).toEqual({ connections: 21, streams: 20, handshakes: 21 });
  });

  test.each([
    [true, 1],
    [false, 2],
  ])('F16: 100 requests one after the other, HTTP/2 %s, make at most %i handshakes', async (http2, most) => {
    const { transport, get } = rig({ http2 });
    for (let i = 0; i < 100; i += 1) expect(await textOf(await get('/version'))).toContain('gitVersion');
    expect(transport.stats().handshakes).toBeLessThanOrEqual(most);
  });

  test.each([true, false])('G23: a client certificate authenticates, HTTP/2 %s', async (http2) => {
    const { transport } = rig({ http2, certificate: true });
    const answer = await transport.send({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      signal: new AbortController().signal,
    });
    expect(JSON.parse(await textOf(answer))).toMatchObject({ status: { userInfo: { username: 'cert-admin' } } });
  });

  test.each([true, false])('S9: a large list is sent compressed and decodes to the same, HTTP/2 %s', async (http2) => {
    await plane.ask('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'large' },
      data: { value: 'kube'.repeat(100_000) },
    });
    const { get } = rig({ http2 });
    const answer = await get('/api/v1/configmaps');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const { items } = JSON.parse(await textOf(answer)) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toContain('large');
  });

  test.each([true, false])(
    'F4, F7: kill -9 is TRANSPORT on every watch, and the client reconnects to the restarted server, HTTP/2 %s',
    async (http2) => {
      const { transport, watch, get } = rig({ http2 });
      const watches = await Promise.all(Array.from({ length: 10 }, watch));
      const ends = watches.map(async (chunks) => {
        try {
          while ((await chunks.next()).done !== true);
          return 'a clean end';
        } catch (error) {
          return (error as { code: string }).code;
        }
      });
      await plane.killApiserver();
      expect(await Promise.all(ends)).toEqual(Array.from({ length: 10 }, () => 'TRANSPORT'));
      await expect(get('/version')).rejects.toMatchObject({ code: 'TRANSPORT', cause: { code: 'ECONNREFUSED' } });
      await plane.startApiserver();
      expect(await textOf(await get('/version'))).toContain('gitVersion');
      await Promise.all(Array.from({ length: 10 }, watch));
      expect(transport.stats().streams).toBe(10);
    },
  );
});

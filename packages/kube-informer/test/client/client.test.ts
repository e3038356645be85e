import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { defaultUserAgent, VERSION } from '../../src/client/request/user-agent.ts';
import { KnownSecrets } from '../../src/core/known-secrets.ts';
import type { KubeError } from '../../src/core/errors.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { body, bytes, collect, failureOf } from './rig/bodies.ts';
import { type Answer, clientRig, FakeCredentials, status } from './rig/client-rig.ts';

/** Held as long as the tests run: the redaction knows the secrets of connections in use. */
const known = new KnownSecrets();

const OK: Answer = { headers: { 'content-type': 'application/json' }, body: { ok: true } };

describe('the client', () => {
  test('STR-12: the user agent names the package, its version and the platform', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(VERSION).toBe(version);
    expect(defaultUserAgent()).toBe(
      `kube-informer/${version} (${process.platform}/${process.arch}; node ${process.versions.node})`,
    );
    expect(defaultUserAgent({})).toBe(`kube-informer/${version} (browser)`);
    expect(
      defaultUserAgent({
        Deno: { version: { deno: '2.1.0' } },
        process: { platform: 'linux', arch: 'arm64', versions: { node: '22.0.0' } },
      }),
    ).toBe(`kube-informer/${version} (linux/arm64; deno 2.1.0)`);
    expect(defaultUserAgent({ Bun: { version: '1.2.3' } })).toBe(`kube-informer/${version} (bun 1.2.3)`);
    const { client, transport } = clientRig([OK, OK]);
    await client.request({ path: '/version' });
    expect(transport.last.headers['user-agent']).toBe(defaultUserAgent());
  });

  test.each(['a\r\nb', 'a\0', '', 'ü'])('S8: a user agent of %j is refused at construction', (userAgent) => {
    expect(() => clientRig([], { userAgent })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  test('S8: impersonation that is two headers is refused at construction', () => {
    expect(() => clientRig([], { connection: { impersonate: { user: 'a\r\nb: c' } } })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    );
  });

  test('S25: printing it shows the server and nothing secret', () => {
    known.remember('canary-of-client');
    const { client } = clientRig([], { connection: { credentials: new FakeCredentials(['canary-of-client']) } });
    for (const printed of [
      inspect(client, { depth: 20, showHidden: true }),
      JSON.stringify(client),
      inspect(client.resource('v1/pods'), { depth: 20 }),
    ]) {
      expect(printed).not.toContain('canary');
    }
    expect(inspect(client)).toContain('https://cluster.example.com');
  });

  test('STR-12: limiter, warnings and the longest Retry-After are shared by all its resources', async () => {
    const warned: string[] = [];
    const { client, transport, env } = clientRig(
      [
        { headers: { warning: '299 - "old"' }, body: { items: [], kind: 'PodList' } },
        status(429, {}, { 'retry-after': '500' }),
        OK,
      ],
      {
        rateLimit: { perSecond: 1, burst: 1 },
        onWarning: ({ text }) => void warned.push(text),
        maxRetryAfterMs: 90_000,
      },
    );
    await client.resource('v1/pods').list();
    const second = client.resource('v1/configmaps').get('a/b');
    await settle();
    expect(transport.sent).toHaveLength(1);
    await env.clock.advance(1_000);
    expect(transport.sent).toHaveLength(2);
    await env.clock.advance(89_999);
    expect(transport.sent).toHaveLength(2);
    await env.clock.advance(2);
    await second;
    expect(warned).toEqual(['old']);
  });

  test('two clients can share a limiter', async () => {
    let taken = 0;
    const rateLimit = { take: () => Promise.resolve(void (taken += 1)) };
    for (const { client } of [clientRig([OK], { rateLimit }), clientRig([OK], { rateLimit })])
      await client.request({ path: '/' });
    expect(taken).toBe(2);
  });

  test('close ends connections and credentials', async () => {
    const credentials = new FakeCredentials();
    const { client, transport } = clientRig([], { connection: { credentials } });
    await client[Symbol.asyncDispose]();
    expect([transport.isClosed, credentials.isClosed]).toEqual([true, true]);
  });
});

describe('raw requests', () => {
  test('JSON is given as a value, anything else as text', async () => {
    const { client, transport } = clientRig([
      OK,
      { headers: { 'content-type': 'text/plain' }, body: 'ok' },
      { body: '{"a":1}' },
      { headers: { 'content-type': 'application/vnd.x+json; charset=utf-8' }, body: '[1]' },
    ]);
    expect(await client.request({ path: '/version?x=1' })).toEqual({ ok: true });
    expect(await client.request({ path: '/readyz' })).toBe('ok');
    expect(await client.request({ path: '/x' })).toBe('{"a":1}');
    expect(await client.request({ path: '/x' })).toEqual([1]);
    expect(transport.lines.slice(0, 2)).toEqual(['GET /version?x=1', 'GET /readyz']);
  });

  test('bodies: values as JSON, text and bytes unchanged, with headers of the caller', async () => {
    const { client, transport } = clientRig([OK, OK, OK]);
    await client.request({ method: 'POST', path: '/x', body: { a: 1 } });
    expect(transport.last).toMatchObject({
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
    await client.request({
      method: 'PATCH',
      path: '/x',
      body: 'a: 1',
      headers: { 'Content-Type': 'application/apply-patch+yaml' },
    });
    expect(transport.last).toMatchObject({ body: 'a: 1', headers: { 'content-type': 'application/apply-patch+yaml' } });
    await client.request({ method: 'PUT', path: '/x', body: bytes('x') });
    expect(transport.last.body).toEqual(bytes('x'));
  });

  test.each(['/api/../x', '//evil.example', 'x', '/a b', '/a\r\nb'])('S4: the path %j is refused', async (path) => {
    const { client, transport } = clientRig([OK]);
    expect(await failureOf(client.request({ path }))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(transport.sent).toEqual([]);
  });

  test('S26: invalid JSON is an error without its content', async () => {
    const { client } = clientRig([{ headers: { 'content-type': 'application/json' }, body: '{"a":"canary' }]);
    const error = (await failureOf(client.request({ path: '/x?canary' }))) as KubeError;
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
  });
});

describe('logs', () => {
  test('logs come as bytes, and the options have the server’s names', async () => {
    const { client, transport } = clientRig([{ body: body(['one\n', 'two\n']) }, { body: '' }]);
    const { values } = await collect(
      client.logs('web/a', {
        container: 'c',
        tailLines: 0,
        timestamps: true,
        previous: false,
        sinceTime: '2024-01-01T00:00:00Z',
        limitBytes: 9,
        stream: 'Stderr',
        sinceSeconds: 5,
      }),
    );
    expect(Buffer.concat(values).toString()).toBe('one\ntwo\n');
    expect(transport.last).toMatchObject({ method: 'GET', headers: { accept: '*/*' } });
    expect(transport.last.longLived).toBeUndefined();
    expect(transport.lines).toEqual([
      'GET /api/v1/namespaces/web/pods/a/log?container=c&tailLines=0&timestamps=true&previous=false&sinceTime=2024-01-01T00%3A00%3A00Z&limitBytes=9&stream=Stderr&sinceSeconds=5',
    ]);
    await collect(client.logs('a'));
    expect(transport.lines.at(-1)).toBe('GET /api/v1/namespaces/home/pods/a/log');
  });

  test('F2: followed logs are long-lived and may be silent, and leaving the loop closes them', async () => {
    const content = body(['one\n', 'two\n']);
    const { client, transport } = clientRig([{ body: content }]);
    for await (const _ of client.logs('web/a', { follow: true })) break;
    expect(transport.last).toMatchObject({ longLived: true, mayBeSilent: true });
    expect(transport.lines).toEqual(['GET /api/v1/namespaces/web/pods/a/log?follow=true']);
    expect(content.closed).toBe(1);
  });

  test('a failure rejects the first next()', async () => {
    const { client } = clientRig([
      status(400, { reason: 'BadRequest', message: 'a container name must be specified' }),
    ]);
    expect((await collect(client.logs('web/a'))).error).toMatchObject({ status: { reason: 'BadRequest' } });
  });
});

test('F2: a watch may be silent when it did not ask for bookmarks; one of an informer, which does, may not', async () => {
  const { client, transport } = clientRig([{ body: '' }, { body: '' }, { body: '' }]);
  const pods = client.resource('v1/pods');
  await collect(pods.watch());
  await collect(pods.watch({ allowWatchBookmarks: true }));
  await collect(pods.listWatch().watch({ allowWatchBookmarks: true }, new AbortController().signal));
  expect(transport.sent.map(({ longLived, mayBeSilent = false }) => [longLived, mayBeSilent])).toEqual([
    [true, true],
    [true, false],
    [true, false],
  ]);
});

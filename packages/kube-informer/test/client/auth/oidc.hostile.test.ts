import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { nodeOidcExchange } from '../../../src/client/auth/node/oidc-exchange.ts';
import { type ExchangeRequest, oidcSource } from '../../../src/client/auth/oidc.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { everyPrint, failure, never } from '../rig/auth-rig.ts';
import { TestAuthority } from '../rig/certificates.ts';

const ISSUER = 'https://idp.example.com';
const REFRESH = 'CANARY-refresh-token';
type Reply = (request: ExchangeRequest) => { status: number; body: string };
const reply = (status: number, body: unknown) => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }); // prettier-ignore
const GOOD = reply(200, { id_token: 'opaque-id-token' });

function rig(config: Record<string, string>, endpoint: string, answer: Reply) {
  const env = fakeEnv();
  const sent: string[] = [];
  const all = { 'idp-issuer-url': ISSUER, 'client-id': 'kubernetes', 'refresh-token': REFRESH, ...config };
  const source = oidcSource({
    config: new Map(Object.entries(all)),
    where: 'oidc',
    env,
    exchange: async (request) => {
      sent.push(`${request.method} ${request.url.href}`);
      return request.method === 'GET'
        ? reply(200, { issuer: all['idp-issuer-url'], token_endpoint: endpoint })
        : answer(request);
    },
  });
  return { env, sent, ask: async () => (await source.current(never)).authorization };
}

const ODD = ['/../x', '/%2e%2e/x', '\\x', '\n', '\t', '\u200b', '\u0000', 'ä', '#x', ' '];

test.each(ODD)('S128: an issuer and a token endpoint with %j are refused: another address would be used than is written', async (odd) => {
  for (const issuer of [`${ISSUER}${odd}`, `https://a${odd}.example.com`, odd + ISSUER]) {
    const { ask, sent } = rig({ 'idp-issuer-url': issuer }, `${ISSUER}/token`, () => GOOD);
    expect(await failure(ask)).toMatchObject({ code: 'CREDENTIALS' });
    expect(sent).toEqual([]);
  }
  const { ask, sent } = rig({}, `${ISSUER}/token${odd}`, () => GOOD);
  expect(await failure(ask)).toMatchObject({ code: 'CREDENTIALS', message: expect.stringContaining('token_endpoint') });
  expect(sent).toHaveLength(1);
}); // prettier-ignore

test('S128: https without slashes and an issuer with a query are refused; a port, a path and a query of the endpoint are not', async () => {
  for (const issuer of ['https:idp.example.com', 'https:/idp.example.com', `${ISSUER}?x=1`, `${ISSUER}/realm?x=1`])
    expect(
      await failure(rig({ 'idp-issuer-url': issuer }, `${ISSUER}/token`, () => GOOD).ask),
      issuer,
    ).toMatchObject({ code: 'CREDENTIALS' });
  const { ask } = rig({ 'idp-issuer-url': `${ISSUER}:443/a/b/` }, 'https://tokens.example.com:8443/t?tenant=x', () => GOOD);
  expect(await ask()).toBe('Bearer opaque-id-token');
}); // prettier-ignore

test('S128: half a character in the client id or secret, and an exchange without a body, are errors of the credentials', async () => {
  for (const config of [{ 'client-id': '\ud800', 'client-secret': 'x' }, { 'client-secret': 'x\udfff' }])
    expect(await failure(rig(config, `${ISSUER}/token`, () => GOOD).ask)).toMatchObject({ code: 'CREDENTIALS' });
  const { ask } = rig({}, `${ISSUER}/token`, () => ({ status: 200 }) as never);
  expect(await failure(ask)).toMatchObject({ code: 'CREDENTIALS' });
});

test('S128: a provider that refuses gets one request a second, however many callers there are, and no token is shown', async () => {
  const { ask, sent, env } = rig({}, `${ISSUER}/token`, () => reply(400, { error: 'invalid_grant', error_description: REFRESH }));
  for (let at = 0; at < 30; at += 1) {
    const errors = await Promise.all([failure(ask), failure(ask), failure(ask)]);
    expect(everyPrint(errors)).not.toContain('CANARY');
    expect(errors[0]).toMatchObject({ code: 'CREDENTIALS', message: expect.stringContaining('invalid_grant') });
    await env.clock.advance(100);
  }
  expect(sent.filter((each) => each.startsWith('POST'))).toHaveLength(3);
}); // prettier-ignore

test('S128: after a refusal the token endpoint is discovered again: it may have moved', async () => {
  const env = fakeEnv();
  let discoveries = 0;
  const source = oidcSource({
    config: new Map([['idp-issuer-url', ISSUER], ['refresh-token', REFRESH]]),
    where: 'oidc',
    env,
    exchange: async ({ method, url }) =>
      method === 'GET'
        ? reply(200, { issuer: ISSUER, token_endpoint: `${ISSUER}/token${(discoveries += 1)}` })
        : url.pathname === '/token1' ? reply(404, '') : GOOD,
  });
  expect((await failure(() => source.current(never))).message).toContain('status 404');
  await env.clock.advance(1_000);
  expect((await source.current(never)).authorization).toBe('Bearer opaque-id-token');
}); // prettier-ignore

test('S128: a provider that switches protocols or cuts its response off fails at once', async () => {
  const authority = new TestAuthority();
  const answers = [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n{}',
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id_token":"',
  ];
  for (const answer of answers) {
    const server = createServer({ ...authority.server() }, (socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const request = { method: 'GET' as const, url, headers: {}, ca: authority.ca, signal: never };
    // Without a timeout: the exchange itself must settle.
    expect(await failure(() => nodeOidcExchange()(request))).toBeInstanceOf(Error);
    server.close();
  }
});

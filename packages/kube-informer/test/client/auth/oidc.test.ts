import { createServer } from 'node:https';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveConnection } from '../../../src/client/connect/resolve-connection.ts';
import { nodeOidcExchange } from '../../../src/client/auth/node/oidc-exchange.ts';
import { type ExchangeRequest, oidcSource, type OidcTokens } from '../../../src/client/auth/oidc.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { everyPrint, failure, kubeconfig, latch, never } from '../rig/auth-rig.ts';
import { TestAuthority } from '../rig/certificates.ts';

const env0 = fakeEnv();
/** An ID token that expires `seconds` after the fake clock's start. */
const idToken = (seconds: number, mark = 'x'): string =>
  ['{"alg":"none"}', JSON.stringify({ exp: env0.wallNow() / 1000 + seconds, mark }), 'sig']
    .map((part) => btoa(part).replaceAll('=', ''))
    .join('.');

type Answer = { status: number; body: string };
const ok = (body: object): Answer => ({ status: 200, body: JSON.stringify(body) });

function rig(
  config: Record<string, string>,
  answers: (request: ExchangeRequest, n: number) => Answer | Promise<Answer> = () => ok({}),
) {
  const env = fakeEnv();
  const requests: ExchangeRequest[] = [];
  const renewed: OidcTokens[] = [];
  let refreshes = 0;
  const source = oidcSource({
    config: new Map(
      Object.entries({ 'idp-issuer-url': 'https://idp.example.com/realm/', 'client-id': 'kubernetes', ...config }),
    ),
    where: 'auth-provider',
    env,
    onRenewed: (tokens) => void renewed.push(tokens),
    exchange: async (request) => {
      requests.push(request);
      if (request.url.pathname.endsWith('openid-configuration'))
        return ok({ issuer: 'https://idp.example.com/realm', token_endpoint: 'https://idp.example.com/token' });
      return answers(request, (refreshes += 1));
    },
  });
  return {
    env,
    clock: env.clock,
    source,
    requests,
    renewed,
    ask: async () => (await source.current(new AbortController().signal)).authorization,
  };
}

test('D8: a valid ID token is sent without a request to the provider', async () => {
  const { ask, requests, clock } = rig({ 'id-token': idToken(3600) });
  expect(await ask()).toBe(`Bearer ${idToken(3600)}`);
  await clock.advance(3_589_000);
  await ask();
  expect(requests).toEqual([]);
});

test('D8: ten seconds before it expires it is renewed at the token endpoint, once for all', async () => {
  const { ask, requests, clock } = rig({ 'id-token': idToken(60), 'refresh-token': 'r1' }, (_, n) =>
    ok({ id_token: idToken(60 + 3600 * n) }),
  );
  await ask();
  await clock.advance(50_000);
  expect(new Set(await Promise.all([ask(), ask(), ask()]))).toEqual(new Set([`Bearer ${idToken(3660)}`]));
  expect(requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
    'GET https://idp.example.com/realm/.well-known/openid-configuration',
    'POST https://idp.example.com/token',
  ]);
  expect(requests[1]?.body).toBe('grant_type=refresh_token&refresh_token=r1&client_id=kubernetes');
});

test('D8: a refresh token stays in use until the provider replaces it; the user receives the new pair', async () => {
  const answers = [
    { id_token: idToken(100, 'a') },
    { id_token: idToken(200, 'b'), refresh_token: 'r2' },
    { id_token: idToken(300, 'c') },
  ];
  const { ask, requests, renewed, clock } = rig({ 'refresh-token': 'r1' }, (_, n) => ok(answers[n - 1] ?? {}));
  for (let i = 0; i < 3; i += 1) {
    await ask();
    await clock.advance(100_000);
  }
  const posts = requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => new URLSearchParams(body).get('refresh_token'));
  expect(posts).toEqual(['r1', 'r1', 'r2']);
  expect(renewed.map(({ refreshToken }) => refreshToken)).toEqual(['r1', 'r2', 'r2']);
  expect(requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
  expect(everyPrint(renewed)).not.toContain('r2');
});

test('F40: a 401 renews a token that looks good', async () => {
  const { ask, source } = rig({ 'id-token': idToken(3600), 'refresh-token': 'r1' }, () =>
    ok({ id_token: idToken(7200) }),
  );
  const old = await source.current(never);
  expect([source.rejected(old), source.rejected(old)]).toEqual([true, true]);
  expect(await ask()).toBe(`Bearer ${idToken(7200)}`);
});

test('F68: a refresh token that is good for one use is not lost when the caller gives up in the middle', async () => {
  let good = 'r1';
  const answered = latch();
  const { ask, source, renewed } = rig({ 'refresh-token': good }, async ({ body, signal }, n) => {
    const given = new URLSearchParams(body).get('refresh_token');
    if (given !== good) return { status: 400, body: '{"error":"invalid_grant"}' };
    good = `r${n + 1}`;
    await Promise.race([answered.promise, new Promise((_, reject) => signal.addEventListener('abort', reject))]);
    return ok({ id_token: idToken(3600), refresh_token: good });
  });
  const stop = new AbortController();
  const waiting = failure(() => source.current(stop.signal));
  await settle();
  stop.abort();
  expect(await waiting).toMatchObject({ code: 'ABORTED' });
  answered.resolve();
  await settle();
  expect(renewed.map(({ refreshToken }) => refreshToken)).toEqual(['r2']);
  expect(await ask()).toBe(`Bearer ${idToken(3600)}`);
});

test('F68: requests to a provider that does not respond, and an exchange that ignores its signal, end after 30 seconds', async () => {
  const signals: AbortSignal[] = [];
  const { ask, clock } = rig({ 'refresh-token': 'r1' }, ({ signal }, n) => {
    signals.push(signal);
    return n === 1 ? new Promise(() => {}) : ok({ id_token: idToken(3600) });
  });
  const waiting = failure(ask);
  await settle();
  await clock.advance(29_999);
  expect(signals[0]?.aborted).toBe(false);
  await clock.advance(1);
  expect(signals[0]?.aborted).toBe(true);
  expect(await waiting).toMatchObject({ code: 'CREDENTIALS', cause: { message: 'no response within 30 s' } });
  await clock.advance(1_000);
  expect(await ask()).toBe(`Bearer ${idToken(3600)}`);
  expect(clock.sleeping).toBe(0);
});

describe('D8: the client proves itself', () => {
  const secretOf = async (methods?: string[]): Promise<[string | undefined, string | null]> => {
    const env = fakeEnv();
    let seen: ExchangeRequest | undefined;
    const source = oidcSource({
      config: new Map(
        Object.entries({
          'idp-issuer-url': 'https://idp',
          'client-id': 'id',
          'client-secret': 's e',
          'refresh-token': 'r',
        }),
      ),
      where: 'x',
      env,
      exchange: async (request) => {
        if (request.method === 'POST') seen = request;
        return ok({
          issuer: 'https://idp',
          token_endpoint: 'https://idp/t',
          token_endpoint_auth_methods_supported: methods,
          id_token: idToken(100),
        });
      },
    });
    await source.current(never);
    return [seen?.headers['authorization'], new URLSearchParams(seen?.body).get('client_secret')];
  };
  test('in a header unless the provider takes only forms', async () => {
    expect(await secretOf()).toEqual([`Basic ${btoa('id:s%20e')}`, null]);
    expect(await secretOf(['client_secret_post', 'client_secret_basic'])).toEqual([`Basic ${btoa('id:s%20e')}`, null]);
    expect(await secretOf(['client_secret_post'])).toEqual([undefined, 's e']);
  });
});

describe('S24: what goes wrong is reported without secrets', () => {
  const config = {
    'id-token': idToken(-1, 'CANARY'),
    'refresh-token': 'CANARY-refresh',
    'client-secret': 'CANARY-secret',
  };
  test.each<[string, Answer | Error, RegExp]>([
    [
      'refused',
      { status: 400, body: '{"error":"invalid_grant","error_description":"token CANARY-refresh expired"}' },
      /status 400, invalid_grant$/,
    ],
    ['an error page', { status: 502, body: '<html>CANARY-secret</html>' }, /status 502$/],
    ['a redirect', { status: 302, body: '' }, /status 302$/],
    ['no JSON', { status: 200, body: 'CANARY' }, /not a JSON object/],
    ['no id_token', ok({ access_token: 'CANARY' }), /has no id_token/],
    ['an id_token with a line break', ok({ id_token: 'CANARY\r\nX: y' }), /expected a token/],
    [
      'no connection',
      Object.assign(new Error('connect failed, sent refresh_token=CANARY-refresh'), { code: 'ECONNREFUSED' }),
      /request to .* failed/,
    ],
    ['too much', { status: 200, body: `{"id_token":"CANARY${'x'.repeat(2 << 20)}"}` }, /not a JSON object/],
  ])('%s', async (_, answer, expected) => {
    const { ask } = rig(config, () => (answer instanceof Error ? Promise.reject(answer) : answer));
    const error = await failure(ask);
    expect(error).toMatchObject({ code: 'CREDENTIALS' });
    expect(error.message).toMatch(expected);
    expect(everyPrint(error)).not.toContain('CANARY');
  });

  test('expired with no refresh token, or unreadable: log in again', async () => {
    for (const token of [idToken(5, 'CANARY'), 'CANARY', 'a.CANARY.b', '']) {
      const error = await failure(rig({ 'id-token': token }).ask);
      expect(error.message).toContain('log in again');
      expect(everyPrint(error)).not.toContain('CANARY');
    }
  });

  test('the issuer and the token endpoint must be https', async () => {
    for (const issuer of ['http://idp.example.com', 'https://me:CANARY@idp', 'CANARY', ''])
      expect((await failure(rig({ 'refresh-token': 'r', 'idp-issuer-url': issuer }).ask)).message).toMatch(
        /^auth-provider: idp-issuer-url: expected a URL that starts with https:\/\/, of visible ASCII[\w ,]+$/,
      );
    const source = oidcSource({
      config: new Map([
        ['idp-issuer-url', 'https://idp'],
        ['refresh-token', 'CANARY'],
      ]),
      where: 'x',
      exchange: async ({ method }) => (
        expect(method).toBe('GET'),
        ok({ issuer: 'https://idp', token_endpoint: 'http://evil' })
      ),
    });
    expect((await failure(() => source.current(never))).message).toContain(
      'token_endpoint of the provider: expected a URL that starts with https://',
    );
  });

  test('S88: a discovery document about another issuer, or about none, gets no refresh token', async () => {
    for (const document of [{}, { issuer: 'https://evil' }, { issuer: 'https://idp/realm' }, { issuer: 5 }, { issuer: 'https://IDP' }]) {
      const sent: string[] = [];
      const source = oidcSource({
        config: new Map([['idp-issuer-url', 'https://idp'], ['refresh-token', 'CANARY-refresh']]),
        where: 'x',
        exchange: async ({ method, body }) => {
          sent.push(`${method} ${body}`);
          return ok({ token_endpoint: 'https://idp/t', id_token: idToken(100), ...document });
        },
      });
      const error = await failure(() => source.current(never));
      expect(error).toMatchObject({ code: 'CREDENTIALS' });
      expect(error.message).toContain('another issuer');
      expect(sent).toEqual(['GET undefined']);
    } // prettier-ignore
  });

  test('a failing onRenewed does not cost the tokens', async () => {
    const env = fakeEnv();
    const source = oidcSource({
      config: new Map([
        ['idp-issuer-url', 'https://idp'],
        ['refresh-token', 'r'],
      ]),
      where: 'x',
      env,
      onRenewed: (tokens) => {
        throw new Error(`disk full, lost ${tokens.refreshToken}`);
      },
      exchange: async () =>
        ok({
          issuer: 'https://idp',
          token_endpoint: 'https://idp/t',
          id_token: idToken(100),
          refresh_token: 'CANARY-next',
        }),
    });
    expect((await source.current(never)).authorization).toBe(`Bearer ${idToken(100)}`);
    expect(env.lines).toMatchObject([{ level: 'error' }]);
    expect(everyPrint(env.lines)).not.toContain('CANARY');
  });
});

test('D8: discovery that failed is tried again', async () => {
  let n = 0;
  const env = fakeEnv();
  const source = oidcSource({
    config: new Map([
      ['idp-issuer-url', 'https://idp'],
      ['refresh-token', 'r'],
    ]),
    where: 'x',
    env,
    exchange: async () =>
      (n += 1) === 1
        ? { status: 503, body: '' }
        : ok({ issuer: 'https://idp', token_endpoint: 'https://idp/t', id_token: idToken(100) }),
  });
  expect((await failure(() => source.current(never))).message).toContain('status 503');
  await env.clock.advance(1_000);
  expect((await source.current(never)).authorization).toContain('Bearer');
});

test('S6, S21: Node asks the provider over TLS it verifies, follows no redirect, and bounds the answer', async () => {
  const authority = new TestAuthority();
  const server = createServer({ ...authority.server() }, (request, response) => {
    if (request.url === '/redirect') return void response.writeHead(302, { location: '/ok' }).end();
    if (request.url === '/large') return void response.end('x'.repeat(2 << 20));
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () =>
        response.end(`${request.method} ${Buffer.concat(chunks).toString()} ${String(request.headers['x-test'])}`),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const exchange = nodeOidcExchange();
    const ask = (path: string, more: Partial<ExchangeRequest> = {}) =>
      exchange({
        method: 'POST',
        url: new URL(path, base),
        headers: { 'x-test': 'y' },
        body: 'form',
        ca: authority.ca,
        signal: never,
        ...more,
      });
    expect(await ask('/ok')).toEqual({ status: 200, body: 'POST form y' });
    expect(await ask('/redirect')).toMatchObject({ status: 302 });
    expect((await failure(() => ask('/large'))).message).toContain('larger than 1 MiB');
    const { ca: _, ...untrusted } = { method: 'GET' as const, url: new URL(base), headers: {}, signal: never, ca: '' };
    expect(await failure(() => exchange(untrusted))).toHaveProperty(
      'code',
      expect.stringMatching(/CERT|SELF_SIGNED|UNABLE/),
    );
    expect(await failure(() => ask('/ok', { signal: AbortSignal.abort() }))).toHaveProperty('name', 'AbortError');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("S6, D8: the provider is asked through the environment's proxy, with TLS from end to end", async () => {
  const authority = new TestAuthority();
  const seen: string[] = [];
  const provider = createServer({ ...authority.server(['idp.invalid']) }, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const origin = `https://${request.headers.host}`;
    response.end(JSON.stringify({ issuer: origin, token_endpoint: `${origin}/token`, id_token: idToken(100) }));
  });
  const proxy = createHttp();
  const asked: (string | undefined)[] = [];
  proxy.on('connect', ({ url, headers }, near: Socket) => {
    asked.push(`${url} ${headers['proxy-authorization']}`);
    const far = connect((provider.address() as AddressInfo).port, '127.0.0.1', () =>
      near.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    );
    for (const socket of [near, far]) socket.on('error', () => void [near, far].map((each) => each.destroy()));
    near.pipe(far).pipe(near);
  });
  for (const server of [provider, proxy]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  const config = {
    'idp-issuer-url': 'https://idp.invalid:8443',
    'idp-certificate-authority-data': btoa(authority.ca),
    'client-id': 'x',
    'refresh-token': 'r',
  };
  const ask = async (environment: Record<string, string>, more: object = {}, changed: object = {}) => {
    const user = { 'auth-provider': { name: 'oidc', config: { ...config, ...changed } } };
    const { credentials } = await resolveConnection({ kubeconfig: kubeconfig({ user }), environment, ...more });
    return (await credentials.current(never)).authorization;
  };
  const HTTPS_PROXY = `http://me:50%off@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  expect(await ask({ HTTPS_PROXY })).toBe(`Bearer ${idToken(100)}`);
  expect(seen).toEqual(['GET /.well-known/openid-configuration', 'POST /token']);
  const line = `idp.invalid:8443 Basic ${btoa('me:50%off')}`;
  expect(asked).toEqual([line, line]);

  // The name leads nowhere without the proxy.
  for (const options of [{ NO_PROXY: 'idp.invalid' }, {}])
    expect(
      await failure(() => ask({ HTTPS_PROXY, ...options }, 'NO_PROXY' in options ? {} : { proxy: false })),
    ).toMatchObject({ code: 'CREDENTIALS' });
  expect(asked).toHaveLength(2);
  // Nor does the proxy make a certificate of another server valid.
  expect(await failure(() => ask({ HTTPS_PROXY }, {}, { 'idp-issuer-url': 'https://other.invalid' }))).toMatchObject({
    cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
});

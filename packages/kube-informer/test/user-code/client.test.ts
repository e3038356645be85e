import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { oidcSource } from '../../src/client/auth/oidc.ts';
import { Client, type ClientConnectOptions } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/transport/fetch/fetch-transport.ts';
import type { CallOptions } from '../../src/client/request/request.ts';
import { errorMessageOf, KubeError } from '../../src/core/errors.ts';
import { type FakeEnv, fakeEnv } from '../../src/testing/fake-clock.ts';
import { fakeConnection, FakeTransport, type Said } from '../client/rig/client-rig.ts';
import { type Misbehaviour, MISBEHAVIOURS, type UserCodeNames, wouldEndTheProcess } from './misbehaviours.ts';

const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
afterAll(() => stderr.mockRestore());
beforeEach(() => void stderr.mockClear());

const warned: Said = { headers: { warning: '299 - "v1beta1 is deprecated"' }, body: {} };
const logged = (env: FakeEnv, text: string): number => env.lines.filter(({ message }) => message.includes(text)).length;
const client = (script: readonly (Said | Error)[], options: Partial<ClientConnectOptions>): Client =>
  new Client({ ...options, connection: fakeConnection(), transport: new FakeTransport(script) });

const oidc = (options: { readonly exchange?: Misbehaviour; readonly onRenewed?: Misbehaviour }, env: FakeEnv) =>
  oidcSource({
    config: new Map([['idp-issuer-url', 'https://idp.example.com'], ['client-id', 'k'], ['refresh-token', 'refresh']]), // prettier-ignore
    where: 'auth-provider',
    env,
    exchange: async ({ method }) => ({
      status: 200,
      body: JSON.stringify(method === 'GET' ? { issuer: 'https://idp.example.com', token_endpoint: 'https://idp.example.com/token' } : { id_token: 'new-token' }),
    }), // prettier-ignore
    ...options,
  });

/** Every option of `Client.connect` that carries code. */
const CASES = {
  /** A line that cannot be logged must not fail the request. */
  async env(bad) {
    const clock = fakeEnv();
    const failed = new KubeError('TRANSPORT', 'cut', {
      cause: Object.assign(new Error('cut'), { code: 'ECONNRESET' }),
    });
    const made = client([failed, failed, { body: { kind: 'Thing' } }], { env: { ...clock, log: bad } });
    const response = made.request({ path: '/healthz' });
    response.catch(() => {});
    await clock.clock.advance(60_000);
    expect(await response.then(() => 'answered', errorMessageOf)).toBe('answered');
    expect(stderr.mock.calls.join('\n')).toContain('the log of this Env fails');
  },
  async onWarning(bad) {
    const env = fakeEnv();
    await client([warned], { env, onWarning: bad }).request({ path: '/a' });
    await client([warned], { env, onWarning: { each: bad } }).request({ path: '/b' });
    await env.clock.advance(0);
    expect(logged(env, 'the warning handler failed')).toBe(2);
  },
  async oidcExchange(bad) {
    const current = oidc({ exchange: bad }, fakeEnv()).current(new AbortController().signal);
    await expect(current).rejects.toMatchObject({ code: 'CREDENTIALS', message: expect.stringContaining('failed') });
  },
  async onOidcRenewed(bad) {
    const env = fakeEnv();
    const { authorization } = await oidc({ onRenewed: bad }, env).current(new AbortController().signal);
    await env.clock.advance(0);
    expect([authorization, logged(env, 'the callback onOidcRenewed failed')]).toEqual(['Bearer new-token', 1]);
  },
  async fetch(bad) {
    const env = fakeEnv();
    const transport = createFetchTransport({ server: new URL('https://x'), env, fetch: Object.assign(bad.bind(undefined), { close: bad }) }); // prettier-ignore
    const { signal } = new AbortController();
    const sent = transport.send({ method: 'GET', path: '/', headers: {}, signal });
    await expect(sent).rejects.toMatchObject({ code: 'TRANSPORT', message: expect.stringMatching(/^GET \//) });
    await transport.close();
    await env.clock.advance(0);
    expect(logged(env, 'a callback failed')).toBe(1);
  },
} satisfies Record<UserCodeNames<ClientConnectOptions>, (bad: Misbehaviour) => Promise<void>>;

const each = Object.entries(CASES).flatMap(([name, play]) =>
  Object.entries(MISBEHAVIOURS).map(([does, bad]) => [name, does, play, bad] as const),
);
test.each(each)('U1: client: option %s that %s is reported', async (_, __, play, bad) => {
  const deaths = wouldEndTheProcess();
  await play(bad);
  expect(await deaths()).toBe(0);
});

const ofCall = { onWarning: true } satisfies Record<UserCodeNames<CallOptions>, true>;
test.each(Object.entries(MISBEHAVIOURS))(
  'U1: client: the warning handler of one call that %s is reported',
  async (_, bad) => {
    const deaths = wouldEndTheProcess();
    const env = fakeEnv();
    expect(Object.keys(ofCall)).toEqual(['onWarning']);
    await client([warned], { env }).request({ path: '/a', onWarning: bad });
    await env.clock.advance(0);
    expect(logged(env, 'the warning handler failed')).toBe(1);
    expect(await deaths()).toBe(0);
  },
);

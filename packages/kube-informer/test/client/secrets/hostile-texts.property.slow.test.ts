import process from 'node:process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeList } from '../../../src/client/codec/list-stream.ts';
import { decodeWatchStream } from '../../../src/client/codec/watch-stream.ts';
import { parseKubeconfig } from '../../../src/client/config/kubeconfig.ts';
import { resolveConnection } from '../../../src/client/connect/resolve-connection.ts';
import { errorFromResponse } from '../../../src/client/request/response.ts';
import { KnownSecrets } from '../../../src/core/known-secrets.ts';
import { isKubeError, KubeError } from '../../../src/core/errors.ts';
import * as predicates from '../../../src/core/status.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { everyPrint, kubeconfig } from '../rig/auth-rig.ts';
import { body, collect } from '../rig/bodies.ts';

/** Set FUZZ_SEED to read the inputs of an earlier run again. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const BUDGET = { numRuns: 150, seed: SEED };
beforeAll(() =>
  console.info(`fuzz: seed ${SEED}, ${BUDGET.numRuns} Statuses and kubeconfigs; again with FUZZ_SEED=${SEED}`),
);

const TOKEN = 'fuzzed-token-0123456789';
const CONTENT = 'fuzzed-content-of-a-secret';
const known = new KnownSecrets();
known.remember(TOKEN);
// Also keeps them in use: the redaction holds the secrets of a connection weakly.
afterAll(() => known.clear());

/** Text of a hostile server: long, with control characters, and with what it was sent. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(TOKEN, `x ${TOKEN} y`, btoa(TOKEN), encodeURIComponent(TOKEN), JSON.stringify({ a: TOKEN }), '\u009b2J\u202e', '', '__proto__'),
  fc.integer({ min: 1, max: 100_000 }).map((length) => 'y'.repeat(length)),
); // prettier-ignore
const anything = fc.oneof(
  text,
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constant({}),
  fc.array(text, { maxLength: 3 }),
);
const mostly = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: good }, { weight: 1, arbitrary: anything });
const causes = (message: fc.Arbitrary<unknown>) =>
  mostly(
    fc.array(mostly(fc.record({ message, field: anything, reason: anything }, { requiredKeys: [] })), {
      maxLength: 30,
    }),
  );
const statusWith = (reason: fc.Arbitrary<unknown>, message: fc.Arbitrary<unknown>) =>
  fc.record(
    {
      kind: fc.constant('Status'),
      apiVersion: fc.constantFrom('v1', 'meta.k8s.io/v1'),
      code: mostly(fc.integer({ min: 200, max: 599 })),
      status: anything,
      reason,
      message,
      details: mostly(fc.record({ name: anything, kind: anything, group: anything, retryAfterSeconds: anything, causes: causes(message) }, { requiredKeys: [] })),
      metadata: anything,
    },
    { requiredKeys: ['kind'] },
  ); // prettier-ignore

/** Everything the library makes of a Status: a failed response, an event of a watch, a list that is none. */
async function shownOf(status: object, code: number, isSecret: boolean): Promise<string> {
  const response = { status: code, headers: new Map<string, string>(), body: body([JSON.stringify(status)]) };
  const seen: unknown[] = [
    await errorFromResponse(response, { what: 'GET /x', isSecret }, { wallNow: 0, maxRetryAfterMs: 60_000 }),
    predicates.statusError(await decodeList(body([JSON.stringify(status)])), 'GET /x', { isSecret }),
  ];
  const line = `${JSON.stringify({ type: 'ERROR', object: status })}\n`;
  const { values } = await collect(decodeWatchStream(body([line]), { isSecret }));
  const [event] = values;
  seen.push(event, predicates.statusError(event?.object, 'the watch failed'));
  seen.push(new KubeError('SYNC_FAILED', 'wrapped', { cause: seen[1] }));
  for (const error of seen.filter(isKubeError))
    for (const ask of Object.values(predicates))
      if (typeof ask === 'function') (ask as (error: unknown) => unknown)(error);
  for (const error of seen.filter(isKubeError)) expect(error.message.length).toBeLessThan(20_000);
  return seen.map(everyPrint).join('\n');
}

test('S92: no Status of a hostile server shows a token, grows without bound or breaks a predicate', async () => {
  const status = statusWith(
    mostly(fc.constantFrom('NotFound', 'Forbidden', 'Expired', 'Invalid', 'Conflict')),
    anything,
  );
  await fc.assert(
    fc.asyncProperty(status, fc.constantFrom(400, 401, 403, 410, 422, 429, 500, 503), async (given, code) => {
      const shown = await shownOf(given, code, false);
      expect(shown).not.toContain(TOKEN);
      expect(shown).not.toContain(btoa(TOKEN));
      // Exactly those must not be there.
      expect(shown).not.toMatch(/[\u0080-\u009f\u202a-\u202e]/);
      expect(shown.length).toBeLessThan(4_000_000);
    }),
    BUDGET,
  );
}, 120_000);

test('S92: no Status about a Secret shows its content', async () => {
  const quote = fc
    .tuple(text, fc.constantFrom('', 'denied the request: ', "ValidatingAdmissionPolicy 'p' denied request: "))
    .map(([a, b]) => `${b}${CONTENT} ${a}`);
  const status = statusWith(
    fc.constantFrom('Invalid', 'BadRequest', 'InternalError', 'Forbidden', 'Unauthorized', 'Strange', undefined),
    quote,
  );
  await fc.assert(
    fc.asyncProperty(status, fc.constantFrom(400, 403, 422, 500), async (given, code) => {
      expect(await shownOf(given, code, true)).not.toContain(CONTENT);
    }),
    BUDGET,
  );
}, 120_000);

const junk = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    5,
    null,
    true,
    [],
    {},
    [1],
    ['x'],
    { name: 'x' },
    [{ name: 'x' }],
    '\u0000',
    'http://',
    '../x',
    '__proto__',
  ),
  fc.string({ maxLength: 5 }),
);
const SECRET = 'fuzzed-secret-of-a-kubeconfig';
const users: readonly object[] = [
  { token: SECRET },
  { username: 'me', password: SECRET },
  { 'client-certificate-data': btoa('x'), 'client-key-data': btoa(SECRET) },
  { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Never', args: ['--token', SECRET], env: [{ name: 'T', value: SECRET }] } },
  { 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'https://idp', 'client-id': 'x', 'client-secret': SECRET, 'refresh-token': SECRET, 'id-token': SECRET } } },
]; // prettier-ignore

/** Replaces or deletes the value at the end of a random path, but never the secret itself. */
function changed(value: unknown, path: readonly number[], by: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === SECRET ? value : by;
  const keys = Object.keys(value);
  const [at = 0, ...rest] = path;
  const key = keys[at % Math.max(1, keys.length)];
  if (key === undefined || path.length === 0) return JSON.stringify(value).includes(SECRET) ? value : by;
  const next = changed((value as Record<string, unknown>)[key], rest, by);
  if (Array.isArray(value)) return value.map((each: unknown, i) => (String(i) === key ? next : each));
  const entries = Object.entries(value).map(([k, v]) => [k, k === key ? next : v] as const);
  return Object.fromEntries(entries.filter(([, v]) => v !== undefined));
}

/** Half of the secret is too much. */
const PIECES = [SECRET.slice(0, 14), SECRET.slice(-14), btoa(SECRET).slice(0, 20), btoa(SECRET).slice(-20)];

/** A text that is broken where a secret is: `from` counts from the end of one. */
const damage = fc.record({
  from: fc.integer({ min: -40, max: 6 }),
  removed: fc.nat(3),
  put: fc.constantFrom('', '"', "'", ':', ': [', '\t', '\n', '\n - x', '#', '&a ', '*a', '!!x ', '%', '`', '{', '}', '\u0000', '|'),
}); // prettier-ignore

function damaged(json: string, from: number, removed: number, put: string): string {
  const end = Math.max(json.indexOf(SECRET) + SECRET.length, json.indexOf(btoa(SECRET)) + btoa(SECRET).length);
  const at = Math.max(0, end + from);
  return json.slice(0, at) + put + json.slice(at + removed);
}

test('S93: no broken kubeconfig shows its secrets, throws anything but a KubeError, or takes long', async () => {
  const change = fc.tuple(fc.array(fc.nat(8), { maxLength: 6 }), fc.oneof(junk, fc.constant(undefined)));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...users), fc.array(change, { maxLength: 4 }), fc.nat(), damage, async (user, changes, cut, { from, removed, put }) => {
      let config: unknown = kubeconfig({ user });
      for (const [path, by] of changes) config = changed(config, path, by) ?? {};
      const json = JSON.stringify(config, null, 1);
      const env = fakeEnv();
      const attempts: (() => Promise<unknown>)[] = [
        () => resolveConnection({ kubeconfig: config as object, environment: {} }, env),
        () => resolveConnection({ kubeconfig: json, environment: {}, untrusted: true }, env),
        () => parseKubeconfig(json.slice(0, cut % json.length)),
        () => parseKubeconfig(damaged(json, from, removed, put)),
        () => parseKubeconfig(damaged(json, from, json.length, '')),
      ];
      for (const attempt of attempts) {
        const seen: unknown = await Promise.resolve().then(attempt).catch((error: unknown) => error);
        if (seen instanceof Error) expect(isKubeError(seen), String(seen.stack)).toBe(true);
        for (const piece of PIECES) expect(everyPrint(seen)).not.toContain(piece);
      }
      for (const piece of PIECES) expect(everyPrint(env.lines)).not.toContain(piece);
    }),
    BUDGET,
  ); // prettier-ignore
}, 120_000);

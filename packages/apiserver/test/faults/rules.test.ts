import { fakeEnv, seededRandom } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type ApiServerOptions, type FaultRule, startApiServer } from '../../src/index.ts';
import { noFaults } from '../../src/faults/seams.ts';
import { ask } from '../http/client.ts';
import { CONFIG_MAPS, configMap, until, watch } from './client.ts';

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

const statuses = async (server: Awaited<ReturnType<typeof rig>>, count: number, path = CONFIG_MAPS) => {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) seen.push((await ask(server, 'GET', path)).status);
  return seen;
};

describe('which requests a rule strikes', () => {
  test('one by default, any number on request, and then it is forgotten', async () => {
    await using server = await rig();
    server.faults.add({ do: { status: 500 } });
    expect(await statuses(server, 2)).toEqual([500, 200]);
    const handle = server.faults.add({ times: 2, do: { status: 503 } });
    expect(await statuses(server, 3)).toEqual([503, 503, 200]);
    await handle.hit;
    await handle.done;
    expect(handle.count).toBe(2);
    expect(server.faults.rules).toEqual([]);
  });

  test.each<[string, FaultRule['match'], boolean]>([
    ['verb', { verb: 'list' }, true],
    ['another verb', { verb: ['get', 'watch'] }, false],
    ['resource', { resource: 'configmaps' }, true],
    ['another resource', { resource: 'pods' }, false],
    ['group', { group: '' }, true],
    ['another group', { group: 'apps' }, false],
    ['namespace', { namespace: 'default' }, true],
    ['another namespace', { namespace: 'kube-system' }, false],
    ['name', { name: 'x' }, false],
    ['user', { user: 'admin' }, true],
    ['another user', { user: 'jane' }, false],
    ['anything', { user: '*', namespace: '*' }, true],
    ['user agent', { userAgent: /^tester/ }, true],
    ['another user agent', { userAgent: /^informer/ }, false],
    ['path', { path: /configmaps$/ }, true],
    ['parameter', { query: { limit: '*' } }, true],
    ['another parameter', { query: { continue: '*' } }, false],
    ['header', { headers: { accept: /json/ } }, true],
    ['own code', { where: ({ query }) => query.get('limit') === '7' }, true],
    ['other own code', { where: () => false }, false],
  ])('by %s', async (_title, match = {}, isStruck) => {
    await using server = await rig();
    server.faults.add({ match, do: { status: 500 } });
    const headers = { 'user-agent': 'tester/1', accept: 'application/json' };
    const { status } = await ask(server, 'GET', `${CONFIG_MAPS}?limit=7`, { headers });
    expect(status).toBe(isStruck ? 500 : 200);
  });

  test('the n-th of those that match, and no other', async () => {
    await using server = await rig();
    server.faults.add({ match: { resource: 'configmaps', nth: 3 }, do: { status: 500 } });
    await ask(server, 'GET', '/api/v1/pods');
    expect(await statuses(server, 5)).toEqual([200, 200, 500, 200, 200]);
  });

  test('by chance, and the same seed gives the same run', async () => {
    const run = async () => {
      await using server = await rig({ env: fakeEnv({ random: seededRandom(7) }) });
      server.faults.add({ times: Infinity, probability: 0.5, do: { status: 500 } });
      return await statuses(server, 20);
    };
    const first = await run();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await run()).toEqual(first);
  });

  test('for a time', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    server.faults.add({ times: Infinity, forMs: 1000, do: { status: 500 } });
    expect(await statuses(server, 2)).toEqual([500, 500]);
    await env.clock.advance(1000);
    expect(await statuses(server, 1)).toEqual([200]);
  });

  test('also those who are not let in', async () => {
    await using server = await rig();
    server.faults.add({ do: { status: 502 } });
    expect((await ask(server, 'GET', CONFIG_MAPS, { token: 'wrong' })).status).toBe(502);
    expect((await ask(server, 'GET', CONFIG_MAPS, { token: 'wrong' })).status).toBe(401);
  });
});

describe('what becomes of rules', () => {
  test('while there are none, the server has no seams to ask', async () => {
    await using server = await rig();
    expect(server.faults.seams).toBe(noFaults);
    const handle = server.faults.add({ times: Infinity, do: { status: 500 } });
    expect(server.faults.seams).not.toBe(noFaults);
    handle.remove();
    expect(server.faults.seams).toBe(noFaults);
  });

  test('every strike is in the log of requests and in the log of faults', async () => {
    await using server = await rig();
    server.faults.add({ do: { delay: { ms: 1 } } });
    server.faults.add({ match: { resource: 'configmaps' }, at: 'head', do: { status: 503 } });
    await ask(server, 'GET', CONFIG_MAPS);
    await server.idle();
    expect(server.requests.at(-1)).toMatchObject({ status: 503, fault: 'delay {"ms":1}, status 503' });
    expect(server.faults.fired.map(({ fault, verb }) => [fault, verb])).toEqual([
      ['delay {"ms":1}', 'list'],
      ['status 503', 'list'],
    ]);
  });

  test('a sequence strikes in its order', async () => {
    await using server = await rig();
    const sequence = server.faults.sequence([
      { do: { status: 500 } },
      { times: 2, do: { status: { code: 429, retryAfterSeconds: 1 } } },
      { match: { verb: 'list' }, do: { status: { code: 502, form: 'html' } } },
    ]);
    expect(await statuses(server, 5)).toEqual([500, 429, 429, 502, 200]);
    await sequence.done;
    expect(sequence.count).toBe(4);
  });

  test('a sequence that is removed does not go on', async () => {
    await using server = await rig();
    const sequence = server.faults.sequence([{ do: { status: 500 } }, { do: { status: 503 } }]);
    sequence.remove();
    expect(await statuses(server, 2)).toEqual([200, 200]);
  });

  test('clear forgets all of them, and lets go of what they hold back', async () => {
    await using server = await rig();
    const stream = await watch(server);
    server.faults.pauseEvents();
    server.faults.add({ times: Infinity, do: { status: 500 } });
    server.load([configMap('a')]);
    await server.idle();
    expect(stream.frames()).toEqual([]);
    server.faults.clear();
    await until(() => stream.frames().length === 1);
    expect(await statuses(server, 1)).toEqual([200]);
    stream.close();
  });

  test('your own code comes before them', async () => {
    await using server = await rig();
    server.faults.use({ beforeRouting: ({ query }) => Promise.resolve((query.set('limit', '1'), 'continue')) });
    server.faults.add({ match: { query: { limit: '1' } }, do: { status: 418 } });
    server.load([configMap('a'), configMap('b')]);
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(418);
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.items).toHaveLength(1);
  });
});

test.each<[unknown, string]>([
  [{ do: { explode: true } }, 'expected do to be one of'],
  [{}, 'do is missing'],
  [{ do: { cut: 'gently' } }, 'expected cut to be one of rst, fin, goaway, rst-stream'],
  [{ do: { cut: 'rst' }, when: 3 }, 'there is no when'],
  [{ do: { cut: 'rst' }, match: { verbs: 'get' } }, 'there is no match.verbs'],
  [{ do: { status: 500 }, at: { event: 3 } }, 'status cannot be at'],
  [{ do: { reorder: true } }, 'say illegal: true'],
  [{ do: { drop: 'events' } }, 'say illegal: true'],
  [{ do: { bookmarksBehind: 5 } }, 'say illegal: true'],
  [{ do: { inject: {} } }, 'say illegal: true'],
  [{ do: { status: 500 }, times: 0 }, 'expected times to be above 0'],
  [{ do: { status: 500 }, probability: 2 }, 'expected probability to be 0 to 1'],
])('a rule that cannot be is refused: %j', async (rule, message) => {
  await using server = await rig();
  expect(() => server.faults.add(rule as FaultRule)).toThrow(message);
  expect(server.faults.rules).toEqual([]);
});

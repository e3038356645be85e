import { fakeEnv, seededRandom } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { noFaults } from '../../src/http/seams.ts';
import { type ApiServerOptions, type FaultRule, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { aWhile, CONFIG_MAPS, configMap, open, until, watch } from '../rig/stream-client.ts';

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

const statuses = async (server: Awaited<ReturnType<typeof rig>>, count: number, path = CONFIG_MAPS) => {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) seen.push((await ask(server, 'GET', path)).status);
  return seen;
};

describe('which requests a rule applies to', () => {
  test('one by default, `times` if it is set, and then it is removed', async () => {
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

  test('only the n-th matching request', async () => {
    await using server = await rig();
    server.faults.add({ match: { resource: 'configmaps', nth: 3 }, do: { status: 500 } });
    await ask(server, 'GET', '/api/v1/pods');
    expect(await statuses(server, 5)).toEqual([200, 200, 500, 200, 200]);
  });

  test('with a probability; the same seed gives the same run', async () => {
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

  test('also requests that are not authenticated', async () => {
    await using server = await rig();
    server.faults.add({ do: { status: 502 } });
    expect((await ask(server, 'GET', CONFIG_MAPS, { token: 'wrong' })).status).toBe(502);
    expect((await ask(server, 'GET', CONFIG_MAPS, { token: 'wrong' })).status).toBe(401);
  });
});

describe('how long rules apply', () => {
  test('without rules the server has no fault seams', async () => {
    await using server = await rig();
    expect(server.faults.seams).toBe(noFaults);
    const handle = server.faults.add({ times: Infinity, do: { status: 500 } });
    expect(server.faults.seams).not.toBe(noFaults);
    handle.remove();
    expect(server.faults.seams).toBe(noFaults);
  });

  test('every applied fault is in the log of requests and in the log of faults', async () => {
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

  test('a sequence applies its rules in order', async () => {
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

  test('a removed sequence adds no further rule', async () => {
    await using server = await rig();
    const sequence = server.faults.sequence([{ do: { status: 500 } }, { do: { status: 503 } }]);
    sequence.remove();
    expect(await statuses(server, 2)).toEqual([200, 200]);
  });

  test('clear removes all rules and releases what they hold back', async () => {
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

  test('custom seams run before the rules', async () => {
    await using server = await rig();
    server.faults.use({ beforeRouting: ({ query }) => Promise.resolve((query.set('limit', '1'), 'continue')) });
    server.faults.add({ match: { query: { limit: '1' } }, do: { status: 418 } });
    server.load([configMap('a'), configMap('b')]);
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(418);
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.items).toHaveLength(1);
  });
});

test.each<[unknown, string]>([
  [null, 'expected an object, got null'],
  [{ do: { explode: true } }, 'do: expected one of cut, end'],
  [{}, 'do is missing'],
  [{ do: 'cut' }, 'do: expected an object, got "cut"'],
  [{ do: { cut: 'rst', status: 500 } }, 'do: expected one action, got cut and status'],
  [{ do: { cut: 'rst', codes: 1 } }, 'there is no do.codes: expected one of cut, code'],
  [{ do: { cut: 'gently' } }, 'do.cut: expected one of rst, fin, goaway, rst-stream, got "gently"'],
  [{ do: { cut: 'rst' }, when: 3 }, 'there is no when'],
  [{ do: { cut: 'rst' }, match: { verbs: 'get' } }, 'there is no match.verbs'],
  [{ do: { status: 500 }, match: { verb: 'lst' } }, 'match.verb: expected one of get, list'],
  [{ do: { status: 500 }, match: { verb: [] } }, 'match.verb: expected'],
  [{ do: { status: 500 }, match: { resource: 5 } }, 'match.resource: expected a text, got 5'],
  [{ do: { status: 500 }, match: { nth: 0 } }, 'match.nth: expected a whole number from 1 on, got 0'],
  [{ do: { status: 500 }, match: { path: { regexp: '[' } } }, 'Invalid regular expression'],
  [
    { do: { status: 500 }, match: { headers: { Accept: '*' } } },
    'match.headers: expected names of headers in lower case',
  ],
  [{ do: { status: 500 }, match: { where: true } }, 'match.where: expected a function'],
  [{ do: { status: 500 }, match: { verb: 'create', name: 'x' } }, "use at: 'write'"],
  [{ do: { status: 500 }, match: { verb: 'get' }, at: 'write' }, 'match.verb: at write, expected one of create'],
  [{ do: { status: 500 }, match: { user: 'x' }, at: 'write' }, 'match.user: cannot be matched at'],
  [{ do: { status: 500 }, at: { event: 3 } }, 'status cannot be at'],
  [{ do: { cut: 'rst' }, at: { bogus: 1 } }, 'at: expected one of start, head'],
  [{ do: { cut: 'rst' }, at: null }, 'at: expected one of start, head'],
  [
    { do: { cut: 'rst' }, at: { event: -1 } },
    'at.event: expected a whole number from 0 on, or a range [from, to], got -1',
  ],
  [{ do: { cut: 'rst' }, at: { event: [3, 1] } }, 'at.event: expected'],
  [{ do: { cut: 'rst' }, at: { event: 1, ofset: 3 } }, 'there is no at.ofset'],
  [{ do: { cut: 'rst' }, at: { ms: 'x' } }, 'at.ms: expected'],
  [{ do: { cut: 'rst' }, match: { verb: 'list' }, at: { event: 1 } }, 'this applies to watches only'],
  [{ do: { hold: true }, match: { verb: 'list' } }, 'this applies to watches only'],
  [{ do: { status: 'x' } }, 'do.status: expected a status code from 200 to 599'],
  [{ do: { status: 99 } }, 'do.status: expected a status code'],
  [{ do: { status: 204 } }, 'do.status: expected a status code'],
  [{ do: { status: {} } }, 'do.status.code is missing'],
  [{ do: { status: { code: 503, retryAfterSeconds: 'soon' } } }, 'do.status.retryAfterSeconds: expected'],
  [{ do: { status: { code: 503, headers: { 'bad header': 'x' } } } }, 'do.status.headers: expected names of headers'],
  [{ do: { headers: { 'bad header': 'x' } } }, 'do.headers: expected names of headers, got "bad header"'],
  [{ do: { headers: { x: 'a\nb' } } }, 'do.headers.x: expected a value that a header can have'],
  [{ do: { headers: 5 } }, 'do.headers: expected an object, got 5'],
  [{ do: { query: 5 } }, 'do.query: expected an object, got 5'],
  [{ do: { body: 'x' } }, 'do.body: expected a function'],
  [{ do: { list: 'x' } }, 'do.list: expected one of duplicate-item'],
  [{ do: { error: 'Expired' } }, 'do.error: expected one of expired, gone'],
  [{ do: { garbage: 'rubbish' } }, 'do.garbage: expected one of truncated-json'],
  [{ do: { garbage: 'corrupt-gzip' }, match: { verb: 'watch' } }, 'garbage corrupt-gzip applies to complete responses'],
  [{ do: { body: () => ({}) }, match: { verb: 'watch' } }, 'body applies to complete responses'],
  [{ do: { delay: {} } }, 'do.delay.ms is missing'],
  [{ do: { delay: { ms: 'x' } } }, 'do.delay.ms: expected a number from 0 on, got "x"'],
  [{ do: { delay: { ms: NaN } } }, 'got NaN'],
  [{ do: { throttle: {} } }, 'do.throttle.bytesPerSecond is missing'],
  [{ do: { throttle: { bytesPerSecond: 0 } } }, 'do.throttle.bytesPerSecond: expected a number above 0'],
  [{ do: { split: 0 } }, 'do.split: expected a whole number from 1 on'],
  [{ do: { duplicate: 'x' } }, 'do.duplicate: expected a whole number'],
  [{ do: { duplicate: 1, as: 'DELETED' } }, 'do.as: expected one of ADDED, MODIFIED'],
  [{ do: { reorder: true } }, 'set illegal: true'],
  [{ do: { drop: 'events' } }, 'set illegal: true'],
  [{ do: { bookmarksBehind: 5 } }, 'set illegal: true'],
  [{ do: { inject: {} } }, 'set illegal: true'],
  [{ do: { status: 500 }, times: 0 }, 'times: expected a whole number above 0'],
  [{ do: { status: 500 }, times: 1.5 }, 'times: expected a whole number above 0'],
  [{ do: { status: 500 }, probability: 2 }, 'probability: expected a number from 0 to 1'],
  [{ do: { status: 500 }, forMs: -1 }, 'forMs: expected a number above 0'],
])('an invalid rule is refused: %j', async (rule, message) => {
  await using server = await rig();
  expect(() => server.faults.add(rule as FaultRule)).toThrow(message);
  expect(() => server.faults.sequence([{ do: { status: 500 } }, rule as FaultRule])).toThrow();
  expect(server.faults.rules).toEqual([]);
});

describe('a callback of a rule that throws', () => {
  test('in where: the rule is removed, and the request gets its response', async () => {
    const logged: string[] = [];
    const env = fakeEnv({ log: (_level, message) => void logged.push(message) });
    await using server = await rig({ env });
    const where = (): boolean => {
      throw new Error('mine');
    };
    server.faults.add({ match: { where }, do: { status: 500 }, times: Infinity });
    expect(await statuses(server, 2)).toEqual([200, 200]);
    expect(server.faults.rules).toEqual([]);
    expect(logged).toContain('a fault rule failed and is removed');
  });

  test('in body: the response is unchanged', async () => {
    await using server = await rig({ env: fakeEnv({ log: () => {} }) });
    const body = (): never => {
      throw new Error('mine');
    };
    server.faults.add({ match: { verb: 'list' }, do: { body }, times: Infinity });
    const answer = await ask(server, 'GET', CONFIG_MAPS);
    expect([answer.status, answer.body.kind]).toEqual([200, 'ConfigMapList']);
    expect(server.faults.rules).toEqual([]);
  });
});

test('a pattern with the flag g matches every time', async () => {
  await using server = await rig();
  server.faults.add({ match: { path: /configmaps/g }, do: { status: 500 }, times: Infinity });
  expect(await statuses(server, 4)).toEqual([500, 500, 500, 500]);
});

test('by name: creates when they are stored, and lists and watches of that name', async () => {
  await using server = await rig();
  const made = server.faults.add({ match: { verb: 'create', name: 'x' }, at: 'write', do: { status: 500 } });
  const create = (name: string) => ask(server, 'POST', CONFIG_MAPS, { body: configMap(name) });
  expect([(await create('a')).status, (await create('x')).status, (await create('x')).status]).toEqual([201, 500, 201]);
  expect(made.count).toBe(1);
  server.faults.add({ match: { verb: 'list', name: 'x' }, do: { status: 503 } });
  expect(await statuses(server, 1)).toEqual([200]);
  expect(await statuses(server, 1, `${CONFIG_MAPS}?fieldSelector=metadata.name%3Dx`)).toEqual([503]);
});

test('faults of whole responses do not apply to watches', async () => {
  await using server = await rig();
  const rule = server.faults.add({ do: { garbage: 'corrupt-gzip' }, times: Infinity });
  const stream = await watch(server);
  server.load([configMap('a')]);
  await until(() => stream.frames().length === 1);
  expect(rule.count).toBe(0);
  expect((await ask(server, 'GET', CONFIG_MAPS)).headers['content-encoding']).toBe('gzip');
  stream.close();
});

test('events can be paused for one resource after the other', async () => {
  await using server = await rig();
  const configMaps = await watch(server);
  const secrets = open(server, `/api/v1/secrets?watch=true&resourceVersion=${server.store.revision}`);
  await until(() => server.watchers().length === 2);
  server.faults.pauseEvents({ resource: 'configmaps' });
  server.faults.pauseEvents({ resource: 'secrets' });
  server.load([configMap('a'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }]);
  await aWhile();
  expect([configMaps.frames(), secrets.frames()]).toEqual([[], []]);
  server.faults.resumeEvents();
  await until(() => configMaps.frames().length === 1 && secrets.frames().length === 1);
  configMaps.close();
  secrets.close();
});

import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import type { GarbageName, StreamErrorName } from '../../src/faults/rules/rule.ts';
import {
  type ApiServer,
  type ApiServerOptions,
  type FaultAction,
  type FaultRule,
  startApiServer,
} from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { aWhile, CONFIG_MAPS, configMap, open, type Stream, until, watch, watchPath } from '../rig/stream-client.ts';

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

const received = (stream: Stream) => stream.frames().map(({ type, object }) => `${type} ${object.metadata.name}`);

const watches = (action: FaultAction, more: Partial<FaultRule> = {}): FaultRule => ({
  match: { verb: 'watch' },
  do: action,
  ...more,
});

const streamingList = `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;

const loadAll = (server: ApiServer, ...names: string[]) => void server.load(names.map((name) => configMap(name)));

describe('events', () => {
  test('arrive late and in order, however long each is delayed', async () => {
    let next = 0;
    const env = fakeEnv({ random: () => [0.9, 0.1, 0.5][next++ % 3] as number });
    await using server = await rig({ env });
    const stream = await watch(server);
    server.faults.add(watches({ delay: { ms: 100, jitterMs: 1000 } }));
    loadAll(server, 'a', 'b', 'c');
    await env.clock.advance(99);
    await aWhile();
    expect(stream.text()).toBe('');
    await env.clock.advance(2000);
    await until(() => stream.frames().length === 3);
    expect(received(stream)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    stream.close();
  });

  test('of one object arrive late, and later events wait for them', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    const stream = await watch(server);
    server.faults.add(watches({ delay: { ms: 1000 } }, { at: { object: 'default/b' } }));
    loadAll(server, 'a', 'b', 'c');
    await until(() => stream.frames().length === 1);
    await aWhile();
    expect(received(stream)).toEqual(['ADDED a']);
    await env.clock.advance(1000);
    await until(() => stream.frames().length === 3);
    stream.close();
  });

  test('are held until they are released; a watch that begins meanwhile waits too', async () => {
    await using server = await rig();
    const stream = await watch(server);
    server.faults.pauseEvents();
    loadAll(server, 'a', 'b');
    const late = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=0`);
    await until(() => late.status === 200);
    await aWhile();
    expect([stream.text(), late.text()]).toEqual(['', '']);
    server.faults.resumeEvents();
    await until(() => stream.frames().length === 2 && late.frames().length === 2);
    loadAll(server, 'c');
    await until(() => stream.frames().length === 3);
    stream.close();
    late.close();
  });

  test('arrive twice, with their own type or another', async () => {
    await using server = await rig();
    const stream = await watch(server);
    server.faults.add(watches({ duplicate: 2 }, { at: { event: 1 } }));
    server.faults.add(watches({ duplicate: 1, as: 'MODIFIED' }, { at: { event: 2 } }));
    server.faults.add(watches({ duplicate: 1, as: 'ADDED' }, { at: { event: 3 } }));
    loadAll(server, 'a', 'b');
    server.load([configMap('b', 'changed')]);
    loadAll(server, 'c');
    await until(() => stream.frames().length === 8);
    expect(received(stream)).toEqual([
      'ADDED a',
      'ADDED a',
      'ADDED a',
      'ADDED b',
      'MODIFIED b',
      'MODIFIED b',
      'ADDED b',
      'ADDED c',
    ]);
    const versions = stream.frames().map(({ object }) => object.metadata.resourceVersion);
    expect(new Set(versions.slice(0, 3)).size).toBe(1);
    stream.close();
  });

  test('are repeated after a reconnect', async () => {
    await using server = await rig();
    loadAll(server, 'a', 'b', 'c');
    server.faults.add(watches({ replay: 2 }));
    const stream = open(server, watchPath(server));
    await until(() => stream.frames().length === 2);
    expect(received(stream)).toEqual(['ADDED b', 'ADDED c']);
    stream.close();
  });

  test('a replay never starts before the available history', async () => {
    await using server = await rig();
    loadAll(server, 'a', 'b');
    server.history.compact();
    loadAll(server, 'c');
    server.faults.add(watches({ replay: 100 }));
    const stream = open(server, watchPath(server));
    await until(() => stream.frames().length === 1);
    expect(received(stream)).toEqual(['ADDED c']);
    stream.close();
  });

  test('are reordered, dropped or injected, if the rule says illegal', async () => {
    await using server = await rig();
    const stream = await watch(server);
    server.faults.add(watches({ reorder: true }, { at: { event: 1 }, illegal: true }));
    server.faults.add(watches({ drop: 'events' }, { at: { event: 3 }, illegal: true }));
    const made = { type: 'ADDED', object: { metadata: { name: 'made-up' } } };
    server.faults.add(watches({ inject: made }, { at: { event: 4 }, illegal: true }));
    loadAll(server, 'a', 'b', 'c', 'd');
    await until(() => stream.frames().length === 4);
    expect(received(stream)).toEqual(['ADDED b', 'ADDED a', 'ADDED d', 'ADDED made-up']);
    stream.close();
    await until(() => server.requests.at(-1)?.fault?.includes('ILLEGAL reorder'));
  });
});

describe('bookmarks', () => {
  const hour = { more: '&allowWatchBookmarks=true&timeoutSeconds=3600' };
  const elsewhere = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'kube-public' } };

  test('are not sent, except the one that ends the initial events', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    server.faults.withoutBookmarks();
    const stream = open(server, streamingList);
    await until(() => stream.frames().length === 1);
    server.load([elsewhere]);
    await env.clock.advance(300_000);
    await aWhile();
    expect(stream.frames().map(({ type }) => type)).toEqual(['BOOKMARK']);
    stream.close();
  });

  test('the one that ends the initial events is never sent, or late', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    loadAll(server, 'a');
    const without = server.faults.withoutEndBookmark();
    const never = open(server, streamingList);
    await until(() => never.frames().length === 1);
    without.remove();
    server.faults.add(watches({ delay: { ms: 5000 } }, { at: 'end-bookmark' }));
    const late = open(server, streamingList);
    await until(() => late.frames().length === 1);
    await aWhile();
    expect(late.frames()).toHaveLength(1);
    await env.clock.advance(5000);
    await until(() => late.frames().length === 2);
    expect(late.frames()[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(never.frames()).toHaveLength(1);
    never.close();
    late.close();
  });

  test('show an older version, if the rule says illegal', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    const stream = await watch(server, hour);
    server.faults.add(watches({ bookmarksBehind: 2 }, { illegal: true }));
    server.load([elsewhere]);
    await env.clock.advance(61_000);
    await until(() => stream.frames().length === 1);
    expect(stream.frames()[0]?.object.metadata.resourceVersion).toBe(String(server.store.revision - 2));
    stream.close();
  });

  test('are sent as often as the server option says', async () => {
    const env = fakeEnv();
    await using server = await rig({ env, bookmarks: { everyMs: 10, tickMs: 10 } });
    const stream = await watch(server, hour);
    server.load([elsewhere]);
    await env.clock.advance(100);
    await until(() => stream.frames().length >= 9);
    stream.close();
  });
});

describe('failures inside a stream', () => {
  test.each<[StreamErrorName, unknown]>([
    ['expired', { kind: 'Status', code: 410, reason: 'Expired' }],
    ['gone', { code: 410, reason: 'Gone' }],
    ['internal', { code: 500, reason: 'InternalError' }],
    ['too-large', { code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }],
    ['too-many-requests', { code: 429, details: { retryAfterSeconds: 1 } }],
    ['unknown-reason', { code: 418, reason: 'Teapot' }],
    ['no-code', { kind: 'Status', reason: 'Expired' }],
    ['not-a-status', { kind: 'Pod' }],
  ])('%s, and then the end', async (error, object) => {
    await using server = await rig();
    const stream = await watch(server);
    server.faults.add(watches({ error }, { at: { event: 1 } }));
    loadAll(server, 'a', 'b');
    await until(() => stream.outcome === 'end');
    expect(stream.frames()).toMatchObject([{ type: 'ADDED' }, { type: 'ERROR', object }]);
    if (error === 'no-code') expect(stream.frames()[1]?.object).not.toHaveProperty('code');
    await until(() => server.watchers().length === 0);
  });

  test('any object', async () => {
    await using server = await rig();
    server.faults.add(watches({ error: { a: 1 } }, { at: { event: 0 } }));
    const stream = open(server, watchPath(server));
    await until(() => stream.outcome === 'end');
    expect(stream.frames()).toEqual([{ type: 'ERROR', object: { a: 1 } }]);
  });
});

describe('garbage', () => {
  const inStream = async (garbage: GarbageName) => {
    const env = fakeEnv({ random: () => 0.999 });
    await using server = await rig({ env });
    const stream = await watch(server);
    server.faults.add(watches({ garbage }, { at: { event: 1 } }));
    loadAll(server, 'a');
    await until(() => server.faults.fired.length === 1);
    loadAll(server, 'b');
    const isOver = () => stream.outcome === 'end' || stream.text().includes('"name":"b"');
    await until(isOver);
    const [first = '', ...rest] = stream.text().split('\n');
    expect(JSON.parse(first).object.metadata.name).toBe('a');
    const result = { outcome: stream.outcome, text: rest.join('\n'), bytes: stream.bytes() };
    stream.close();
    return result;
  };

  test('half an event, and the end', async () => {
    const { outcome, text } = await inStream('truncated-json');
    expect(outcome).toBe('end');
    expect(text.startsWith('{"type":"ADDED"')).toBe(true);
    expect(() => JSON.parse(text)).toThrow();
  });

  test('a page of a load balancer, and the end', async () => {
    const { outcome, text } = await inStream('html');
    expect([outcome, text.startsWith('<html>')]).toEqual(['end', true]);
  });

  test.each<[GarbageName, string | RegExp]>([
    ['empty-lines', /^\n\r\n\n\{"type"/],
    ['null', /^null\n\{"type"/],
    ['empty-object', /^\{\}\n/],
    ['wrong-kind', '"kind":"Nonsense"'],
    ['no-metadata', '{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1"}}'],
    ['no-resource-version', '"resourceVersion":""'],
    ['bad-resource-version', '"resourceVersion":"x1"'],
    ['unknown-type', '{"type":"RENAMED"'],
    ['nan', 'NaN'],
    ['deep', '[[[[[['],
  ])('%s, and the stream continues', async (garbage, expected) => {
    const { outcome, text } = await inStream(garbage);
    expect(outcome).toBeUndefined();
    if (typeof expected === 'string') expect(text).toContain(expected);
    else expect(text).toMatch(expected);
  });

  test('invalid UTF-8, and byte order marks', async () => {
    expect((await inStream('random-bytes')).bytes.includes(Buffer.from([0xff, 0xff]))).toBe(true);
    expect((await inStream('bom')).bytes.includes(Buffer.from([0xef, 0xbb, 0xbf]))).toBe(true);
  });

  test('an event of ten megabytes', async () => {
    const { bytes } = await inStream('huge');
    expect(bytes.length).toBeGreaterThan(10 * 1024 * 1024);
  });
});

test('initial events, replayed ones and live ones pass the same rules', async () => {
  await using server = await rig();
  loadAll(server, 'a');
  server.faults.add(watches({ duplicate: 1 }, { times: Infinity }));
  const stream = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=0`);
  await until(() => stream.frames().length === 2);
  loadAll(server, 'b');
  await until(() => stream.frames().length === 4);
  const replayed = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${server.store.revision - 1}`);
  await until(() => replayed.frames().length === 2);
  stream.close();
  replayed.close();
});

test('a watch that was open before the rule misses no event and gets none twice', async () => {
  await using server = await rig();
  const stream = await watch(server);
  for (let i = 0; i < 30; i += 1) {
    loadAll(server, `n${i}`);
    // Between the write and its delivery.
    if (i % 10 === 5) server.faults.add(watches({ split: 2 }));
    if (i % 7 === 3) await ask(server, 'GET', '/version');
  }
  await until(() => stream.frames().length === 30);
  expect(received(stream)).toEqual(Array.from({ length: 30 }, (_, i) => `ADDED n${i}`));
  stream.close();
});

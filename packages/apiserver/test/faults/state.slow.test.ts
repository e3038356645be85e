import { fakeEnv, seededRandom } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { aWhile, CONFIG_MAPS, configMap, open, until, watch, watchPath } from '../rig/stream-client.ts';

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

const loadAll = (server: ApiServer, ...names: string[]) => void server.load(names.map((name) => configMap(name)));

const namesIn = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const WIDGET_PATH = '/apis/example.com/v1/widgets';

describe('restart', () => {
  test('keeps address, certificates, token and data, cuts watches and loses the history for watches', async () => {
    await using server = await startApiServer();
    const { url, ca, token } = server;
    loadAll(server, 'a', 'b');
    const first = await ask(server, 'GET', `${CONFIG_MAPS}?limit=1`);
    const stream = await watch(server);
    const old = server.store.revision - 1;
    await server.restart();
    await until(() => stream.outcome !== undefined);
    expect([server.url, server.ca, server.token]).toEqual([url, ca, token]);
    expect(namesIn((await ask(server, 'GET', CONFIG_MAPS)).body)).toEqual(['a', 'b']);
    const resumed = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${old}`);
    await until(() => resumed.outcome === 'end');
    expect(resumed.frames()).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    const fresh = await watch(server);
    loadAll(server, 'c');
    await until(() => fresh.frames().length === 1);
    // The storage is unchanged, so pages continue.
    const rest = await ask(server, 'GET', `${CONFIG_MAPS}?continue=${first.body.metadata.continue}`);
    expect(namesIn(rest.body)).toEqual(['b']);
    fresh.close();
  });

  test.each([
    ['HTTP/1.1', false],
    ['HTTP/2', true],
  ])(
    'under load over %s: acknowledged writes are kept, other requests fail by a cut connection',
    async (_title, http2) => {
      await using server = await startApiServer();
      for (let round = 0; round < 3; round += 1) {
        const before = server.requests.length;
        const writes = Array.from({ length: 60 }, (_, at) => {
          const name = `r${round}-${at}`;
          const body = JSON.stringify(configMap(name));
          return { name, stream: open(server, CONFIG_MAPS, { http2, method: 'POST', body }) };
        });
        await until(() => server.requests.length > before);
        await Promise.all([server.restart(), server.restart()]);
        await until(() => writes.every(({ stream }) => stream.outcome !== undefined));
        const stored = namesIn((await ask(server, 'GET', CONFIG_MAPS)).body);
        for (const { name, stream } of writes)
          if (stream.outcome === 'end') expect([name, stream.status, stored.includes(name)]).toEqual([name, 201, true]);
          else expect([0, 201]).toContain(stream.status);
        for (const { stream } of writes) stream.close();
      }
    },
  );

  test.each(['data', 'nothing'] as const)(
    'with %s: a request of the life before changes nothing in the one after',
    async (keep) => {
      await using server = await rig();
      let isHeld = false;
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => (letGo = resolve));
      loadAll(server, 'a');
      server.faults.use({
        beforeRouting: async ({ info }) => {
          isHeld = info.verb === 'delete';
          if (isHeld) await held;
          return 'continue';
        },
      });
      const request = open(server, `${CONFIG_MAPS}/a`, { method: 'DELETE' });
      await until(() => isHeld);
      await server.restart({ keep });
      await until(() => request.outcome !== undefined);
      loadAll(server, 'a');
      letGo();
      await aWhile();
      expect(namesIn((await ask(server, 'GET', CONFIG_MAPS)).body)).toEqual(['a']);
    },
  );

  test('takes `downMs`, and writes in that time are kept', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    const restarted = server.restart({ downMs: 5000 });
    await until(async () => {
      const probe = open(server, '/version');
      await until(() => probe.outcome !== undefined);
      return probe.outcome === 'ECONNREFUSED';
    });
    loadAll(server, 'a');
    await env.clock.advance(5000);
    await restarted;
    expect(namesIn((await ask(server, 'GET', CONFIG_MAPS)).body)).toEqual(['a']);
  });

  test('with keep: nothing is an empty cluster that counts revisions from the beginning', async () => {
    await using server = await rig();
    const before = server.revision.current;
    expect(
      (await ask(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: WIDGETS })).status,
    ).toBe(201);
    loadAll(server, 'a');
    server.revision.jump(1000);
    await server.restart({ keep: 'nothing' });
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.items).toEqual([]);
    expect((await ask(server, 'GET', WIDGET_PATH)).status).toBe(404);
    expect(namesIn((await ask(server, 'GET', '/api/v1/namespaces')).body)).toContain('default');
    expect(server.revision.current).toBe(before);
  });

  test('a server that is closed meanwhile stays closed', async () => {
    const env = fakeEnv();
    const server = await rig({ env });
    const restarted = server.restart({ downMs: 1000 });
    await aWhile();
    await server.close();
    await env.clock.advance(1000);
    await restarted;
    expect(() => server.url).toThrow('closed');
  });
});

describe('snapshots', () => {
  test('a restore with a rollback: old objects, old counter, and versions that are used again', async () => {
    await using server = await rig();
    loadAll(server, 'a', 'b');
    const snapshot = server.snapshot();
    const list = await ask(server, 'GET', CONFIG_MAPS);
    const stream = await watch(server);
    loadAll(server, 'c', 'd');
    server.restore(snapshot);
    await until(() => stream.outcome === 'end');
    expect((await ask(server, 'GET', CONFIG_MAPS)).body).toEqual(list.body);
    expect(server.revision.current).toBe(snapshot.revision);
    loadAll(server, 'e');
    const again = await ask(server, 'GET', `${CONFIG_MAPS}/e`);
    expect(again.body.metadata.resourceVersion).toBe(stream.frames()[0]?.object.metadata.resourceVersion);
  });

  test('a restore with a bump: old objects, and every client that resumes gets 410', async () => {
    await using server = await rig();
    loadAll(server, 'a');
    const snapshot = server.snapshot();
    loadAll(server, 'b');
    const before = server.revision.current;
    server.restore(snapshot, { revisions: 'bump' });
    expect(namesIn((await ask(server, 'GET', CONFIG_MAPS)).body)).toEqual(['a']);
    expect(server.revision.current).toBeGreaterThan(before + 1_000_000);
    const resumed = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${before}`);
    await until(() => resumed.outcome === 'end');
    expect(resumed.frames()).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });

  test('custom resources come and go with their definitions', async () => {
    await using server = await rig();
    const empty = server.snapshot();
    await ask(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: WIDGETS });
    await ask(server, 'POST', WIDGET_PATH.replace('widgets', 'namespaces/default/widgets'), {
      body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } },
    });
    const full = server.snapshot();
    server.restore(empty);
    expect((await ask(server, 'GET', WIDGET_PATH)).status).toBe(404);
    server.restore(full);
    expect(namesIn((await ask(server, 'GET', WIDGET_PATH)).body)).toEqual(['w']);
  });
});

describe('a replica that is behind', () => {
  const rigged = async (options: Parameters<ApiServer['addReplica']>[0]) => {
    const env = fakeEnv();
    const server = await rig({ env });
    loadAll(server, 'a');
    const replica = await server.addReplica(options);
    const read = async (query: string) => {
      const stream = open(server, `${CONFIG_MAPS}${query}`, { url: replica.url });
      await until(() => stream.outcome === 'end');
      return namesIn(JSON.parse(stream.text()));
    };
    return { env, server, replica, read };
  };

  test('serves reads of any version late and consistent reads at once, so reads can go back in time', async () => {
    const { env, server, replica, read } = await rigged({ lagMs: 2000 });
    await using _ = server;
    loadAll(server, 'b');
    expect(await read('?resourceVersion=0')).toEqual(['a']);
    expect(await read('')).toEqual(['a', 'b']);
    expect(replica.revision).toBe(server.revision.current - 1);
    await env.clock.advance(2000);
    expect(await read('?resourceVersion=0')).toEqual(['a', 'b']);
  });

  test('watches get events late, in order', async () => {
    const { env, server, replica } = await rigged({ lagMs: 2000 });
    await using _ = server;
    const stream = open(server, watchPath(server), { url: replica.url });
    await until(() => server.watchers().length === 1);
    loadAll(server, 'b');
    await env.clock.advance(1000);
    loadAll(server, 'c');
    await aWhile();
    expect(stream.text()).toBe('');
    await env.clock.advance(1000);
    await until(() => stream.frames().length === 1);
    await env.clock.advance(1000);
    await until(() => stream.frames().length === 2);
    expect(server.faults.cutWatches()).toBe(1);
    await until(() => stream.outcome !== undefined);
  });

  test('a version it has not seen is too large, after a wait', async () => {
    const { env, server, replica } = await rigged({ lagMs: 60_000 });
    await using _ = server;
    loadAll(server, 'b');
    const stream = open(server, `${CONFIG_MAPS}?resourceVersion=${server.revision.current}`, { url: replica.url });
    await until(() => env.clock.sleeping >= 2);
    await env.clock.advance(3000);
    await until(() => stream.outcome === 'end');
    expect([stream.status, JSON.parse(stream.text()).details.causes[0].reason]).toEqual([
      504,
      'ResourceVersionTooLarge',
    ]);
  });

  const STREAMED = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

  test('a streamed list waits for the storage, and says after 3 s that it is behind, with the head only then', async () => {
    const { env, server, replica } = await rigged({ lagMs: 60_000 });
    await using _ = server;
    loadAll(server, 'b');
    const stream = open(server, `${CONFIG_MAPS}?${STREAMED}&timeoutSeconds=1`, { url: replica.url });
    await until(() => env.clock.sleeping >= 2);
    await env.clock.advance(2_900);
    await aWhile();
    expect([stream.status, stream.outcome]).toEqual([0, undefined]);
    await env.clock.advance(100);
    await until(() => stream.outcome === 'end');
    expect([stream.status, stream.frames().map(({ type }) => type)]).toEqual([200, ['ERROR']]);
    expect(stream.frames()[0]?.object).toMatchObject({ code: 504, reason: 'Timeout' });
  });

  test('a streamed list that is late by less than that is the newest state', async () => {
    const { env, server, replica } = await rigged({ lagMs: 2_000 });
    await using _ = server;
    loadAll(server, 'b');
    const stream = open(server, `${CONFIG_MAPS}?${STREAMED}`, { url: replica.url });
    await until(() => env.clock.sleeping >= 2);
    await env.clock.advance(2_000);
    await until(() => stream.frames().length === 3);
    expect(stream.frames().map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(server.faults.cutWatches()).toBe(1);
    await until(() => stream.outcome !== undefined);
  });

  test('writes go to the storage at once', async () => {
    const { server, replica } = await rigged({ lagMs: 60_000 });
    await using _ = server;
    const path = `${CONFIG_MAPS}/a`;
    const stream = open(server, path, { url: replica.url, method: 'DELETE' });
    await until(() => stream.outcome === 'end');
    expect((await ask(server, 'GET', path)).status).toBe(404);
    replica.catchUp();
    expect(replica.revision).toBe(server.revision.current);
  });

  test('consistent reads wait, or are stale, as chosen; it may be behind by events instead of time', async () => {
    const { server, read } = await rigged({ lagEvents: 1, consistentReads: 'stale' });
    await using _ = server;
    loadAll(server, 'b', 'c');
    await aWhile();
    expect(await read('')).toEqual(['a', 'b']);
    const waiting = await rigged({ lagMs: 2000, consistentReads: 'wait' });
    await using __ = waiting.server;
    loadAll(waiting.server, 'b');
    const reading = waiting.read('');
    await aWhile();
    await waiting.env.clock.advance(2000);
    expect(await reading).toEqual(['a', 'b']);
  });

  test('follows definitions, a jump of the counter and a restore', async () => {
    const { server, replica, read } = await rigged({ lagMs: 0, consistentReads: 'wait' });
    await using _ = server;
    const snapshot = server.snapshot();
    await ask(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: WIDGETS });
    server.revision.jump(10);
    expect(await read('')).toEqual(['a']);
    const widgets = open(server, WIDGET_PATH, { url: replica.url });
    await until(() => widgets.outcome === 'end');
    expect(widgets.status).toBe(200);
    loadAll(server, 'b');
    server.restore(snapshot);
    expect(await read('?resourceVersion=0')).toEqual(['a']);
  });

  test('behind a load balancer, reads of one address come from both', async () => {
    const env = fakeEnv({ random: seededRandom(1) });
    await using server = await rig({ env });
    await server.addReplica({ lagMs: 60_000, spread: true });
    loadAll(server, 'a');
    const seen = new Set<number>();
    for (let i = 0; i < 8; i += 1)
      seen.add((await ask(server, 'GET', `${CONFIG_MAPS}?resourceVersion=0`)).body.items.length);
    expect(seen).toEqual(new Set([0, 1]));
  });
});

describe('time and numbers', () => {
  test('a wrong clock shows in objects and headers, and in nothing else', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    server.faults.clockSkew(3_600_000);
    const { body, headers } = await ask(server, 'POST', CONFIG_MAPS, { body: configMap('a') });
    expect(body.metadata.creationTimestamp).toBe('2023-11-14T23:13:20Z');
    expect(headers['date']).toBe('Tue, 14 Nov 2023 23:13:20 GMT');
    server.faults.clockSkew(0);
    expect((await ask(server, 'POST', CONFIG_MAPS, { body: configMap('b') })).body.metadata.creationTimestamp).toBe(
      '2023-11-14T22:13:20Z',
    );
  });

  test('the counter jumps when others are busy', async () => {
    await using server = await rig();
    const before = server.revision.current;
    server.revision.jump(1000);
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.metadata.resourceVersion).toBe(String(before + 1000));
    const stream = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${before}`);
    await until(() => stream.status === 200);
    loadAll(server, 'a');
    await until(() => stream.frames().length === 1);
    stream.close();
  });

  test('a namespace without a controller stays Terminating, and an object with its finalizer', async () => {
    await using server = await rig();
    await ask(server, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } });
    await ask(server, 'DELETE', '/api/v1/namespaces/n');
    expect((await ask(server, 'GET', '/api/v1/namespaces/n')).body.status.phase).toBe('Terminating');
    server.load([
      { ...configMap('f'), metadata: { name: 'f', namespace: 'default', finalizers: ['example.com/stuck'] } },
    ]);
    await ask(server, 'DELETE', `${CONFIG_MAPS}/f`);
    expect((await ask(server, 'GET', `${CONFIG_MAPS}/f`)).body.metadata).toHaveProperty('deletionTimestamp');
  });
});

describe('what informer tests rely on', () => {
  test('F91: a delete between the list and the watch is delivered on the watch', async () => {
    await using server = await rig();
    loadAll(server, 'a', 'b');
    const { body } = await ask(server, 'GET', CONFIG_MAPS);
    await ask(server, 'DELETE', `${CONFIG_MAPS}/a`);
    const stream = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    await until(() => stream.frames().length === 1);
    expect(stream.frames()).toMatchObject([{ type: 'DELETED', object: { metadata: { name: 'a' } } }]);
    stream.close();
  });

  test('F91: a delete and a new object of the same name without an open watch are two events, with different UIDs', async () => {
    await using server = await rig();
    await ask(server, 'POST', CONFIG_MAPS, { body: configMap('a') });
    const stream = await watch(server);
    server.faults.cutWatches();
    const from = server.revision.current;
    await until(() => stream.outcome !== undefined);
    await ask(server, 'DELETE', `${CONFIG_MAPS}/a`);
    await ask(server, 'POST', CONFIG_MAPS, { body: configMap('a') });
    const resumed = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${from}`);
    await until(() => resumed.frames().length === 2);
    const [gone, back] = resumed.frames();
    expect([gone?.type, back?.type]).toEqual(['DELETED', 'ADDED']);
    expect(gone?.object.metadata.uid).not.toBe(back?.object.metadata.uid);
    resumed.close();
  });

  test('F92: sendInitialEvents gets the state and the bookmark that ends it', async () => {
    await using server = await rig();
    loadAll(server, 'a', 'b');
    const { body } = await ask(server, 'GET', CONFIG_MAPS);
    const stream = open(
      server,
      `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    await until(() => stream.frames().length === 3);
    expect(stream.frames().map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(stream.frames()[2]?.object.metadata).toMatchObject({
      resourceVersion: body.metadata.resourceVersion,
      annotations: { 'k8s.io/initial-events-end': 'true' },
    });
    stream.close();
  });

  test('F93: versions rise with every write, are shared by all resources, and a delete has its own', async () => {
    await using server = await rig();
    const stream = await watch(server);
    const versions: number[] = [];
    const write = async (method: string, path: string, body?: unknown) => {
      await ask(server, method, path, body === undefined ? {} : { body });
      versions.push(server.revision.current);
    };
    const start = server.revision.current;
    await write('POST', CONFIG_MAPS, configMap('a'));
    await write('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    await write('PUT', `${CONFIG_MAPS}/a`, configMap('a', '2'));
    await write('DELETE', `${CONFIG_MAPS}/a`);
    expect(versions).toEqual([1, 2, 3, 4].map((n) => start + n));
    await until(() => stream.frames().length === 3);
    const received = stream.frames().map(({ type, object }) => [type, Number(object.metadata.resourceVersion) - start]);
    expect(received).toEqual([
      ['ADDED', 1],
      ['MODIFIED', 3],
      ['DELETED', 4],
    ]);
    stream.close();
  });

  test('F94: the window, 410, compaction, too large versions, bookmarks and Retry-After can all be controlled', async () => {
    const env = fakeEnv();
    await using server = await rig({ env, history: { events: 3 } });
    loadAll(server, 'a', 'b', 'c', 'd', 'e');
    const resume = async (from: number) => {
      const stream = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${from}`);
      await until(() => stream.frames().length > 0);
      stream.close();
      return stream.frames()[0]?.object.code ?? 'goes on';
    };
    const newest = server.revision.current;
    // The window is limited by count, then by compaction.
    expect([await resume(newest - 4), await resume(newest - 2)]).toEqual([410, 'goes on']);
    server.faults.expireHistory(newest - 1);
    expect([await resume(newest - 2), await resume(newest - 1)]).toEqual([410, 'goes on']);
    await until(() => server.watchers().length === 0);
    const asleep = env.clock.sleeping;
    const large = open(server, `${CONFIG_MAPS}?resourceVersion=${newest + 5}`);
    await until(() => env.clock.sleeping > asleep);
    await env.clock.advance(3000);
    await until(() => large.outcome === 'end');
    expect([large.status, large.headers['retry-after']]).toEqual([504, '1']);
    server.faults.tooManyRequests({ retryAfterSeconds: 3 });
    expect((await ask(server, 'GET', CONFIG_MAPS)).headers['retry-after']).toBe('3');
    const stream = await watch(server, { more: '&allowWatchBookmarks=true&timeoutSeconds=600' });
    server.revision.jump(1);
    await env.clock.advance(61_000);
    await until(() => stream.frames()[0]?.type === 'BOOKMARK');
    server.faults.withoutBookmarks();
    server.revision.jump(1);
    await env.clock.advance(120_000);
    await aWhile();
    expect(stream.frames()).toHaveLength(1);
    stream.close();
  });
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fakeEnv, type FakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { bundlePrograms } from '../../../../tools/build/bundle-programs.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';
import {
  CONFIG_MAPS,
  configMap,
  open,
  type OpenOptions,
  type Stream,
  until,
  watch,
  watchPath,
} from '../rig/stream-client.ts';

interface Rig {
  readonly server: ApiServer;
  readonly env: FakeEnv;
}

/** Starts a server on a clock that stands still: a timer that is left after the close would never fire. */
async function rig(options: ApiServerOptions = {}): Promise<Rig> {
  const env = fakeEnv();
  return { server: await startApiServer({ env, ...options }), env };
}

/** Closes the server and returns the number of timers that are left. */
async function sleepersAfterClose({ server, env }: Rig, streams: readonly Stream[]): Promise<number> {
  await server.close();
  await until(() => streams.every(({ outcome }) => outcome !== undefined));
  return env.clock.sleeping;
}

const TRANSPORTS: readonly OpenOptions[] = [{ http2: true }, { http2: false }];

describe.each(TRANSPORTS)('after close no timer is left, http2: $http2', (transport) => {
  test('of watches that are live, with and without bookmarks', async () => {
    const { server, env } = await rig();
    const streams = [
      await watch(server, transport),
      await watch(server, { ...transport, more: '&allowWatchBookmarks=true' }),
    ];
    await until(() => env.clock.sleeping === 3);
    expect(await sleepersAfterClose({ server, env }, streams)).toBe(0);
  });

  test('of a watch whose client disconnected while it waited for a future version', async () => {
    const { server, env } = await rig();
    const stream = open(
      server,
      `${CONFIG_MAPS}?watch=1&resourceVersion=1000&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      transport,
    );
    await until(() => env.clock.sleeping === 1);
    stream.close();
    await until(() => stream.outcome !== undefined);
    await until(() => env.clock.sleeping === 0);
    server.revision.jump(2000);
    expect(await sleepersAfterClose({ server, env }, [stream])).toBe(0);
  });

  test('of a watch that was admitted after its client had disconnected', async () => {
    const { server, env } = await rig();
    let letIn = (): void => {};
    const isLetIn = new Promise<void>((resolve) => (letIn = resolve));
    let isAsking = false;
    server.faults.use({
      beforeHead: async () => {
        isAsking = true;
        await isLetIn;
        return 'continue';
      },
    });
    const stream = open(server, watchPath(server, '&allowWatchBookmarks=true'), transport);
    await until(() => isAsking);
    stream.close();
    await until(() => stream.outcome !== undefined);
    await until(() => server.requests.length === 1);
    letIn();
    await server.idle();
    expect(server.watchers()).toEqual([]);
    expect(await sleepersAfterClose({ server, env }, [stream])).toBe(0);
  });

  test('of reads that wait for a future version', async () => {
    const { server, env } = await rig();
    const streams = [
      open(server, `${CONFIG_MAPS}?resourceVersion=1000`, transport),
      open(server, `${CONFIG_MAPS}/x?resourceVersion=1000`, transport),
    ];
    await until(() => env.clock.sleeping === 2);
    expect(await sleepersAfterClose({ server, env }, streams)).toBe(0);
  });

  test('of faults that delay, hold, throttle or wait', async () => {
    const { server, env } = await rig();
    const streams: Stream[] = [];
    for (const rule of [
      { do: { delay: { ms: 5000 } } },
      { do: { merge: { ms: 5000 } } },
      { do: { throttle: { bytesPerSecond: 1 } } },
      { at: { ms: 5000 }, do: { end: true } },
    ] as const) {
      server.faults.add({ match: { verb: 'watch', query: { labelSelector: `n=${streams.length}` } }, ...rule });
      streams.push(await watch(server, { ...transport, more: `&labelSelector=n%3D${streams.length}` }));
    }
    const before = env.clock.sleeping;
    server.load(
      streams.map((_, i) => ({
        ...configMap(`c${i}`),
        metadata: { name: `c${i}`, namespace: 'default', labels: { n: `${i}` } },
      })),
    );
    await until(() => env.clock.sleeping === before + 3);
    // Two delays, one after the other: the second must not begin when the client is gone.
    for (let i = 0; i < 2; i += 1)
      server.faults.add({ match: { verb: 'list' }, at: 'head', do: { delay: { ms: 5000 } }, forMs: 60_000 });
    streams.push(open(server, CONFIG_MAPS, transport));
    await until(() => env.clock.sleeping === before + 5);
    expect(await sleepersAfterClose({ server, env }, streams)).toBe(0);
  });

  test('of the watches of a replica', async () => {
    const { server, env } = await rig();
    const replica = await server.addReplica({ lagMs: 1000 });
    const stream = open(server, watchPath(server, '&allowWatchBookmarks=true'), { ...transport, url: replica.url });
    await server.waitFor({ watches: 1 });
    server.load([configMap('a')]);
    expect(await sleepersAfterClose({ server, env }, [stream])).toBe(0);
  });
});

test('closing ends a restart in progress, and the server does not listen afterwards', async () => {
  const { server, env } = await rig();
  const { url } = server;
  const restarted = server.restart({ downMs: 5000 });
  await until(() => env.clock.sleeping === 1);
  await server.close();
  await restarted;
  expect(env.clock.sleeping).toBe(0);
  const late = open(server, '/version', { url, token: 'x' });
  await until(() => late.outcome === 'ECONNREFUSED');
});

test('closing at the moment of listening again leaves no listener', async () => {
  const { server } = await rig({ tls: false });
  const { url } = server;
  const restarted = server.restart();
  await server.close();
  await restarted;
  const late = open(server, '/version', { url, token: 'x' });
  await until(() => late.outcome === 'ECONNREFUSED');
});

test('closing ends scenarios and sequences: no rule is added afterwards', async () => {
  const { server, env } = await rig();
  const sequence = server.faults.sequence([{ do: { status: 500 } }, { do: { status: 503 }, forMs: 1000 }]);
  server.faults.scenario('rolling-restart');
  server.faults.scenario('etcd-restore');
  await server.close();
  await sequence.done;
  expect(server.faults.rules).toEqual([]);
  expect(env.clock.sleeping).toBe(0);
});

test('closing rejects pending waitFor calls', async () => {
  const { server } = await rig();
  const waits = [server.waitFor({ watches: 1 }), server.waitFor(() => false)].map((wait) => wait.catch((e) => e));
  await server.close();
  for (const wait of waits) expect(await wait).toMatchObject({ code: 'ILLEGAL_STATE' });
  await expect(server.waitFor({ watches: 1 })).rejects.toMatchObject({ code: 'ILLEGAL_STATE' });
});

test('a process exits by itself after its server is closed', { timeout: 240_000 }, async () => {
  const entry = 'packages/apiserver/test/rig/programs/start-watch-close.ts';
  const program = (await bundlePrograms([entry])).path(entry);
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 200_000 });
  expect(JSON.parse(stdout)).toEqual([]);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { type Env, type KubeObject, SharedInformer, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import { FakeClock, HandlerRecorder, seededRandom } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type ApiServer, type ApiServerOptions, type FaultRule, startApiServer } from '../../src/index.ts';
import { configMap, until } from '../rig/stream-client.ts';

/** Milliseconds per step of a `Ticking` clock. */
const STEP_MS = 100;

/**
 * The clock of both sides. It advances one step per turn of the event loop, about eighty times as fast as real time,
 * because backoffs and the timeout of a silent server are long. A process that gets no CPU gets no steps either,
 * so on a busy machine a test is slower and no timeout is exceeded.
 */
class Ticking implements AsyncDisposable {
  readonly #clock = new FakeClock();
  readonly #stopped = new AbortController();
  readonly #running = this.#run();
  readonly env: Env = {
    now: () => this.#clock.now(),
    wallNow: () => this.#clock.wallNow(),
    sleep: (ms, signal) => this.#clock.sleep(ms, signal),
    yield: () => systemEnv.yield(),
    random: seededRandom(3),
    log: () => {},
  };

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await sleep(1);
      await this.#clock.advance(STEP_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}

/**
 * Versions are used again for other states: once the server has passed the informer's version, a watch from there
 * looks right and is not. Only a periodic comparison finds that.
 */
const audited = { audit: { everyMs: 10_000 } };

async function rig(options: ApiServerOptions = {}, more: Partial<typeof audited> = {}) {
  const ticking = new Ticking();
  const { env } = ticking;
  const server = await startApiServer({ env, bookmarks: { everyMs: 2500, tickMs: 500 }, ...options });
  const client = await Client.connect({ kubeconfig: server.kubeconfig(), proxy: false, env });
  const informer = new SharedInformer<KubeObject>(client.resource<KubeObject>('v1/configmaps').listWatch(), {
    env,
    watchList: options.watchList ?? true,
    ...more,
  });
  const recorder = new HandlerRecorder<KubeObject>();
  informer.on(recorder);
  const versions = (objects: Iterable<KubeObject>): string[] =>
    [...objects].map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion} ${metadata?.uid}`).toSorted();
  const stored = (): string[] => versions(server.local.list('', 'configmaps') as readonly KubeObject[]);
  const write = writer(server);
  return {
    server,
    informer,
    recorder,
    /** Makes this many writes, with time for other work between the writes. */
    busy: async (writes: number): Promise<void> => {
      for (let i = 0; i < writes; i += 1) {
        write();
        await env.sleep(4 * STEP_MS);
      }
    },
    /** The cache equals the server's state, and the handlers' events lead from nothing to that state. */
    agrees: async (): Promise<void> => {
      await until(() => isSame(versions(informer.list()), stored()), 100_000).catch(() => {});
      expect(versions(informer.list()), trace(server)).toEqual(stored());
      await until(() => isSame(versions(recorder.view.values()), stored()));
      expect(recorder.violations).toEqual([]);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await informer.stop();
      await client.close();
      await server.close();
      await ticking[Symbol.asyncDispose]();
    },
  };
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();

/** Details for the message of a failing test. */
const trace = ({ requests, faults, revision }: ApiServer): string =>
  [
    `revision ${revision.current}`,
    ...requests.slice(-40).map(({ verb, query, status, fault = '' }) => `${verb} ${query} ${status} ${fault}`),
    ...faults.fired.slice(-10).map(({ fault }) => fault),
  ].join('\n');

/** Creates, changes and deletes at random, the same for each run. */
function writer(server: ApiServer): () => void {
  const random = seededRandom(11);
  let count = 0;
  return () => {
    const name = `n${Math.floor(random() * 12)}`;
    const isThere = server.local.get('', 'configmaps', 'default', name) !== undefined;
    count += 1;
    if (isThere && random() < 0.4) server.local.remove('', 'configmaps', 'default', name);
    else server.load([configMap(name, `grün ${count}`)]);
  };
}

describe('an informer survives', () => {
  test.each([
    'expired-on-resume',
    'flaky-network',
    'rolling-restart',
    'etcd-restore',
    'old-server',
    'overload',
  ] as const)('the scenario %s: its cache equals the server, its handlers got a legal sequence', async (name) => {
    await using all = await rig({}, name === 'etcd-restore' ? audited : {});
    const { server, informer, busy, agrees } = all;
    await busy(12);
    if (name !== 'old-server' && name !== 'overload') {
      await informer.start().synced({ timeoutMs: 1_000_000 });
      await server.waitFor({ watches: 1 });
    }
    const scenario = server.faults.scenario(name, { seed: 5, afterMs: 7500 });
    informer.start();
    await busy(200);
    await informer.synced({ timeoutMs: 1_000_000 });
    if (name === 'flaky-network' || name === 'overload' || name === 'old-server') scenario.remove();
    await scenario.done;
    await busy(25);
    await agrees();
    const isStruck = server.faults.fired.length > 0;
    expect(isStruck).toBe(name !== 'rolling-restart' && name !== 'etcd-restore');
  });

  const on = { verb: 'watch', resource: 'configmaps' } as const;
  test.each<[string, FaultRule]>([
    [
      'a cut in the middle of a character',
      { match: on, at: { event: 3, offset: 'mid-utf8' }, do: { cut: 'rst' }, times: 5 },
    ],
    ['a cut after so many bytes', { match: on, at: { bytes: [1, 3000] }, do: { cut: 'fin' }, times: 10 }],
    ['a reset of its stream', { match: on, at: { event: 5 }, do: { cut: 'rst-stream' }, times: 3 }],
    ['a server that falls silent', { match: on, at: { event: 5 }, do: { silence: true } }],
    ['a server that goes deaf', { match: on, at: { event: 5 }, do: { silence: 'deaf' } }],
    ['events that come twice', { match: on, do: { duplicate: 2 }, times: Infinity }],
    ['events that come again', { match: on, do: { replay: 20 }, times: Infinity }],
    ['events that come late', { match: on, do: { delay: { ms: 250, jitterMs: 1000 } }, times: Infinity }],
    ['chunks of one byte', { match: on, do: { throttle: { bytesPerSecond: 20_000, chunk: 1 } }, times: 2 }],
    ['events in pieces', { match: on, do: { split: 3 }, times: Infinity }],
    ['410 inside the stream', { match: on, at: { event: 4 }, do: { error: 'expired' }, times: 3 }],
    ['500 inside the stream', { match: on, at: { event: 4 }, do: { error: 'internal' }, times: 3 }],
    ['an error that is no Status', { match: on, at: { event: 4 }, do: { error: 'not-a-status' }, times: 2 }],
    ['half an event', { match: on, at: { event: 4 }, do: { garbage: 'truncated-json' }, times: 3 }],
    ['an HTML page inside the stream', { match: on, at: { event: 4 }, do: { garbage: 'html' }, times: 2 }],
    ['null for an event', { match: on, at: { event: 4 }, do: { garbage: 'null' }, times: 2 }],
    ['watches that end at once', { match: on, at: { event: 0 }, do: { end: true }, times: 5 }],
    ['no bookmarks', { match: on, do: { drop: 'bookmarks' }, times: Infinity }],
    ['initial events that never end', { match: on, do: { drop: 'end-bookmark' }, times: 1 }],
    [
      'refused streaming lists',
      { match: { ...on, query: { sendInitialEvents: '*' } }, do: { status: 422 }, times: Infinity },
    ],
    ['429 without a word', { do: { status: 429 }, times: 4 }],
    ['a burst of 502 in HTML', { do: { status: { code: 502, form: 'html' } }, times: 4 }],
    ['401 for a moment', { do: { status: 401 }, times: 2 }],
    ['403 for a moment', { match: on, do: { status: 403 }, times: 2 }],
    ['404 for a moment: the resource is gone and back', { match: on, do: { status: 404 }, times: 2 }],
    ['answers that never come', { match: { resource: 'configmaps' }, do: { hang: 'headers' }, times: 1 }],
  ])('%s', async (_title, rule) => {
    await using all = await rig();
    const { server, informer, busy, agrees } = all;
    await busy(7);
    const isAboutTheBeginning = rule.match?.query !== undefined || 'drop' in rule.do;
    if (!isAboutTheBeginning) await informer.start().synced({ timeoutMs: 1_000_000 });
    const fault = server.faults.add(rule);
    await informer.start().synced({ timeoutMs: 1_000_000 });
    // Rules about new requests need new requests.
    if (rule.at === undefined) server.faults.cutWatches();
    await busy(125);
    // The fault may not have applied yet.
    for (let round = 0; fault.count === 0 && round < 100; round += 1) await busy(25);
    await agrees();
    expect(fault.count).toBeGreaterThan(0);
    server.faults.clear();
    await busy(12);
    await agrees();
  });

  test.each(['duplicate-item', 'missing-item'] as const)(
    'a list with a %s, once the next one is right',
    async (fault) => {
      await using all = await rig({ watchList: false });
      const { server, informer, busy, agrees } = all;
      await busy(25);
      server.faults.add({ match: { verb: 'list' }, do: { list: fault } });
      await informer.start().synced({ timeoutMs: 1_000_000 });
      await server.waitFor({ watches: 1 }); // or there is nothing to cut
      server.faults.scenario('expired-on-resume');
      await busy(25);
      await agrees();
    },
  );

  test.each(['truncated-json', 'html', 'null', 'empty-object', 'long-content-length', 'corrupt-gzip'] as const)(
    'a first list that is %s',
    async (garbage) => {
      await using all = await rig({ watchList: false });
      const { server, informer, busy, agrees } = all;
      await busy(7);
      const rule = server.faults.add({ match: { verb: 'list' }, do: { garbage }, times: 2 });
      await informer.start().synced({ timeoutMs: 1_000_000 });
      await agrees();
      expect(rule.count).toBe(2);
    },
  );

  test('a restart that loses everything', async () => {
    await using all = await rig({}, audited);
    const { server, informer, busy, agrees } = all;
    await busy(12);
    await informer.start().synced({ timeoutMs: 1_000_000 });
    await server.restart({ keep: 'nothing', downMs: 2500 });
    await busy(50);
    await agrees();
  });

  test('a restore, with a bump and with a rollback', async () => {
    await using all = await rig({}, audited);
    const { server, informer, busy, agrees } = all;
    await busy(12);
    await informer.start().synced({ timeoutMs: 1_000_000 });
    const snapshot = server.snapshot();
    await busy(25);
    server.restore(snapshot, { revisions: 'bump' });
    await agrees();
    await busy(25);
    server.restore(snapshot, { revisions: 'rollback' });
    await agrees();
  });

  test('an object that was deleted and created again, and deletes without an event', async () => {
    await using all = await rig();
    const { server, informer, recorder, agrees } = all;
    const create = () => server.local.create('', 'configmaps', configMap('phoenix'));
    create();
    server.load([configMap('gone')]);
    await informer.start().synced({ timeoutMs: 1_000_000 });
    const open = await server.faults.refuseConnections();
    server.faults.cutWatches();
    server.local.remove('', 'configmaps', 'default', 'phoenix');
    server.local.remove('', 'configmaps', 'default', 'gone');
    create();
    server.faults.expireHistory();
    open.remove();
    await agrees();
    expect(recorder.lines.some((line) => line.includes('delete default/gone'))).toBe(true);
  });

  test('events that are held back, and a history that expires meanwhile', async () => {
    await using all = await rig();
    const { server, informer, busy, agrees } = all;
    await informer.start().synced({ timeoutMs: 1_000_000 });
    server.faults.pauseEvents();
    await busy(12);
    server.faults.expireHistory();
    expect(informer.list()).toEqual([]);
    server.faults.resumeEvents();
    await agrees();
  });

  test('a load balancer over a server and one that is behind', async () => {
    await using all = await rig();
    const { server, informer, busy, agrees } = all;
    await server.addReplica({ lagMs: 1500, spread: true });
    await busy(12);
    await informer.start().synced({ timeoutMs: 1_000_000 });
    for (let i = 0; i < 5; i += 1) {
      await busy(10);
      server.faults.cutWatches();
    }
    await agrees();
  });
});

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  Cluster,
  type ClusterInformerOptions,
  KubeError,
  type KubeObject,
  SharedInformer,
  systemEnv,
} from 'kube-informer';
import type { ListWatch } from 'kube-informer/informer';
import { counted } from '../harness/asked.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { Cutter } from '../harness/cutter.ts';
import { asked } from '../harness/kinds.ts';
import { Observed } from '../harness/observed.ts';
import { until } from '../harness/until.ts';
import { plainSource } from './source.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: tests against a real kube-apiserver: ${missing}\n`);
const cannotRestore = await whatIsMissing('etcdutl');
if (cannotRestore !== undefined) console.warn(`\nSKIPPED: a storage restored from a backup: ${cannotRestore}\n`);

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SYNCED = { timeoutMs: 60_000 };
const env = { ...systemEnv, log: () => {} };
const log = (line: string): void => console.log(line);

describe.skipIf(missing !== undefined)('the engine on a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  function rig({ path = CONFIG_MAPS, server = plane, source = plainSource(server, path), watchList = true } = {}) {
    const { wholes, calls, source: received } = counted(source);
    let resets = 0;
    const informer = new SharedInformer<KubeObject>(received, {
      env,
      watchList,
      onEpochReset: () => void (resets += 1),
    });
    onTestFinished(() => informer.stop());
    const observed = new Observed(server, informer, { paths: [path] });
    informer.start();
    const { view, events } = observed.first;
    /** Polls, for as long as a busy machine may take. */
    const arrives = (name: string): Promise<void> => until(`${name} arrives`, () => view.has(`default/${name}`));
    const goes = (name: string): Promise<void> => until(`${name} goes`, () => !view.has(`default/${name}`));
    const isStale = (): Promise<void> => until('the cache is stale', () => informer.state.kind === 'stale');
    return { informer, observed, events, arrives, goes, isStale, calls, wholes, resets: () => resets };
  }

  /** A source whose connections can be cut. */
  async function cuttable(server: ControlPlane): Promise<{ cutter: Cutter; source: ListWatch<KubeObject> }> {
    const cutter = await Cutter.before(Number(new URL(server.url).port));
    onTestFinished(() => cutter[Symbol.asyncDispose]());
    return { cutter, source: plainSource(server, CONFIG_MAPS, `https://127.0.0.1:${cutter.port}`) };
  }

  const configMap = (name: string, value: string): object => ({ metadata: { name }, data: { value } });
  const create = (name: string, server = plane): Promise<string> =>
    asked(server, 'POST', CONFIG_MAPS, configMap(name, '1'));
  const replace = (name: string, value: string): Promise<string> =>
    asked(plane, 'PUT', `${CONFIG_MAPS}/${name}`, configMap(name, value));
  const remove = (name: string, server = plane): Promise<string> => asked(server, 'DELETE', `${CONFIG_MAPS}/${name}`);

  test('WLS-07: one streaming list syncs, follows every change, and agrees with the server', async () => {
    await create('one');
    const { informer, observed, arrives, goes, calls, wholes } = rig();
    await informer.synced(SYNCED);
    expect(informer.get('default/one')).toBeDefined();
    expect(new Set(calls.map(({ sendInitialEvents }) => sendInitialEvents))).toEqual(new Set([true]));
    await create('two');
    await replace('two', '2');
    await remove('one');
    await arrives('two');
    await goes('one');
    await observed.agrees();
    expect(wholes()).toBe(1);
  });

  test('G18: a connection that was cut is resumed without a list', async () => {
    const { cutter, source } = await cuttable(plane);
    const { informer, observed, arrives, wholes } = rig({ source });
    await informer.synced(SYNCED);
    for (const round of [1, 2, 3]) {
      await cutter.cutAll();
      await create(`after-cut-${round}`);
      await arrives(`after-cut-${round}`);
    }
    await observed.agrees();
    expect(wholes()).toBe(1);
  });

  test('G4, G16: a killed and restarted kube-apiserver costs one list at most', async () => {
    const { informer, observed, arrives, isStale, wholes } = rig();
    await informer.synced(SYNCED);
    await plane.killApiserver();
    await isStale();
    await plane.startApiserver();
    await create('after-the-restart');
    await arrives('after-the-restart');
    await observed.agrees();
    // A restarted server has no history: the requested version may be older.
    expect(wholes()).toBeLessThanOrEqual(2);
  });

  test('WLS-09, G5: a compacted history leads to one relist with exact differences', async () => {
    // Without a watch cache the server has only the history of etcd.
    const server = await ControlPlane.start({ apiserverFlags: ['--watch-cache-sizes=configmaps#0'], log });
    onTestFinished(() => server[Symbol.asyncDispose]());
    for (const name of ['resumed', 'relisted', 'stays']) await create(name, server);
    let isAway = false;
    const { cutter, source } = await cuttable(server);
    const { informer, observed, events, goes, isStale, wholes } = rig({
      server,
      source: unless(() => isAway, source),
      watchList: false,
    });
    await informer.synced(SYNCED);
    const whileAway = async (work: () => Promise<unknown>): Promise<void> => {
      isAway = true;
      await cutter.cutAll();
      await isStale();
      await work();
      isAway = false;
    };

    await whileAway(() => remove('resumed', server));
    await goes('resumed');
    expect(wholes(), 'with its history').toBe(1);

    await whileAway(async () => {
      await remove('relisted', server);
      // The first requested version must be older than the oldest that etcd keeps.
      const { metadata } = JSON.parse(await create('later', server)) as { metadata: { resourceVersion: string } };
      await server.compactEtcd(metadata.resourceVersion);
    });
    await goes('relisted');
    await observed.agrees();
    expect(wholes(), 'without its history').toBe(2);
    const deletes = events.filter(({ type }) => type === 'delete').map(({ key }) => key);
    expect(deletes).toEqual(['default/resumed', 'default/relisted']);
  });

  test.skipIf(cannotRestore !== undefined)(
    'G3, F28: a storage restored from an older backup is noticed on a blind watch, and followed exactly',
    async () => {
      await create('before-backup');
      const snapshot = await plane.snapshotEtcd();
      // Far enough that the restored storage does not catch up by itself.
      for (let i = 0; i < 100; i += 1) await create(`lost-${i}`);
      const { informer, observed, goes, resets } = rig();
      await informer.synced(SYNCED);
      const before = BigInt(informer.lastSyncResourceVersion);
      await plane.killApiserver();
      await plane.killEtcd();
      await plane.restoreEtcd(snapshot);
      plane.startEtcd();
      await plane.startApiserver();
      await until('the epoch reset was announced', () => resets() === 1, { withinMs: 120_000 });
      await goes('lost-99');
      expect(BigInt(informer.lastSyncResourceVersion)).toBeLessThan(before);
      expect(informer.get('default/before-backup')).toBeDefined();
      await observed.agrees();
      expect([resets(), informer.health().epochs]).toEqual([1, 1]);
    },
  );

  test('G15: a resource that does not exist fails the wait with the reason', async () => {
    const { informer, events } = rig({ path: '/apis/example.com/v1/widgets' });
    // The response for an unknown API group is plain text, which the plain source cannot read; the reason is still reported.
    await expect(informer.synced({ timeoutMs: 3_000 })).rejects.toMatchObject({ code: 'SYNC_FAILED' });
    expect([informer.list(), events]).toEqual([[], []]);
  });

  test('the observer of these scenarios finds a lost object, a changed one, a missing event and a state that goes back', async () => {
    await create('observed');
    const { ca, token } = plane.credentials;
    const cluster = await Cluster.connect({ url: plane.url, ca, token, env, proxy: false });
    onTestFinished(() => cluster.close());
    const observe = async (options: ClusterInformerOptions<KubeObject, string>): Promise<Observed> => {
      const informer = cluster.informer<KubeObject>('v1/configmaps', { namespace: 'default', ...options });
      const observed = new Observed(plane, informer, { paths: [CONFIG_MAPS] });
      await informer.synced(SYNCED);
      return observed;
    };
    const whole = await observe({});
    await whole.agrees();
    const narrow = await observe({ fields: 'metadata.name!=observed' });
    await expect(narrow.agrees(2_000)).rejects.toThrow('default/observed is in the server only');
    const changing = await observe({ labels: '!absent', transform: (object) => ({ ...object, data: {} }) });
    await expect(changing.agrees(2_000)).rejects.toThrow(/default\/.* differs/);

    await replace('observed', '2');
    await whole.agrees();
    const { events, view } = whole.first;
    const [received] = events.filter(({ key }) => key === 'default/observed');
    if (received?.type === 'add')
      events.push({ ...received, type: 'update', old: received.object, replaced: false, resync: false });
    await expect(whole.agrees()).rejects.toThrow(/handler 0: default\/observed went back from \d+ to \d+/);
    events.pop();
    await whole.agrees();
    view.delete('default/observed');
    await expect(whole.agrees()).rejects.toThrow('default/observed is in the cache only');
  });
});

/** A source that cannot be reached at times. */
function unless(isAway: () => boolean, source: ListWatch<KubeObject>): ListWatch<KubeObject> {
  const there = <A>(answer: () => A): A => {
    if (isAway()) throw new KubeError('TRANSPORT', 'the server is away');
    return answer();
  };
  return {
    list: async (options, signal) => there(() => source.list(options, signal)),
    async *watch(options, signal) {
      yield* there(() => source.watch(options, signal));
    },
  };
}

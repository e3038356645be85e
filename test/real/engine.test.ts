import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Cluster, type ClusterInformerOptions, type KubeObject, SharedInformer, systemEnv } from 'kube-informer';
import { Recorder } from 'kube-informer/testing';
import { whatIsMissing } from './harness/binaries.ts';
import { ControlPlane } from './harness/control-plane.ts';
import { Cutter } from './harness/cutter.ts';
import { Observed } from './harness/observed.ts';
import { plainSource } from './source.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: tests against a real kube-apiserver: ${missing}\n`);

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, value: string): object => ({ metadata: { name }, data: { value } });

async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(25);
  }
}

describe.skipIf(missing !== undefined)('the engine on a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  function rig(path = CONFIG_MAPS, url = plane.url) {
    const source = plainSource(plane, path, url);
    const calls: string[] = [];
    const seen = {
      list: (...args: Parameters<typeof source.list>) => {
        calls.push(`list ${JSON.stringify(args[0])}`);
        return source.list(...args);
      },
      watch: (...args: Parameters<typeof source.watch>) => {
        calls.push(`watch ${JSON.stringify({ ...args[0], timeoutSeconds: undefined })}`);
        return source.watch(...args);
      },
    };
    const lines: string[] = [];
    const informer = new SharedInformer<KubeObject>(seen, {
      env: { ...systemEnv, log: (level, message) => void lines.push(`${level} ${message}`) },
    });
    const recorder = new Recorder();
    informer.on(recorder);
    informer.start();
    /** How often the whole collection was asked for; one item is the question whether the server is behind us. */
    const wholes = (): number =>
      calls.filter(
        (call) => call.includes('sendInitialEvents') || (call.startsWith('list') && !call.includes('"limit":1,')),
      ).length;
    return { informer, recorder, calls, lines, wholes };
  }
  const create = (name: string, value: string): Promise<{ status: number }> =>
    plane.ask('POST', CONFIG_MAPS, configMap(name, value));
  const replace = (name: string, value: string): Promise<{ status: number }> =>
    plane.ask('PUT', `${CONFIG_MAPS}/${name}`, configMap(name, value));
  const remove = (name: string): Promise<{ status: number }> => plane.ask('DELETE', `${CONFIG_MAPS}/${name}`);

  test('WLS-07: one streaming list syncs, follows every change, and agrees with the server', async () => {
    await create('one', '1');
    const { informer, recorder, calls } = rig();
    await informer.synced({ timeoutMs: 30_000 });
    expect(informer.get('default/one')).toBeDefined();
    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain('sendInitialEvents');
    await create('two', '1');
    await replace('two', '2');
    await remove('one');
    await until(
      'the delete arrived',
      () =>
        recorder.view.size === 1 + (recorder.view.has('default/kube-root-ca.crt') ? 1 : 0) &&
        !recorder.view.has('default/one'),
    );
    expect(recorder.violations).toEqual([]);
    expect((await informer.verify()).consistent).toBe(true);
    await informer.stop();
  });

  test('G18: a connection that was cut is resumed without a list', async () => {
    await using cutter = await Cutter.before(Number(new URL(plane.url).port));
    const { informer, recorder, wholes } = rig(CONFIG_MAPS, `https://127.0.0.1:${cutter.port}`);
    await informer.synced({ timeoutMs: 30_000 });
    for (const round of [1, 2, 3]) {
      await cutter.cutAll();
      await create(`after-cut-${round}`, '1');
      await until('the new object arrived', () => recorder.view.has(`default/after-cut-${round}`), 60_000);
    }
    expect(wholes()).toBe(1);
    expect(recorder.violations).toEqual([]);
    expect((await informer.verify()).consistent).toBe(true);
    await informer.stop();
  });

  test('G4, G16: a killed and restarted kube-apiserver costs one list at most', async () => {
    const { informer, recorder, wholes } = rig();
    await informer.synced({ timeoutMs: 30_000 });
    await plane.killApiserver();
    await until('the cache is known to be stale', () => informer.state.kind === 'stale');
    await plane.startApiserver();
    await create('after-the-restart', '1');
    await until('the new object arrived', () => recorder.view.has('default/after-the-restart'), 60_000);
    // A server that begins anew has no history: what it was asked for may lie before it.
    expect(wholes()).toBeLessThanOrEqual(2);
    expect(recorder.violations).toEqual([]);
    await until('the cache is in sync', () => informer.state.kind === 'synced');
    expect((await informer.verify()).consistent).toBe(true);
    await informer.stop();
  });

  test('WLS-09, G5: a compacted history leads to one relist with exact differences', async () => {
    await create('goes', '1');
    const { informer, recorder } = rig();
    await informer.synced({ timeoutMs: 30_000 });
    await plane.killApiserver();
    await until('the cache is known to be stale', () => informer.state.kind === 'stale');
    await plane.startApiserver();
    await remove('goes');
    const { text } = await plane.ask('GET', CONFIG_MAPS);
    const revision = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    await plane.etcdctl('compact', revision);
    await plane.killApiserver();
    await plane.startApiserver();
    await until('the delete was found', () => !recorder.view.has('default/goes'), 90_000);
    expect(recorder.violations).toEqual([]);
    await informer.stop();
  });

  test('G3, F28: a storage restored from an older backup is noticed on a blind watch, and followed exactly', async () => {
    await create('before-backup', '1');
    const snapshot = await plane.snapshotEtcd();
    // Far enough that the restored storage does not catch up by itself.
    for (let i = 0; i < 100; i += 1) await create(`lost-${i}`, '1');
    const { informer, recorder } = rig();
    await informer.synced({ timeoutMs: 30_000 });
    const before = BigInt(informer.lastSyncResourceVersion);
    await plane.killApiserver();
    await plane.killEtcd();
    await plane.restoreEtcd(snapshot);
    plane.startEtcd();
    await plane.startApiserver();
    await until('the epoch reset was noticed', () => informer.health().epochs === 1, 120_000);
    await until('what the backup did not have is gone', () => !recorder.view.has('default/lost-99'));
    expect(BigInt(informer.lastSyncResourceVersion)).toBeLessThan(before);
    expect(recorder.view.has('default/before-backup')).toBe(true);
    expect(recorder.violations).toEqual([]);
    await until('the cache is in sync', () => informer.state.kind === 'synced');
    expect((await informer.verify()).consistent).toBe(true);
    await informer.stop();
  });

  test('G15: a resource that does not exist fails the wait with the reason', async () => {
    const { informer } = rig('/apis/example.com/v1/widgets');
    // An unknown API group is answered in plain text, which the plain source cannot read; the reason is still named.
    await expect(informer.synced({ timeoutMs: 3_000 })).rejects.toMatchObject({ code: 'SYNC_FAILED' });
    await informer.stop();
  });

  test('the observer of these scenarios notices a lost object, a changed one, and a handler that was not told', async () => {
    await create('observed', '1');
    const { ca, token } = plane.credentials;
    const env = { ...systemEnv, log: () => {} };
    const cluster = await Cluster.connect({ url: plane.url, ca, token, env, proxy: false });
    onTestFinished(() => cluster.close());
    const observed = (options: ClusterInformerOptions<KubeObject, string>): Observed =>
      new Observed(plane, cluster.informer<KubeObject>('v1/configmaps', options), { paths: [CONFIG_MAPS] });
    const whole = observed({ namespace: 'default' });
    await whole.agrees();
    const narrow = observed({ namespace: 'default', fields: 'metadata.name!=observed' });
    await expect(narrow.agrees(2_000)).rejects.toThrow('default/observed is in the server only');
    const changing = observed({
      namespace: 'default',
      labels: '!absent',
      transform: (object) => ({ ...object, data: {} }),
    });
    await expect(changing.agrees(2_000)).rejects.toThrow(/default\/.* differs/);
    whole.recorders[0]?.view.delete('default/observed');
    await expect(whole.agrees(2_000)).rejects.toThrow();
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, type ClusterConnectOptions, type KubeObject, systemEnv } from 'kube-informer';
import { isForbidden, isNotFound } from 'kube-informer/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Asked, isWhole } from '../harness/asked.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { Cutter } from '../harness/cutter.ts';
import { asked, CONFIG_MAPS, CRDS, defineWidgets, Hands, type Kind, WIDGETS } from '../harness/kinds.ts';
import { Observed } from '../harness/observed.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the engine and changing access rights: ${missing}\n`);

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const MODES = [
  { mode: 'streaming lists', informers: {} },
  { mode: 'lists in pages', informers: { watchList: false, pageSize: 3 } },
] as const;

describe.skipIf(missing !== undefined)('the engine and changing access rights', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  /** A namespace with a few objects, and an informer whose connections can be cut. */
  async function rig(kind: Kind, connect: ClusterConnectOptions) {
    const namespace = `test-${Math.random().toString(36).slice(2, 8)}`;
    await asked(plane, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const hands = new Hands(plane, kind, namespace);
    for (let at = 0; at < 4; at += 1) await hands.create(`o${at}`);
    const cutter = await Cutter.before(Number(new URL(plane.url).port));
    const calls: Asked[] = [];
    const cluster = await Cluster.connect({
      url: `https://127.0.0.1:${cutter.port}`,
      ca: plane.credentials.ca,
      proxy: false,
      env: { ...systemEnv, log: () => {} },
      ...connect,
      informers: {
        ...connect.informers,
        modify: (options, verb) => {
          calls.push({ ...options, verb });
          return options;
        },
      },
    });
    onTestFinished(async () => {
      await cluster.close();
      await cutter[Symbol.asyncDispose]();
    });
    const informer = cluster.informer<KubeObject>(kind.resource, { namespace });
    const observed = new Observed(plane, informer, { paths: [kind.path(namespace)] });
    await informer.synced({ timeoutMs: 60_000 });
    await observed.agrees();
    const wholes = (): number => calls.filter(isWhole).length;
    return { namespace, hands, cutter, calls, informer, observed, wholes };
  }

  const mayReadEverything = async (name: string): Promise<void> => {
    await asked(plane, 'POST', BINDINGS, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  };

  /** A token bound to a Secret, so that it can be revoked at any time. */
  async function tokenOf(account: string, secret: string): Promise<string> {
    await asked(plane, 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: secret } });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret };
    const text = await asked(plane, 'POST', `${ACCOUNTS}/${account}/token`, { spec: { boundObjectRef } });
    return (JSON.parse(text) as { status: { token: string } }).status.token;
  }

  async function account(name: string): Promise<void> {
    await asked(plane, 'POST', ACCOUNTS, { metadata: { name } });
    await mayReadEverything(name);
  }

  /** Waits until the change shows: the server caches tokens for seconds. */
  async function untilAnswered(token: string, wanted: number): Promise<void> {
    const answer = async (): Promise<number> =>
      (await plane.ask('GET', CONFIG_MAPS.path('default'), undefined, 0, token)).status;
    await until(`the token is answered with ${wanted}`, async () => (await answer()) === wanted, { everyMs: 250 });
  }

  test('G23: a token that was replaced and then refused ends nothing, with streaming lists and in pages', async () => {
    await account('rotated');
    const dir = await mkdtemp(join(tmpdir(), 'token-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const tokenFile = join(dir, 'token');
    const old = await tokenOf('rotated', 'token-0');
    await writeFile(tokenFile, old);
    await untilAnswered(old, 200);
    const rigs = await Promise.all(MODES.map(({ informers }) => rig(CONFIG_MAPS, { tokenFile, informers })));
    const before = rigs.map(({ wholes }) => wholes());
    for (let round = 1; round <= 2; round += 1) {
      await writeFile(tokenFile, await tokenOf('rotated', `token-${round}`));
      await asked(plane, 'DELETE', `/api/v1/namespaces/default/secrets/token-${round - 1}`);
      if (round === 1) await untilAnswered(old, 401);
      for (const { cutter, hands, observed } of rigs) {
        await cutter.cutAll();
        await hands.changes(`token-${round}`);
        observed.join();
        await observed.agrees(120_000);
      }
    }
    // No relist: the watch resumed.
    expect(rigs.map(({ wholes }) => wholes())).toEqual(before);
  });

  test.each(MODES)('F38, G16: rights that are revoked and granted again, with $mode', async ({ mode, informers }) => {
    const name = `reader-${mode.length}`;
    await account(name);
    const token = await tokenOf(name, name);
    await untilAnswered(token, 200);
    const { hands, cutter, observed, informer } = await rig(CONFIG_MAPS, { token, informers });
    const held = informer.list();

    await asked(plane, 'DELETE', `${BINDINGS}/${name}`);
    await untilAnswered(token, 403);
    await cutter.cutAll();
    await hands.changes('unseen');
    await until('the cache says why it is stale', () => {
      const { state } = informer;
      return state.kind === 'stale' && state.reason === 'forbidden' && isForbidden(state.error);
    });
    expect(informer.list(), 'a refusal is no reason to forget').toEqual(held);
    expect(observed.first.events.filter(({ type }) => type === 'delete')).toEqual([]);

    await mayReadEverything(name);
    observed.join();
    await observed.agrees(120_000);
  });

  test.each(MODES)('F39: a kind that is deleted and created again, with $mode', async ({ mode, informers }) => {
    await defineWidgets(plane);
    const { token } = plane.credentials;
    const { hands, observed, informer, namespace } = await rig(WIDGETS, { token, informers });
    await hands.changes('before');
    await observed.agrees();
    const { view, events } = observed.first;
    const before = [...view.keys()];
    expect(before.length).toBeGreaterThan(3);
    const toldBefore = events.length;

    await asked(plane, 'DELETE', `${CRDS}/widgets.example.com`);
    await until('the kind is gone', async () => (await plane.ask('GET', `${CRDS}/widgets.example.com`)).status === 404);
    await until(
      'the cache says why it is stale',
      () => informer.state.kind === 'stale' && isNotFound(informer.state.error),
      { inTheWay: () => JSON.stringify(informer.state) },
    );

    await defineWidgets(plane, { value: { type: 'string' }, size: { type: 'integer' } });
    await hands.create('o0', 'of-another-kind');
    await asked(plane, 'POST', WIDGETS.path(namespace), {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: `sized-${mode.length}` },
      spec: { size: 3 },
    });
    observed.join();
    await observed.agrees(120_000);
    expect(informer.list()).toHaveLength(2);
    const deletes = events.slice(toldBefore).filter(({ type }) => type === 'delete');
    for (const key of before.filter((one) => one !== `${namespace}/o0`))
      expect(
        deletes.filter((event) => event.key === key),
        key,
      ).toHaveLength(1);
    await asked(plane, 'DELETE', `${CRDS}/widgets.example.com`);
    await until('the kind is gone', async () => (await plane.ask('GET', `${CRDS}/widgets.example.com`)).status === 404);
  });
});

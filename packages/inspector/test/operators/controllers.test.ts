import { controller, type ControllerOptions, type Operator } from '@kube-informer/controller';
import { type Lab, startLab } from '@kube-informer/controller/testing';
import type { KubeObject } from 'kube-informer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type InspectedOperator, readKey, readOverview, startInspector } from '../../src/index.ts';
import type { ControllersMessage, KeyDetail } from '../../src/protocol/controller-messages.ts';
import { send } from '../rigs/inspector.ts';

const MAPS = 'v1/configmaps';
type Reconciled = Pick<ControllerOptions<KubeObject>, 'reconcile'> & Partial<ControllerOptions<KubeObject>>;

const map = (name: string, namespace = 'web') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
});

/** A lab whose operators an inspector shows. */
async function rig(objects: readonly ReturnType<typeof map>[] = []) {
  const lab = await startLab({ objects });
  const operators = new Set<InspectedOperator>();
  const inspector = await startInspector(lab.cluster, { operators, env: lab.env });
  onTestFinished(async () => {
    await inspector.close();
    await lab[Symbol.asyncDispose]();
  });
  const ask = (path: string) =>
    send(inspector.address.port, path, { headers: { 'x-inspector-token': inspector.token } });
  const json = async <T>(path: string): Promise<T> => JSON.parse((await ask(path)).text) as T;
  return {
    lab,
    inspector,
    operators,
    ask,
    controllers: () => json<ControllersMessage>('/api/controllers'),
    key: (key: string) => json<KeyDetail>(`/api/key?controller=maps&key=${key}`),
  };
}

function start(lab: Lab, cluster: Lab['cluster'], options: Reconciled, identity?: string): Operator {
  const made = controller<KubeObject>(cluster, MAPS, { name: 'maps', namespace: 'web', ...options });
  return lab.run([made], identity === undefined ? {} : { election: { lease: 'web/maps', identity } });
}

describe('the controllers of a process', () => {
  test('CTR-53: the timeline of a key goes from its events over line, run and writes to the echo', async () => {
    const { lab, operators, controllers, key } = await rig();
    operators.add(
      start(lab, lab.cluster, {
        owns: ['v1/secrets'],
        reconcile: async ({ name, namespace, apply, patch }) => {
          await apply('v1/secrets', { metadata: { name: `${name}-child`, namespace } });
          await patch({ metadata: { annotations: { seen: 'yes' } } });
        },
      }),
    );
    await lab.settled();
    await lab.user.apply(map('one'));
    await lab.advance(1_000);
    const { runs, kind, controller: name, resource } = await key('web/one');
    expect({ kind, name, resource }).toEqual({ kind: 'idle', name: 'maps', resource: MAPS });
    const first = runs.at(-1);
    expect(first?.outcome).toBe('success');
    expect(first?.events.map(({ reason }) => reason)).toEqual(['created']);
    expect(first?.writes.map(({ what }) => what)).toEqual(['apply v1/secrets web/one-child', `patch ${MAPS} web/one`]);
    const { queuedAt = NaN, startedAt = NaN, endedAt = NaN } = first ?? {};
    expect(first?.events[0]?.at).toBeLessThanOrEqual(queuedAt);
    expect(queuedAt).toBeLessThanOrEqual(startedAt);
    expect(startedAt).toBeLessThanOrEqual(endedAt);
    for (const { at, echoedAt = NaN } of first?.writes ?? []) expect(echoedAt).toBeGreaterThanOrEqual(at);
    const [operator] = (await controllers()).operators;
    expect(operator).toMatchObject({ id: 'operator 1', state: 'leading', tone: 'good' });
    expect(operator?.controllers).toMatchObject([
      { name: 'maps', resource: MAPS, ready: 0, waiting: 0, stale: 0, running: 0, workers: 4, failures: 0 },
    ]);
    expect(operator?.controllers[0]?.keys.map((row) => [row.key, row.kind])).toEqual([['web/one', 'idle']]);
  });

  test('CTR-53: a write that no cache has yet has no echo, and the key is held for it', async () => {
    const { lab, operators, key } = await rig();
    operators.add(
      start(lab, lab.cluster, {
        owns: ['v1/secrets'],
        reconcile: async ({ name, namespace, apply }) =>
          void (await apply('v1/secrets', { metadata: { name, namespace } })),
      }),
    );
    await lab.settled();
    lab.server.faults.pauseEvents({ resource: 'secrets' });
    await lab.user.apply(map('one'));
    await expect.poll(async () => (await key('web/one')).runs.length).toBe(1);
    await lab.user.patch(MAPS, 'web/one', { data: { a: 'b' } });
    await expect.poll(async () => (await key('web/one')).kind).toBe('stale');
    const held = (await key('web/one')).runs;
    expect(held.map(({ outcome }) => outcome)).toEqual(['stale', 'success']);
    expect(held[0]?.events.map(({ reason }) => reason)).toEqual(['updated(data)']);
    expect(held[1]?.writes).toMatchObject([{ what: 'apply v1/secrets web/one' }]);
    expect(held[1]?.writes[0]).not.toHaveProperty('echoedAt');
    await lab.env.clock.advance(2_000);
    lab.server.faults.resumeEvents();
    lab.server.faults.cutWatches({ resource: 'secrets' });
    await lab.advance(5_000);
    const { at = NaN, echoedAt = NaN } = (await key('web/one')).runs.at(-1)?.writes[0] ?? {};
    expect(echoedAt - at).toBeGreaterThanOrEqual(2_000);
  });

  test('CTR-52, S46: sentences and errors are masked, and have no invisible characters', async () => {
    const { lab, operators, ask, controllers, key } = await rig([map('one')]);
    operators.add(
      start(lab, lab.cluster, {
        reconcile: () => {
          throw new Error('no login at https://user:hunter2@db.test/\u202e --password=hunter2');
        },
      }),
    );
    await lab.settled();
    await expect.poll(async () => (await key('web/one')).kind).toBe('waiting');
    const { sentence, runs } = await key('web/one');
    expect(sentence).toMatch(/^web\/one runs again in .* s because of retry\(1\); the last run failed: no login at /);
    expect(runs[0]?.outcome).toBe('waiting');
    expect(runs[0]).not.toHaveProperty('startedAt');
    expect(runs[1]).toMatchObject({ outcome: 'error', tone: 'bad' });
    const [summary] = (await controllers()).operators[0]?.controllers ?? [];
    expect(summary).toMatchObject({ waiting: 1, failures: 1, lastFailure: { key: 'web/one' } });
    for (const path of ['/api/controllers', '/api/key?controller=maps&key=web/one']) {
      const { text } = await ask(path);
      expect(text).toContain('no login at');
      expect(text).not.toMatch(/hunter2|\u202e/);
    }
  });

  test('CTR-44, CTR-53: of two replicas the leader answers; when it stops, the other one does', async () => {
    const { lab, inspector, operators, controllers } = await rig([map('one')]);
    const first = start(lab, lab.cluster, { reconcile() {} }, 'first');
    operators.add(first);
    await lab.advance(3_000);
    operators.add(start(lab, await lab.connect(), { reconcile() {} }, 'second'));
    await lab.advance(3_000);
    const states = async () => (await controllers()).operators.map(({ id, state, leader }) => [id, state, leader]);
    expect(await states()).toEqual([['first', 'leading', ''], ['second', 'standby', 'first']]); // prettier-ignore
    const target = { controller: 'maps', key: 'web/one' };
    expect(await readKey(inspector.url, target)).toMatchObject({ operator: 'first', state: 'leading', runs: [{ outcome: 'success' }] });
    // A standby has no keys: they would all say the same.
    expect((await controllers()).operators.map((one) => one.controllers[0]?.keys.length)).toEqual([1, 0]);
    const stopped = first.stop();
    await lab.advance(10_000);
    await stopped;
    expect(await states()).toEqual([['first', 'ended', ''], ['second', 'leading', '']]); // prettier-ignore
    expect(await readKey(inspector.url, target)).toMatchObject({ operator: 'second', state: 'leading' });
    const [, second] = (await controllers()).operators;
    expect(second?.steps.map(({ state }) => state)).toEqual(['starting', 'standby', 'leading']);
    operators.delete(first);
    expect(await states()).toEqual([['second', 'leading', '']]);
  }); // prettier-ignore

  test('a name runs once per cluster: two replicas in a process have one each', async () => {
    const { lab } = await rig();
    start(lab, lab.cluster, { reconcile() {} });
    expect(() => start(lab, lab.cluster, { reconcile() {} })).toThrow('name: a controller "maps" is running already');
    const other = await lab.connect();
    const second = start(lab, other, { reconcile() {} });
    await second.stop();
    start(lab, other, { reconcile() {} });
  });

  test('an unknown controller is refused with the names that exist, and a broken operator hides no other', async () => {
    const { lab, inspector, operators, ask, controllers } = await rig();
    expect((await readOverview(inspector.url)).hasOperators).toBe(true);
    const refused = (await ask('/api/key?controller=x&key=y')).text;
    expect(JSON.parse(refused)).toEqual({ error: 'this process runs no controllers' });
    const broken = (): never => {
      throw new Error('not today');
    };
    operators.add({ inspect: broken, inspectKey: broken });
    operators.add(start(lab, lab.cluster, { reconcile() {} }));
    expect((await controllers()).operators.map(({ id }) => id)).toEqual(['operator 2']);
    await expect(readKey(inspector.url, { controller: 'x', key: 'y' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'the process runs no such controller: expected one of maps',
    });
  });
});

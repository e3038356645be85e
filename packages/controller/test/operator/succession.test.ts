import type { Cluster } from 'kube-informer';
import { expect, onTestFinished, test } from 'vitest';
import { type Controller, controller, type ControllerOptions, watch } from '../../src/index.ts';
import { type Lab, startLab } from '../../src/testing/lab.ts';
import { definition, type Widget, widget, WIDGETS } from './rig.ts';

const ELECTION = { election: 'web/widgets' };

async function startWidgets(objects: readonly ReturnType<typeof widget>[] = []): Promise<Lab> {
  const lab = await startLab({ definitions: [definition()], objects });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  return lab;
}

/** Moves the clock in small steps until something is so. */
async function until(lab: Lab, isSo: () => boolean): Promise<void> {
  const step = async (): Promise<boolean> => {
    await lab.env.clock.advance(100);
    return isSo();
  };
  await expect.poll(step, { interval: 5 }).toBe(true);
}

const widgets = (cluster: Cluster, options: Omit<ControllerOptions<Widget>, 'name'>): Controller =>
  controller<Widget>(cluster, WIDGETS, { name: 'widgets', ...options });

test('CTR-45: L06 a successor whose cache is behind waits for it, and makes no second child', async () => {
  const lab = await startWidgets();
  const ran: string[] = [];
  // Children with generated names: only the cache tells whether there is one.
  const define = (cluster: Cluster, replica: string): Controller =>
    widgets(cluster, {
      owns: ['v1/configmaps'],
      async reconcile({ object, name, namespace, owned, client }) {
        ran.push(replica);
        if (owned('v1/configmaps').length > 0) return;
        const owner = {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          name,
          uid: object.metadata.uid,
          controller: true,
        };
        const metadata = { generateName: 'child-', namespace, ownerReferences: [owner] };
        await client.resource('v1/configmaps').create({ metadata });
      },
    });
  const first = lab.run([define(lab.cluster, 'first')], ELECTION);
  await lab.settled();
  const second = lab.run([define(await lab.connect(), 'second')], ELECTION);
  await lab.advance(3_000);
  expect([first.state.kind, second.state.kind]).toEqual(['leading', 'standby']);

  lab.server.faults.pauseEvents({ resource: 'configmaps' });
  await lab.user.apply(widget('a'));
  await expect.poll(() => lab.list('v1/configmaps', 'web').length).toBe(1);
  void first.stop();
  const holder = (): unknown => lab.get('coordination.k8s.io/v1/leases', 'web/widgets')?.spec?.holderIdentity;
  await until(lab, () => holder() === 'replica-2');
  for (let step = 0; step < 20; step += 1) await lab.env.clock.advance(100);
  expect(ran).toEqual(['first']);
  lab.server.faults.resumeEvents();
  await until(lab, () => ran.includes('second'));
  await lab.settled();
  expect(lab.list('v1/configmaps', 'web')).toHaveLength(1);
});

test('CTR-44: L07 a standby that is elected runs all keys from its caches: no list, no watch', async () => {
  const objects = Array.from({ length: 500 }, (_, n) => widget(`w-${n}`));
  const lab = await startWidgets(objects);
  const first = lab.run([widgets(lab.cluster, { reconcile() {} })], ELECTION);
  await lab.settled();
  let runs = 0;
  const reconcile = (): void => void (runs += 1);
  const second = lab.run([widgets(await lab.connect(), { reconcile })], ELECTION);
  await lab.advance(3_000);
  expect(second.health()).toMatchObject({ ready: true, controllers: [{ ready: 0 }] });
  const before = lab.server.requests.length;
  void first.stop();
  await until(lab, () => second.state.kind === 'leading');
  await lab.settled();
  expect(runs).toBe(500);
  const since = lab.server.requests.slice(before).filter(({ path }) => !path.includes('/leases'));
  // A watch is counted when it ends: that of the replica that stopped.
  expect(since.map(({ verb }) => verb)).toEqual(['watch']);
});

test('CTR-55: objects of another cluster run keys of this one, and their versions are not mixed', async () => {
  const [here, there] = [await startWidgets([widget('a'), widget('b')]), await startLab()];
  onTestFinished(() => there[Symbol.asyncDispose]());
  const ran: string[] = [];
  here.run([
    widgets(here.cluster, {
      watches: [watch('v1/configmaps', { cluster: there.cluster, keys: ({ data }) => data?.['for'] })],
      reconcile({ name, reasons, get }) {
        ran.push(`${name} ${reasons.join(' ')}: ${get('v1/configmaps', 'far/map')?.data?.['for'] ?? 'none'}`);
      },
    }),
  ]);
  await expect.poll(() => ran.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['a initial: none', 'b initial: none']);
  await there.user.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'map', namespace: 'far' },
    data: { for: 'web/b' },
  } as object);
  await expect.poll(() => ran.at(-1)).toBe('b related(v1/configmaps far/map): web/b');
  expect(here.list('v1/configmaps', 'far')).toEqual([]);
});

test('CTR-55: writes go to the own cluster: the cache of another one hides none, and is not waited for', async () => {
  const [here, there] = [await startWidgets([widget('a')]), await startLab()];
  onTestFinished(() => there[Symbol.asyncDispose]());
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'copy', namespace: 'web' },
    data: { from: 'there' },
  };
  await there.user.apply(map);
  const seen: unknown[] = [];
  const operator = here.run([
    widgets(here.cluster, {
      watches: [watch('v1/configmaps', { cluster: there.cluster, keys: () => [] })],
      async reconcile({ apply, get }) {
        const copy = await apply('v1/configmaps', { ...map, data: { from: 'here' } }, { owner: false });
        seen.push(copy.outcome, get('v1/configmaps', 'web/copy')?.data?.['from']);
      },
    }),
  ]);
  await here.settled();
  expect(seen).toEqual(['created', 'there']);
  // The other server is far behind the version of this write.
  operator.enqueue('widgets', 'web/a');
  await here.settled();
  expect(seen.slice(2)).toEqual(['unchanged', 'there']);
  expect(here.get('v1/configmaps', 'web/copy')).toMatchObject({ data: { from: 'here' } });
});

test('CTR-21: R03 `deleted` is called once with the last state, and nothing is remembered of the object', async () => {
  const lab = await startWidgets();
  const gone: unknown[] = [];
  const attempts: number[] = [];
  const operator = lab.run([
    widgets(lab.cluster, {
      atLeastEveryMs: 5_000,
      deleted: ({ key, last }) => void gone.push([key, last.spec?.size]),
      reconcile({ attempt }) {
        attempts.push(attempt);
        throw new Error('no');
      },
    }),
  ]);
  await lab.user.apply(widget('a', { size: 1 }));
  await lab.advance(100);
  expect(attempts.length).toBeGreaterThan(2);
  await lab.user.patch(WIDGETS, 'web/a', { spec: { size: 2 } });
  await lab.user.delete(WIDGETS, 'web/a');
  await lab.advance(20_000);
  expect(gone).toEqual([['web/a', 2]]);
  attempts.length = 0;
  await lab.user.apply(widget('a', { size: 1 }));
  await lab.settled();
  expect(attempts[0]).toBe(1);
  expect(operator.why('widgets', 'web/a').kind).toBe('waiting');
});

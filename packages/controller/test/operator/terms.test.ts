import type { Cluster } from 'kube-informer';
import { expect, onTestFinished, test } from 'vitest';
import { type Controller, controller } from '../../src/index.ts';
import { type Lab, startLab } from '../../src/testing/lab.ts';
import { definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

async function lab(objects: readonly ReturnType<typeof widget>[] = []): Promise<Lab> {
  const started = await startLab({ definitions: [definition()], objects });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

test('CTR-49: a controller with election: false runs in every replica, the others in the leader only', async () => {
  const here = await lab([widget('a')]);
  const ran: string[] = [];
  const replica = (cluster: Cluster, who: string): Controller[] => [
    controller<Widget>(cluster, WIDGETS, { name: 'elected', reconcile: () => void ran.push(`${who} elected`) }),
    controller<Widget>(cluster, WIDGETS, {
      name: 'everywhere',
      election: false,
      reconcile: () => void ran.push(`${who} everywhere`),
    }),
  ];
  here.run(replica(here.cluster, 'one'), { election: 'ops/widgets' });
  await here.settled();
  here.run(replica(await here.connect(), 'two'), { election: 'ops/widgets' });
  await here.advance(5_000);
  expect(ran.toSorted()).toEqual(['one elected', 'one everywhere', 'two everywhere']);
});

test('CTR-49: the lease may live in another cluster than the objects', async () => {
  const [here, there] = [await lab([widget('a')]), await lab()];
  await there.user.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  const ran: string[] = [];
  const operator = here.run(
    [controller<Widget>(here.cluster, WIDGETS, { name: 'widgets', reconcile: ({ name }) => void ran.push(name) })],
    { election: { lease: 'ops/widgets', cluster: there.cluster } },
  );
  await expect.poll(() => ran).toEqual(['a']);
  expect(operator.state.kind).toBe('leading');
  expect(there.get('coordination.k8s.io/v1/leases', 'ops/widgets')?.spec?.holderIdentity).toBe('replica-1');
  expect(here.list('coordination.k8s.io/v1/leases')).toEqual([]);
});

test.each([
  [true, ['a', 'b']],
  [false, ['a']],
])('CTR-05: with drain: %s a stop lets %j run', async (drain, expected) => {
  const ended: string[] = [];
  const { lab: here, operator } = await rig({
    concurrency: 1,
    drain,
    async reconcile({ name }) {
      await here.env.sleep(1_000);
      ended.push(name);
    },
  });
  await here.user.apply(widget('a'));
  await expect.poll(() => operator.why('widgets', 'web/a').kind).toBe('running');
  await here.user.apply(widget('b'));
  await expect.poll(() => operator.why('widgets', 'web/b').kind).toBe('ready');
  const stopped = operator.stop();
  for (let step = 0; step < 100 && operator.state.kind !== 'ended'; step += 1) await here.env.clock.advance(100);
  await stopped;
  expect(ended).toEqual(expected);
});

test('CTR-12: a requeue keeps the priority of its key, unless the result names one', async () => {
  const ran: string[] = [];
  let free = (): void => {};
  const { lab: here, operator } = await rig(
    {
      concurrency: 1,
      async reconcile({ name, reasons }) {
        ran.push(name);
        if (name === 'block') return new Promise<void>((resolve) => (free = resolve));
        if (!reasons.includes('initial')) return undefined;
        return name === 'low' ? { requeueAfterMs: 1_000 } : { requeueAfterMs: 1_000, priority: 100 };
      },
    },
    { lab: { objects: [widget('low'), widget('high')] } },
  );
  expect(ran.toSorted()).toEqual(['high', 'low']);
  await here.user.apply(widget('block'));
  await expect.poll(() => operator.why('widgets', 'web/block').kind).toBe('running');
  ran.length = 0;
  await here.env.clock.advance(5_000);
  await here.user.apply(widget('usual'));
  await expect.poll(() => operator.why('widgets', 'web/usual').kind).toBe('ready');
  free();
  await here.settled();
  expect(ran).toEqual(['high', 'usual', 'low']);
});

test('CTR-44: the keys of a start have a low priority: what changes now runs before them', async () => {
  const ran: string[] = [];
  let free = (): void => {};
  const objects = Array.from({ length: 10 }, (_, n) => widget(`old-${n}`));
  const started = await lab(objects);
  const operator = started.run([
    controller<Widget>(started.cluster, WIDGETS, {
      name: 'widgets',
      concurrency: 1,
      reconcile({ name }) {
        ran.push(name);
        return ran.length > 1 ? undefined : new Promise<void>((resolve) => (free = resolve));
      },
    }),
  ]);
  await expect.poll(() => ran.length).toBe(1);
  await started.user.apply(widget('new'));
  await expect.poll(() => operator.why('widgets', 'web/new').kind).toBe('ready');
  free();
  await started.settled();
  expect(ran).toHaveLength(11);
  expect(ran[1]).toBe('new');
});

/* oxlint-disable unicorn/no-thenable -- code of users may return any of them */
import type { KubeObject } from 'kube-informer';
import { expect, onTestFinished, test } from 'vitest';
import { controller, type Operator } from '../../src/index.ts';
import { type Lab, startLab } from '../../src/testing/lab.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
const MAPS = 'v1/configmaps';
const LEASES = 'coordination.k8s.io/v1/leases';
const DEFINITIONS = 'apiextensions.k8s.io/v1/customresourcedefinitions';
const NEVER = { initialMs: 3_600_000, maxMs: 3_600_000 };
const child = (name: string, data: Readonly<Record<string, string>> = {}): KubeObject => configMap(name, data);
const names = (lab: Lab): string[] =>
  lab
    .list(MAPS, 'web')
    .map(({ metadata }) => metadata?.name ?? '')
    .toSorted();
const errorOf = (operator: Operator): string | undefined => operator.runs('widgets', KEY).at(-1)?.error;

async function startWidgets(objects: readonly ReturnType<typeof widget>[] = []): Promise<Lab> {
  const lab = await startLab({ definitions: [definition()], objects });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  return lab;
}

test('CTR-23: children with another name in every run are found as what keeps changing, and one is left', async () => {
  let at = 0;
  const { lab } = await rig({
    owns: [MAPS],
    prune: true,
    reconcile: async ({ apply }) => void (await apply(MAPS, child(`c-${(at += 1)}`))),
  });
  await lab.user.apply(widget('a'));
  await lab.advance(20_000);
  expect([at < 40, names(lab)]).toEqual([true, [`c-${at}`]]);
  const loops = lab.env.lines.filter(({ message }) => message.includes('cause each other'));
  expect(loops.map(({ fields }) => fields)).toMatchObject([
    { changing: `${MAPS}: objects that are created and deleted` },
  ]);
});

test('CTR-37: an owner that others strip from a child is put back; one that they replace is refused by name until it is free', async () => {
  const { lab, operator } = await rig({ owns: [MAPS], reconcile: async ({ apply }) => void (await apply(MAPS, child('child'))) });
  const owner = (): unknown => lab.get(MAPS, 'web/child')?.metadata?.ownerReferences?.map(({ kind }) => kind);
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.user.patch(MAPS, 'web/child', { metadata: { ownerReferences: null } });
  await lab.advance(500);
  expect(owner()).toEqual(['Widget']);
  const thief = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p1', controller: true };
  await lab.user.patch(MAPS, 'web/child', { metadata: { ownerReferences: [thief] } });
  await lab.advance(500);
  expect(operator.why('widgets', KEY).sentence).toMatch(/because of retry\(\d+\); .*Pod p \(uid p1\) controls it already/);
  await lab.user.delete(MAPS, 'web/child');
  await lab.advance(2_000);
  expect(owner()).toEqual(['Widget']);
}); // prettier-ignore

test('CTR-37: an object cannot own itself; its fields are applied without an owner', async () => {
  const errors: string[] = [];
  const { lab } = await rig({
    async reconcile({ apply, name, namespace }) {
      const own = { metadata: { name, namespace }, spec: { size: 1 } };
      await apply<Widget>(WIDGETS, own).catch((error: Error) => errors.push(error.message));
      await apply<Widget>(WIDGETS, own, { owner: false });
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(errors[0]).toMatch(/it is the same object; use owner: false/);
  expect(lab.get<Widget>(WIDGETS, KEY)).toMatchObject({ spec: { size: 1 } });
  expect(lab.get<Widget>(WIDGETS, KEY)?.metadata?.ownerReferences).toBeUndefined();
});

test('CTR-40: 120 children that are no longer wanted go in several runs', async () => {
  const { lab } = await rig({
    owns: [MAPS],
    prune: true,
    reconcile: async ({ object, apply }) =>
      void (await Promise.all(Array.from({ length: object.spec?.size ?? 0 }, (_, n) => apply(MAPS, child(`c-${n}`))))),
  });
  await lab.user.apply(widget('a', { size: 120 }));
  await lab.settled();
  expect(names(lab)).toHaveLength(120);
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 1 } });
  await lab.advance(3_000);
  expect(names(lab)).toEqual(['c-0']);
});

test('CTR-39: a child that is being deleted is left alone, and made again when it is gone', async () => {
  const outcomes: string[] = [];
  const { lab } = await rig({
    owns: [MAPS],
    reconcile: async ({ apply }) => void outcomes.push((await apply(MAPS, child('child'))).outcome),
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  const uid = lab.get(MAPS, 'web/child')?.metadata?.uid;
  await lab.user.patch(MAPS, 'web/child', { metadata: { finalizers: ['x.io/y'] } });
  await lab.user.delete(MAPS, 'web/child');
  await lab.settled();
  expect(outcomes.slice(1).every((outcome) => outcome === 'unchanged')).toBe(true);
  await lab.user.patch(MAPS, 'web/child', { metadata: { finalizers: null } });
  await lab.advance(1_000);
  expect(outcomes.at(-1)).toMatch(/created|unchanged/);
  expect([names(lab), lab.get(MAPS, 'web/child')?.metadata?.uid === uid]).toEqual([['child'], false]);
});

test('CTR-43: a Lease that is edited by hand to anything is led again by its only candidate', async () => {
  const { lab, operator } = await rig({ reconcile() {} }, { run: { election: 'ops/l' } });
  const leases = lab.cluster.resource(LEASES);
  for (const spec of [
    null,
    { holderIdentity: null },
    { leaseDurationSeconds: 1, renewTime: null, acquireTime: null },
    { holderIdentity: 'thief', leaseDurationSeconds: 15, renewTime: '2000-01-01T00:00:00.000000Z' },
  ]) {
    await leases.patch('ops/l', { spec } as object);
    await lab.advance(20_000);
    expect([spec, operator.state.kind]).toEqual([spec, 'leading']);
    expect(lab.get(LEASES, 'ops/l')?.spec).toMatchObject({ holderIdentity: 'replica-1', leaseDurationSeconds: 15 });
  }
});

test('CTR-03: a cache that may not be read is named with the reason in health and why, and fills when it may', async () => {
  const lab = await startWidgets([widget('a')]);
  const denied = lab.server.faults.failRequests({ match: { resource: 'configmaps' }, status: 403, times: Infinity });
  let runs = 0;
  const operator = lab.run([
    controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', owns: [MAPS], reconcile: () => void (runs += 1) }),
  ]);
  const later = async <T>(value: () => T): Promise<T> => {
    await lab.env.clock.advance(500);
    return value();
  };
  const forbidden = /caches fill \(v1\/configmaps: .*forbidden/;
  await expect.poll(() => later(() => operator.health().reasons.join()), { interval: 5 }).toMatch(forbidden);
  expect(operator.why('widgets', KEY).sentence).toMatch(forbidden);
  expect([runs, operator.health().ready]).toEqual([0, false]);
  denied.remove();
  await expect.poll(() => later(() => runs), { interval: 5, timeout: 30_000 }).toBe(1);
});

test('CTR-03: a resource of children that is not installed is waited for by name', async () => {
  const lab = await startLab();
  onTestFinished(() => lab[Symbol.asyncDispose]());
  let runs = 0;
  const operator = lab.run([controller(lab.cluster, MAPS, { name: 'maps', owns: [WIDGETS], reconcile: () => void (runs += 1) })]); // prettier-ignore
  await lab.user.apply(configMap('m'));
  await lab.advance(5_000);
  expect(operator.health().reasons).toEqual([`controller maps waits: the server does not serve ${WIDGETS}`]);
  expect(runs).toBe(0);
  await lab.user.apply(definition());
  await lab.advance(15_000);
  expect([runs, operator.health().ready]).toEqual([1, true]);
});

test('CTR-51: S06 a definition that comes back without the version of a controller makes it stale: named by why at once, not ready after 5 min', async () => {
  const { lab, operator } = await rig({ reconcile() {} }, { lab: { objects: [widget('a')] } });
  await lab.user.delete(DEFINITIONS, 'widgets.example.com');
  await lab.advance(2_000);
  await lab.user.apply(definition('Namespaced', ['v2']));
  await lab.advance(120_000);
  expect(operator.why('widgets', KEY).sentence).toMatch(/^web\/a is not in the cache.*; its cache has been stale for \d+ s: /);
  expect(operator.health().ready).toBe(true); // a server that is away for a moment is no reason
  await lab.advance(240_000);
  expect(operator.health().reasons).toMatchObject([expect.stringMatching(/^controller widgets: its cache of example\.com\/v1\/widgets has been stale for \d+ s: /)]);
  expect(operator.health()).toMatchObject({ ready: false, live: true });
}); // prettier-ignore

test('CTR-36: S06 a definition that is deleted waits for the cleanups of its objects, and its controller works on when it is back', async () => {
  const cleaned: string[] = [];
  const { lab, outcomes } = await rig({ reconcile() {}, cleanup: ({ name }) => void cleaned.push(name) });
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.user.delete(DEFINITIONS, 'widgets.example.com');
  await lab.advance(10_000);
  expect([cleaned, lab.list(DEFINITIONS)]).toEqual([['a'], []]);
  await lab.user.apply(definition());
  await lab.user.apply(widget('b'));
  await lab.advance(60_000);
  expect([outcomes('web/b')[0], lab.get<Widget>(WIDGETS, 'web/b')?.metadata?.finalizers]).toEqual([
    'success',
    ['example.com/widgets'],
  ]);
});

test('CTR-20: R04 a thenable that throws, resolves or rejects is what a promise is', async () => {
  const results: unknown[] = [
    { get then() { throw new Error('then!'); } },
    { then: (resolve: (value: unknown) => void) => resolve({ requeueAfterMs: 10 }) },
    { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('no')) },
  ]; // prettier-ignore
  const { lab, outcomes } = await rig({ reconcile: () => results.shift() as never });
  await lab.user.apply(widget('a'));
  await lab.advance(1_000);
  expect(outcomes(KEY)).toEqual(['error', 'requeue', 'error', 'success']);
});

test.each([
  [{ conditions: 'text' }, /status.set: expected conditions as a list; status.condition\(\) sets one, got "text"/],
  [{ big: 'x'.repeat(4_000_000) }, /too large/],
])('CTR-38: a status that cannot be stored is an error with its reason', async (part, message) => {
  const { lab, operator } = await rig({ retry: NEVER, reconcile: ({ status }) => status.set(part as never) });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(errorOf(operator)).toMatch(message);
});

test('CTR-41: 10,000 events of one run are 25 requests at most, and no leak of listeners', async () => {
  const warned: string[] = [];
  const note = ({ name }: Error): void => void warned.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { lab, outcomes } = await rig({
    reconcile({ event }) {
      for (let n = 0; n < 10_000; n += 1) event.warning(`R${n % 50}`, `note ${n}`);
      (event.normal as (...all: unknown[]) => void)(undefined, { no: 'text' });
    },
  });
  await lab.user.apply(widget('a'));
  await lab.advance(2_000);
  expect([outcomes(KEY), lab.list('events.k8s.io/v1/events').length <= 25, warned]).toEqual([['success'], true, []]);
});

test('CTR-25: what a run gets cannot be changed by it: its reasons, its object, lists of the cache', async () => {
  const changed: number[] = [];
  const { lab, operator } = await rig({
    indexers: { all: () => ['x'] },
    reconcile(run) {
      const changes = [
        () => (run.reasons as string[]).push('mine'),
        () => Object.assign(run.object.metadata, { name: 'other' }),
        () => Object.assign(run.byIndex('all', 'x')[0] as object, { spec: 5 }),
      ];
      changed.push(changes.filter((change) => { try { change(); return true; } catch { return false; } }).length);
      run.byIndex('all', 'x').length = 0; // a list of its own
    },
  }); // prettier-ignore
  await lab.user.apply(widget('a', { size: 1 }));
  await lab.settled();
  expect([changed, operator.runs('widgets', KEY)[0]?.reasons]).toEqual([[0], ['created']]);
  expect(lab.cluster.informer<Widget>(WIDGETS).get(KEY)).toMatchObject({ metadata: { name: 'a' }, spec: { size: 1 } });
});

test.each([
  ['an apply of a child', 'patch', 'configmaps', undefined, { size: 2 }],
  ['its status', 'patch', 'widgets', 'status', { size: 2 }],
  ['a delete of a child', 'delete', 'configmaps', undefined, { size: 0 }],
  ['the removal of the finalizer', 'patch', 'widgets', undefined, undefined],
] as const)('CTR-05: a stop while the server holds back %s ends after the grace, and the lease is free', async (_, verb, resource, subresource, spec) => {
  const lab = await startWidgets();
  const operator = lab.run([
    controller<Widget>(lab.cluster, WIDGETS, {
      name: 'widgets',
      owns: [MAPS],
      prune: true,
      async reconcile({ object, apply, status }) {
        for (let n = 0; n < (object.spec?.size ?? 0); n += 1) await apply(MAPS, child(`c-${n}`));
        status.set({ seen: object.spec?.size ?? 0 });
      },
      cleanup() {},
    }),
  ], { election: 'ops/l', graceMs: 3_000 });
  await lab.user.apply(widget('a', { size: 1 }));
  await lab.settled();
  const held = lab.server.faults.add({
    match: { verb, resource, userAgent: /^(?!lab-user)/, ...(subresource === undefined ? {} : { subresource }) },
    do: { delay: { ms: 3_600_000 } },
    times: 1,
  });
  if (spec === undefined) await lab.user.delete(WIDGETS, KEY);
  else await lab.user.patch(WIDGETS, KEY, { spec });
  await expect.poll(() => held.count).toBe(1);
  const stopped = operator.stop();
  await lab.env.clock.advance(2_999);
  expect(operator.state.kind).not.toBe('ended');
  await expect.poll(async () => (await lab.env.clock.advance(100), operator.state.kind)).toBe('ended');
  await stopped;
  await operator.ended; // no run was left behind
  expect(operator.runs('widgets', KEY).at(-1)?.outcome).toBe('aborted');
  expect(lab.get(LEASES, 'ops/l')?.spec?.holderIdentity).toBe('');
}); // prettier-ignore

test('CTR-45: a version of the far future in the Lease holds the next leader up for 10 s, not longer', async () => {
  const lab = await startWidgets([widget('a')]);
  const written = JSON.stringify([[WIDGETS, '99999999999999'], ['v1/nothing', '5']]);
  const metadata = { name: 'l', namespace: 'ops', annotations: { 'kube-informer.dev/written': written } };
  await lab.user.apply({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { holderIdentity: '', leaseDurationSeconds: 1 } } as KubeObject);
  let runs = 0;
  const operator = lab.run([controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', reconcile: () => void (runs += 1) })], { election: 'ops/l' });
  await lab.advance(8_000);
  expect(runs).toBe(0);
  await lab.advance(6_000);
  expect([runs, operator.state.kind]).toEqual([1, 'leading']);
}); // prettier-ignore

test('CTR-21: a `deleted` that throws is retried with its last state, and nothing is kept of the object after it succeeded', async () => {
  const calls: unknown[] = [];
  const { lab, operator } = await rig({
    reconcile() {},
    deleted({ last }) {
      calls.push(last.spec?.size);
      if (calls.length < 3) throw new Error('no');
    },
  });
  await lab.user.apply(widget('a', { size: 7 }));
  await lab.settled();
  await lab.user.delete(WIDGETS, KEY);
  await lab.advance(60_000);
  expect(calls).toEqual([7, 7, 7]);
  expect([operator.health().controllers[0], operator.why('widgets', KEY).kind]).toMatchObject([{ waiting: 0 }, 'not in the cache']);
}); // prettier-ignore

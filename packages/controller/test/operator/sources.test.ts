import { fakeEnv } from 'kube-informer/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller, source, watch } from '../../src/index.ts';
import { startLab } from '../../src/testing/lab.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

/** The names of the objects that ran, as they run. */
const recorder = (): { readonly ran: string[]; readonly reconcile: (run: { readonly name: string }) => void } => {
  const ran: string[] = [];
  return { ran, reconcile: ({ name }) => void ran.push(name) };
};

const ownedBy = (name: string, uid: string, apiVersion = 'example.com/v1', controllerOfIt = true): object => ({
  ownerReferences: [{ apiVersion, kind: 'Widget', name, uid, controller: controllerOfIt }],
});

test('CTR-29: S01 S02 a child that loses its owner runs the old one; group and kind decide, not the version', async () => {
  const { ran, reconcile } = recorder();
  const { lab } = await rig(
    { owns: ['v1/configmaps'], reconcile },
    { lab: { objects: [widget('a', {}, { uid: 'ua' }), widget('b', {}, { uid: 'ub' })] } },
  );
  ran.length = 0;
  await lab.user.apply(configMap('child', {}, ownedBy('a', 'ua', 'example.com/v1beta1')));
  await lab.settled();
  expect(ran).toEqual(['a']);
  await lab.user.patch('v1/configmaps', 'web/child', { metadata: ownedBy('b', 'ub') });
  await lab.settled();
  expect(ran.slice(1).toSorted()).toEqual(['a', 'b']);
  ran.length = 0;
  await lab.user.patch('v1/configmaps', 'web/child', { metadata: ownedBy('b', 'ub', 'example.com/v1', false) });
  await lab.settled();
  expect(ran).toEqual(['b']); // it was the controller before
  await lab.user.patch('v1/configmaps', 'web/child', { data: { x: '1' } });
  await lab.settled();
  expect(ran).toEqual(['b']); // and is only an owner now
  await lab.user.patch('v1/configmaps', 'web/child', { metadata: ownedBy('b', 'ub', 'other.com/v1') });
  await lab.settled();
  expect(ran).toEqual(['b']);
});

test('CTR-29: S03 the owner of a namespaced child may be cluster-scoped', async () => {
  const { ran, reconcile } = recorder();
  const { lab } = await rig({ owns: ['v1/configmaps'], reconcile }, { lab: { definitions: [definition('Cluster')] } });
  const { namespace: _, ...metadata } = widget('a').metadata as Record<string, string>;
  const made = await lab.user.apply({ ...widget('a'), metadata });
  await lab.settled();
  ran.length = 0;
  await lab.user.apply(configMap('child', {}, ownedBy('a', made.metadata?.uid ?? '')));
  await lab.settled();
  expect(ran).toEqual(['a']);
});

test('CTR-29: S04 S07 an index is looked up for the old and the new state, also when the states between were skipped', async () => {
  const { ran, reconcile } = recorder();
  const { lab } = await rig(
    {
      reconcile,
      indexers: { secret: ({ spec }) => (spec?.secret === undefined ? [] : [spec.secret]) },
      watches: [watch('v1/configmaps', { index: 'secret', value: ({ data }) => data?.['for'] })],
    },
    { lab: { objects: [widget('a', { secret: 'one' }), widget('b', { secret: 'two' }), widget('c')] } },
  );
  ran.length = 0;
  await lab.user.apply(configMap('map', { for: 'one' }));
  await lab.settled();
  expect(ran).toEqual(['a']);
  ran.length = 0;
  await lab.user.patch('v1/configmaps', 'web/map', { data: { for: 'two' } });
  await lab.settled();
  expect(ran.toSorted()).toEqual(['a', 'b']);
  ran.length = 0;
  // What the handler was told last is `two`: two states are skipped by a list.
  lab.server.faults.pauseEvents({ resource: 'configmaps' });
  await lab.user.patch('v1/configmaps', 'web/map', { data: { for: 'nothing' } });
  await lab.user.patch('v1/configmaps', 'web/map', { data: { for: 'one' } });
  lab.server.history.compact();
  lab.server.faults.resumeEvents();
  lab.server.faults.cutWatches({ resource: 'configmaps' });
  await lab.advance(10_000);
  expect(ran.toSorted()).toEqual(['a', 'b']);
  ran.length = 0;
  await lab.user.delete('v1/configmaps', 'web/map');
  await lab.settled();
  expect(ran).toEqual(['a']);
});

test('CTR-28: S05 with `spec` a change of the status does not run; of labels, annotations, finalizers and deletion it does', async () => {
  const { ran, reconcile } = recorder();
  const { lab, operator } = await rig({ reconcile });
  await lab.user.apply(widget('a'));
  await lab.settled();
  const runsAfter = async (change: () => Promise<unknown>): Promise<number> => {
    ran.length = 0;
    await change();
    await lab.settled();
    return ran.length;
  };
  const patch = (change: object) => () => lab.user.patch(WIDGETS, 'web/a', change);
  const status = lab.cluster.resource<Widget>(WIDGETS);
  expect(await runsAfter(() => status.patch('web/a', { status: { seen: 1 } }, { subresource: 'status' }))).toBe(0);
  expect(operator.why('widgets', 'web/a').sentence).toContain('filtered out since: updated(status)');
  expect(await runsAfter(patch({ metadata: { labels: { x: 'y' } } }))).toBe(1);
  expect(await runsAfter(patch({ metadata: { annotations: { x: 'y' } } }))).toBe(1);
  expect(await runsAfter(patch({ metadata: { finalizers: ['example.com/x'] } }))).toBe(1);
  expect(await runsAfter(patch({ metadata: ownedBy('other', 'uo') }))).toBe(1);
  expect(await runsAfter(patch({ spec: { size: 9 } }))).toBe(1);
  expect(await runsAfter(() => lab.user.delete(WIDGETS, 'web/a'))).toBe(1);
  expect(await runsAfter(patch({ metadata: { finalizers: null } }))).toBe(0); // gone: there is nothing to run
});

test('CTR-28: `any` runs for a change of the status, and built-in resources run for any change', async () => {
  const { ran, reconcile } = recorder();
  const { lab } = await rig({ on: 'any', reconcile }, { lab: { objects: [widget('a')] } });
  const maps: string[] = [];
  lab.run([controller(lab.cluster, 'v1/configmaps', { name: 'maps', reconcile: ({ name }) => void maps.push(name) })]);
  await lab.user.apply(configMap('m'));
  await lab.settled();
  [ran.length, maps.length] = [0, 0];
  await lab.cluster.resource<Widget>(WIDGETS).patch('web/a', { status: { seen: 1 } }, { subresource: 'status' });
  await lab.user.patch('v1/configmaps', 'web/m', { data: { x: '1' } });
  await lab.settled();
  expect([ran, maps]).toEqual([['a'], ['m']]);
});

test('CTR-03: S06 a resource that is not installed is waited for, and the others run; it may go and come back', async () => {
  const env = fakeEnv();
  const lab = await startLab({ env });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const { ran, reconcile } = recorder();
  const maps: string[] = [];
  const operator = lab.run([
    controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', reconcile }),
    controller(lab.cluster, 'v1/configmaps', { name: 'maps', reconcile: ({ name }) => void maps.push(name) }),
  ]);
  await lab.user.apply(configMap('map'));
  await lab.advance(30_000);
  expect(maps).toEqual(['map']);
  expect(operator.why('widgets', 'web/a')).toMatchObject({
    kind: 'parked',
    sentence: expect.stringContaining('does not serve'),
  });
  expect(operator.health()).toMatchObject({ ready: false, live: true });
  await lab.user.apply(definition());
  await lab.user.apply(widget('a'));
  await lab.advance(11_000);
  expect(ran).toEqual(['a']);
  expect(operator.health().ready).toBe(true);
  await lab.user.delete('apiextensions.k8s.io/v1/customresourcedefinitions', 'widgets.example.com');
  await lab.advance(30_000);
  await lab.user.apply(definition('Namespaced', ['v2', 'v1']));
  await lab.user.apply(widget('b'));
  await lab.advance(60_000);
  expect(ran).toContain('b');
});

test('CTR-25: S08 an iterable runs keys; one that throws is read again, and a value without keys is left out', async () => {
  const { ran, reconcile } = recorder();
  let times = 0;
  const values = {
    async *[Symbol.asyncIterator]() {
      times += 1;
      yield { route: 'web/a' };
      yield { route: undefined };
      if (times === 1) throw new Error('connection lost');
      yield { route: 'web/b' };
    },
  };
  const { lab } = await rig(
    {
      reconcile,
      watches: [
        source(values, ({ route }) => {
          if (route === undefined) throw new Error('no route');
          return route;
        }),
      ],
    },
    { lab: { objects: [widget('a'), widget('b')] } },
  );
  await lab.advance(2_000);
  expect(times).toBe(2);
  expect(ran.filter((name) => name === 'b').length).toBeGreaterThan(1);
  expect(lab.env.lines.filter(({ message }) => message.startsWith('a source of a controller failed'))).toHaveLength(1);
});

test('CTR-02: mistakes are found before anything is asked', async () => {
  const lab = await startLab();
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const { reconcile } = recorder();
  const define = (options: object): unknown =>
    controller<Widget>(lab.cluster, WIDGETS, { name: 'x', reconcile, ...options });
  expect(() => define({ reconcil: 1 })).toThrow(
    /unknown option "reconcil": expected one of atLeastEveryMs, cleanup, concurrency/,
  );
  expect(() => define({ name: 'Not A Name' })).toThrow(/name: expected 1 to 63 lower-case/);
  expect(() => define({ watches: [watch('v1/secrets', { index: 'nope' })] })).toThrow(
    /one of the indexers: there are none/,
  );
  expect(() => controller(lab.cluster, 'v1/pods', { name: 'x', reconcile, cleanup() {} })).toThrow(
    /finalizer: expected a name of yours, because v1\/pods is built in and there is a cleanup: finalizer: 'example.com\/x'/,
  );
  expect(() =>
    controller(lab.cluster, 'networking.k8s.io/v1/ingresses', { name: 'x', reconcile, cleanup() {} }),
  ).toThrow(/because networking.k8s.io\/v1\/ingresses is built in and there is a cleanup/);
  const one = controller<Widget>(lab.cluster, WIDGETS, { name: 'same', reconcile });
  expect(() => lab.run([one, one])).toThrow(/"same" is running already/);
  expect(lab.server.requests).toHaveLength(0);
});

test('CTR-33: a resource with two caches is read from both: its own objects by one selector, others by another', async () => {
  const seen: string[][] = [];
  const lab = await startLab();
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const copies = controller(lab.cluster, 'v1/configmaps', {
    name: 'copies',
    labels: 'role=origin',
    watches: [watch('v1/configmaps', { labels: 'role=copy', keys: ({ metadata }) => metadata.annotations?.['of'] })],
    async reconcile({ name, key, apply, get, list }) {
      const copy = { metadata: { name: `${name}-copy`, namespace: 'other', labels: { role: 'copy' }, annotations: { of: key } } };
      const { outcome } = await apply('v1/configmaps', copy, { owner: false });
      const found = list('v1/configmaps', { labels: 'role=copy' }).map(({ metadata }) => metadata.name);
      seen.push([outcome, ...found, String(get('v1/configmaps', 'other/a-copy') !== undefined), String(list('v1/configmaps').length)]);
    },
  });
  const operator = lab.run([copies]);
  await lab.user.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  await lab.user.apply(configMap('a', {}, { labels: { role: 'origin' } }));
  await lab.settled();
  expect(seen[0]).toEqual(['created', 'a-copy', 'true', '2']);
  operator.enqueue('copies', 'web/a');
  await lab.settled();
  expect(seen.at(-1)).toEqual(['unchanged', 'a-copy', 'true', '2']);
  seen.length = 0;
  await lab.user.delete('v1/configmaps', 'other/a-copy');
  await lab.settled();
  expect(seen[0]?.[0]).toBe('created'); // the watch led to its origin
}); // prettier-ignore

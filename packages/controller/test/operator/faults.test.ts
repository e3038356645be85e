import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { promMetrics } from 'kube-informer/prometheus';
import { expect, onTestFinished, test } from 'vitest';
import { controller, source, watch } from '../../src/index.ts';
import { startLab } from '../../src/testing/lab.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

/** Fails for a widget without a spec.secret, as code that trusts its schema does. */
const secretOf = ({ spec }: Widget): string[] => [spec!.secret!.toLowerCase()];

function registry() {
  const register = new Registry();
  const metrics = promMetrics({ Counter, Gauge, Histogram, register } as never);
  const of = async (name: string): Promise<number | undefined> =>
    (await register.getSingleMetric(`kube_informer_controller_${name}`)?.get())?.values[0]?.value;
  return { metrics, of };
}

test('CTR-62: an object that an index function fails for runs, is named and counted, and ends as a fault with its next good state', async () => {
  const ran: string[] = [];
  const { metrics, of } = registry();
  const { lab, operator } = await rig(
    {
      indexers: { secret: secretOf },
      watches: [watch('v1/configmaps', { index: 'secret', value: ({ metadata }) => metadata.name })],
      reconcile: ({ name }) => void ran.push(name),
    },
    { lab: { objects: [widget('bad'), widget('good', { secret: 'M' })] }, run: { metrics } },
  );
  expect(ran.toSorted()).toEqual(['bad', 'good']);
  const faults = () => operator.health().controllers[0];
  expect(faults()).toMatchObject({ unmapped: 1, mappingFaults: [{ mapping: 'index secret', key: 'web/bad' }], unreadable: [] });
  expect(operator.health().ready).toBe(true); // an object of one user stops no roll-out
  expect(operator.why('widgets', 'web/bad').sentence).toMatch(/; changes found by its index secret do not run it: .*undefined/);
  expect([await of('unmapped_objects'), await of('mapping_errors_total')]).toEqual([1, 1]);
  const logged = () => lab.env.lines.filter(({ message }) => message.startsWith('a mapping of a controller failed'));
  expect(logged().map(({ level, fields }) => [level, fields])).toMatchObject([
    ['error', { controller: 'widgets', mapping: 'index secret', key: 'web/bad' }],
  ]);

  // A later state that fails the same way is seen, and is not news.
  ran.length = 0;
  await lab.user.apply(widget('bad', { size: 2 }));
  await lab.settled();
  expect([ran, logged().length]).toEqual([['bad'], 1]);

  await lab.user.apply(widget('bad', { secret: 'm' }));
  await lab.settled();
  expect([faults()?.unmapped, await of('unmapped_objects'), await of('mapping_errors_total')]).toEqual([0, 0, 1]);
  ran.length = 0;
  await lab.user.apply(configMap('m'));
  await lab.settled();
  expect(ran.toSorted()).toEqual(['bad', 'good']);

  await lab.user.patch(WIDGETS, 'web/bad', { spec: { secret: null } });
  await lab.settled();
  expect(faults()?.unmapped).toBe(1);
  await lab.user.delete(WIDGETS, 'web/bad');
  await lab.settled();
  expect(faults()?.unmapped).toBe(0);
}); // prettier-ignore

test('CTR-62: an index that fails for an object of a cache that is filled already does not end the operator', async () => {
  const lab = await startLab({
    definitions: [definition()],
    objects: [widget('bad'), widget('good', { secret: 'm' })],
  });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  lab.run([controller<Widget>(lab.cluster, WIDGETS, { name: 'first', reconcile() {} })]);
  await lab.settled();
  const ran: string[] = [];
  const second = controller<Widget>(lab.cluster, WIDGETS, {
    name: 'second',
    indexers: { secret: secretOf },
    watches: [watch('v1/configmaps', { index: 'secret' })],
    reconcile: ({ name }) => void ran.push(name),
  });
  const operator = lab.run([second]);
  await lab.settled();
  expect([operator.state.kind, ran.toSorted()]).toEqual(['leading', ['bad', 'good']]);
  expect(operator.health().controllers[0]).toMatchObject({ unmapped: 1 });
  // The cache outlives this run, and keeps the index: the next run of the controller has the same one, and knows the fault.
  await operator.stop();
  const again = lab.run([second]);
  await lab.settled();
  expect(again.health().controllers[0]).toMatchObject({ unmapped: 1, mappingFaults: [{ key: 'web/bad' }] });
});

test('CTR-62: an index that does not return a list of strings is such a fault', async () => {
  const { operator } = await rig(
    { indexers: { text: () => 'm' as never, holes: () => [undefined] as never, later: (() => Promise.resolve([])) as never }, reconcile() {} },
    { lab: { objects: [widget('a')] } },
  ); // prettier-ignore
  expect(
    operator
      .health()
      .controllers[0]?.mappingFaults.map(({ mapping }) => mapping)
      .toSorted(),
  ).toEqual(['index holes', 'index later', 'index text']);
});

test('CTR-62: a watch whose keys or value fail names the object until it can be mapped or goes', async () => {
  const keysOf = ({ data }: { readonly data?: Readonly<Record<string, string>> }): string =>
    `web/${data!['for']!.trim()}`;
  const ran: string[] = [];
  const { lab, operator } = await rig(
    {
      indexers: { secret: () => ['any'] },
      watches: [
        watch('v1/configmaps', { keys: keysOf }),
        watch('v1/configmaps', { index: 'secret', value: ({ data }) => data!['value']!.trim() }),
      ],
      reconcile: ({ name }) => void ran.push(name),
    },
    { lab: { objects: [widget('a')] } },
  );
  const mappings = (): string[] | undefined =>
    operator.health().controllers[0]?.mappingFaults.map(({ mapping, key }) => `${mapping} ${key}`);
  ran.length = 0;
  await lab.user.apply(configMap('m'));
  await lab.settled();
  expect([mappings(), ran]).toEqual([['watch 1, v1/configmaps web/m', 'watch 2, v1/configmaps web/m'], []]);
  await lab.user.apply(configMap('m', { for: 'a' }));
  await lab.settled();
  expect([mappings(), ran]).toEqual([['watch 2, v1/configmaps web/m'], ['a']]);
  await lab.user.delete('v1/configmaps', 'web/m');
  await lab.settled();
  expect(mappings()).toEqual([]);
});

test('CTR-62: a value of a source whose keys fail is counted, and a standby has no faults of watches', async () => {
  const { metrics, of } = registry();
  const { lab, operator } = await rig(
    {
      watches: [
        source([{}], () => { throw new Error('no key'); }),
        watch('v1/configmaps', { keys: () => { throw new Error('no keys'); } }),
      ],
      reconcile() {},
    },
    { lab: { objects: [widget('a')] }, run: { metrics, election: 'ops/widgets' } },
  );
  await lab.user.apply(configMap('m'));
  await lab.settled();
  expect([await of('mapping_errors_total'), await of('unmapped_objects')]).toEqual([2, 1]);
  lab.server.faults.failRequests({ match: { resource: 'leases' }, status: 503, times: Infinity });
  await lab.advance(20_000);
  expect([operator.state.kind, await of('unmapped_objects')]).toEqual(['standby', 0]);
}); // prettier-ignore

test('CTR-62: an object that the cache could not hold is named, and why says it', async () => {
  const { lab, operator } = await rig({ owns: ['v1/configmaps'], reconcile() {} });
  // Another reader of the same cache, whose index refuses the object: its state is not stored.
  const informer = lab.cluster.informer<Widget, 'size'>(WIDGETS, { indexers: { size: ({ spec }) => [spec!.size!.toFixed()] } });
  onTestFinished(() => informer.close());
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(operator.health().controllers[0]?.unreadable).toMatchObject([{ resource: WIDGETS, key: 'web/a' }]);
  expect(operator.why('widgets', 'web/a').sentence).toMatch(/^web\/a is not in the cache: it could not be read: index "size" failed/);
  await lab.user.apply(widget('a', { size: 1 }));
  await lab.settled();
  expect(operator.health().controllers[0]?.unreadable).toEqual([]);
  expect(operator.why('widgets', 'web/a').kind).toBe('idle');
  await lab.user.patch(WIDGETS, 'web/a', { spec: { size: null } });
  await lab.settled();
  expect(operator.why('widgets', 'web/a').sentence).toMatch(/; its newest state could not be read: index "size" failed/);

  const maps = lab.cluster.informer('v1/configmaps', { indexers: { size: ({ data }) => [data!['size']!.trim()] } });
  onTestFinished(() => maps.close());
  await lab.user.apply(configMap('child', {}));
  await lab.settled();
  expect(operator.health().controllers[0]?.unreadable.map(({ resource, key }) => [resource, key])).toEqual([[WIDGETS, 'web/a'], ['v1/configmaps', 'web/child']]);
}); // prettier-ignore

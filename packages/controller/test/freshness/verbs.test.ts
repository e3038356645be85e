import type { ConfigMap } from '@kube-informer/kubernetes';
import { expect, test } from 'vitest';
import type { Reconcile } from '../../src/index.ts';
import { configMap, rig, type Widget, widget, WIDGETS } from '../operator/rig.ts';

const KEY = 'web/a';
const MAPS = 'v1/configmaps';
const data = { x: '2' };

/** Every way a run can write, on a map that exists. */
const WRITES: Readonly<Record<string, (run: Reconcile<Widget>) => Promise<unknown>>> = {
  create: ({ client }) => client.resource(MAPS).create(configMap('new') as ConfigMap),
  'create with a generated name': ({ client }) =>
    client.resource(MAPS).create({ metadata: { generateName: 'new-', namespace: 'web' } }),
  replace: async ({ client }) => {
    const maps = client.resource(MAPS);
    return maps.replace({ ...(await maps.get('web/map')), data });
  },
  patch: ({ client }) => client.resource(MAPS).patch('web/map', { data }),
  'json patch': ({ client }) =>
    client.resource(MAPS).patch('web/map', [{ op: 'add', path: '/data', value: data }], { type: 'json' }),
  apply: ({ apply }) =>
    apply(MAPS, { metadata: { name: 'map', namespace: 'web' }, data }, { owner: false, force: true }),
  delete: ({ delete: remove }) => remove(MAPS, 'web/map'),
  'delete of an object with a finalizer': ({ delete: remove }) => remove(MAPS, 'web/kept'),
};

test.each(Object.keys(WRITES))(
  'CTR-31: F01 %s: the next run of the key waits for the event, and sees what was written',
  async (verb) => {
    let runs = 0;
    const seen: string[] = [];
    const { lab, operator } = await rig(
      {
        owns: [MAPS],
        async reconcile(run) {
          runs += 1;
          const maps = run.list(MAPS).map(({ metadata, data: held = {} }) => `${metadata.name} ${held['x'] ?? ''} ${metadata.deletionTimestamp === undefined}`);
          if (runs === 1) await WRITES[verb]?.(run);
          else seen.push(...maps);
        },
      },
      { lab: { objects: [configMap('map', { x: '1' }), configMap('kept', {}, { finalizers: ['example.com/kept'] })] } },
    );
    lab.server.faults.pauseEvents({ resource: 'configmaps' });
    await lab.user.apply(widget('a'));
    await expect.poll(() => operator.runs('widgets', KEY).length).toBe(1);
    operator.enqueue('widgets', KEY);
    // No worker waits: the key is set aside, and its cache wakes it.
    await expect.poll(() => operator.why('widgets', KEY).kind).toBe('stale');
    await lab.env.clock.advance(1_000);
    expect(runs).toBe(1);
    lab.server.faults.resumeEvents();
    await expect.poll(() => runs, { timeout: 10_000 }).toBe(2);
    const stored = lab.list(MAPS, 'web').map(({ metadata, data: held = {} }) => `${metadata?.name} ${held['x'] ?? ''} ${metadata?.deletionTimestamp === undefined}`);
    expect(seen.toSorted()).toEqual(stored.toSorted());
  },
); // prettier-ignore

test('CTR-30: F01 the status and a patch of the own object are waited for: no run sees its object from before', async () => {
  const seen: unknown[] = [];
  const { lab, operator } = await rig({
    async reconcile({ object, patch, status }) {
      seen.push([object.status?.seen, object.metadata.annotations?.['n']]);
      const n = seen.length;
      status.set({ seen: n });
      if (n < 3) await patch({ metadata: { annotations: { n: String(n) } } });
    },
  });
  lab.server.faults.add({ match: { verb: 'watch', resource: 'widgets' }, at: { event: 1 }, do: { delay: { ms: 700 } } });
  await lab.user.apply(widget('a'));
  for (let n = 0; n < 3; n += 1) {
    await lab.advance(5_000);
    operator.enqueue('widgets', KEY);
  }
  await lab.advance(5_000);
  expect(seen.slice(0, 3)).toEqual([[undefined, undefined], [1, '1'], [2, '2']]);
  expect(lab.get<Widget>(WIDGETS, KEY)?.status?.seen).toBe(seen.length);
}); // prettier-ignore

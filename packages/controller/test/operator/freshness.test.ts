import { hasCode } from 'kube-informer';
import { expect, test } from 'vitest';
import type { Reconcile } from '../../src/index.ts';
import { rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
const map = (
  name: string,
  data: Record<string, string> = {},
): { metadata: { name: string; namespace: string }; data: Record<string, string> } => ({
  metadata: { name, namespace: 'web' },
  data,
});

test('CTR-31: F07 F10 a key waits for its own write while its watch is cut, and other keys run', async () => {
  const ran: string[] = [];
  let children = 0;
  const { lab, operator } = await rig({
    owns: ['v1/configmaps'],
    async reconcile({ name, apply, owned }) {
      ran.push(name);
      if (name !== 'a') return;
      children = owned('v1/configmaps').length;
      if (children === 0) await apply('v1/configmaps', map('child'));
    },
  });
  lab.server.faults.pauseEvents({ resource: 'configmaps' });
  await lab.user.apply(widget('a'));
  await expect.poll(() => lab.list('v1/configmaps', 'web').length).toBe(1);
  await expect.poll(() => operator.runs('widgets', KEY).length).toBe(1);
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 1 } });
  await expect.poll(() => operator.why('widgets', KEY).kind).toBe('stale');
  expect(operator.why('widgets', KEY).sentence).toContain(
    'for the cache to have its own write: v1/configmaps web/child',
  );
  await lab.user.apply(widget('b'));
  await expect.poll(() => ran).toEqual(['a', 'b']);
  lab.server.faults.resumeEvents();
  lab.server.faults.cutWatches({ resource: 'configmaps' });
  await lab.advance(60_000);
  expect(ran.filter((name) => name === 'a')).toHaveLength(2);
  expect(children).toBe(1);
  expect(operator.runs('widgets', KEY).every(({ fresh }) => fresh)).toBe(true);
});

test('CTR-33: F11 inside a run its own writes are visible in get, list, owned and byIndex', async () => {
  const seen: unknown[] = [];
  const { lab } = await rig({
    owns: ['v1/configmaps'],
    indexers: { secret: ({ spec }) => (spec?.secret === undefined ? [] : [spec.secret]) },
    async reconcile({ object, get, list, owned, byIndex, apply, patch, delete: remove }) {
      if (object.spec?.secret !== undefined) return;
      await apply('v1/configmaps', map('one', { x: '1' }));
      await apply('v1/configmaps', map('two'));
      const names = (all: readonly { metadata?: { name?: string } }[]): unknown =>
        all.map(({ metadata }) => metadata?.name ?? '').toSorted((a, b) => (a < b ? -1 : 1));
      seen.push(
        get('v1/configmaps', 'web/one')?.data?.['x'],
        names(list('v1/configmaps', { namespace: 'web' })),
        names(owned('v1/configmaps')),
      );
      await remove('v1/configmaps', 'web/two');
      seen.push(names(owned('v1/configmaps')));
      await patch({ spec: { secret: 'tls' } });
      seen.push(names(byIndex('secret', 'tls')));
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(seen).toEqual(['1', ['one', 'two'], ['one', 'two'], ['one'], ['a']]);
});

test('CTR-35: F12 after a write whose answer was lost the next run sees it: there is one child', async () => {
  const { lab, outcomes } = await rig({
    owns: ['v1/configmaps'],
    async reconcile({ get, client }) {
      if (get('v1/configmaps', 'web/child') !== undefined) return;
      await client.resource('v1/configmaps').create({ apiVersion: 'v1', kind: 'ConfigMap', ...map('child') } as never);
    },
  });
  lab.server.faults.add({
    match: { verb: 'create', resource: 'configmaps' },
    at: 'head',
    do: { cut: 'rst' },
    times: 1,
  });
  await lab.user.apply(widget('a'));
  await lab.advance(3_000);
  expect(lab.list('v1/configmaps', 'web')).toHaveLength(1);
  expect(outcomes(KEY)).toEqual(['error', 'success']);
});

test('CTR-35: deleteCollection is refused, and reads of undeclared resources name the declared ones', async () => {
  const errors: unknown[] = [];
  const { lab } = await rig({
    async reconcile({ client, get }: Reconcile<Widget>) {
      await client
        .resource('v1/configmaps')
        .deleteCollection()
        .catch((error: unknown) => errors.push(error));
      try {
        get('v1/secrets', 'web/x');
      } catch (error) {
        errors.push(error);
      }
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(errors.map((error) => hasCode(error, 'INVALID_OPTION'))).toEqual([true, true]);
  expect((errors[1] as Error).message).toContain(`expected one of ${WIDGETS}`);
});

test('CTR-34: a dry run is neither remembered nor visible: nothing was written', async () => {
  const seen: unknown[] = [];
  const { lab, operator } = await rig({
    owns: ['v1/configmaps'],
    async reconcile({ client, get }) {
      const made = { apiVersion: 'v1', kind: 'ConfigMap', ...map('child') };
      seen.push((await client.resource('v1/configmaps').create(made as never, { dryRun: true })).metadata?.name);
      seen.push(get('v1/configmaps', 'web/child'));
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  operator.enqueue('widgets', KEY);
  await lab.settled();
  expect(seen).toEqual(['child', undefined, 'child', undefined]);
  expect(operator.runs('widgets', KEY).map(({ outcome, writes }) => [outcome, writes])).toEqual([
    ['success', []],
    ['success', []],
  ]);
});

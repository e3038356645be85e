import type { ApiObject } from '@kube-informer/apiserver';
import { expect, test } from 'vitest';
import { controller, terminal, watch } from '../../src/index.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from '../operator/rig.ts';

const KEY = 'web/a';
const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace: 'web' }, data });

test('CTR-40: B09 a child whose apply conflicts or fails is still wanted: it is not deleted, although the run succeeds', async () => {
  const outcomes: string[] = [];
  const { lab } = await rig({
    owns: ['v1/configmaps'],
    prune: true,
    async reconcile({ object, apply }) {
      const { size = 0 } = object.spec ?? {};
      const applied = await apply('v1/configmaps', map('child', { size: String(size) }), { force: false }).catch(
        () => ({ outcome: 'failed' }) as const, // handled by the controller, which continues with other children
      );
      outcomes.push(applied.outcome);
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.user.apply(configMap('child', { size: 'mine' }));
  await lab.settled();
  lab.server.faults.failRequests({ match: { resource: 'configmaps', verb: 'patch' }, status: 422, times: 1 });
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 2 } });
  await lab.settled();
  expect(outcomes).toEqual(['created', 'unchanged', 'conflict', 'failed']);
  expect(lab.get('v1/configmaps', 'web/child')?.data).toEqual({ size: 'mine' });
});

test('CTR-38: a status of a resource without a status subresource is a failure that says what to add, not lost in silence', async () => {
  const { spec, ...rest } = definition() as ApiObject & { spec: { versions: object[] } };
  const versions = spec.versions.map((version) => ({ ...version, subresources: {} }));
  const { lab, operator, outcomes } = await rig(
    { retry: { initialMs: 3_600_000, maxMs: 3_600_000 }, reconcile: ({ status }) => status.set({ seen: 1 }) },
    { lab: { definitions: [{ ...rest, spec: { ...spec, versions } }] } },
  );
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(outcomes(KEY)).toEqual(['error']);
  expect(operator.runs('widgets', KEY)[0]?.error).toMatch(
    /status: example.com\/v1\/widgets has no status subresource; .* add subresources: \{ status: \{\} \}/,
  );
});

test('CTR-38: B06 a status that shares a map with another manager is not written again by every run', async () => {
  const { lab, operator } = await rig({ reconcile: ({ status }) => status.set({ map: { ours: 1 } } as object) });
  await lab.user.apply(widget('a'));
  await lab.settled();
  const theirs = { ...widget('a'), spec: undefined, status: { map: { theirs: 2 } } } as never;
  const how = { fieldManager: 'other', subresource: 'status' };
  await lab.cluster.resource<Widget>(WIDGETS).apply(theirs, how);
  await lab.settled();
  operator.enqueue('widgets', KEY);
  await lab.settled();
  expect(operator.runs('widgets', KEY).map(({ writes }) => writes.length)).toEqual([1, 0]);
  expect(lab.get<Widget>(WIDGETS, KEY)?.status).toEqual({ map: { ours: 1, theirs: 2 } });
});

test('CTR-24: an object runs at least every so often, also if its run asks to be run later', async () => {
  const reasons: string[] = [];
  const { lab } = await rig({
    atLeastEveryMs: 60_000,
    reconcile({ reasons: why }) {
      reasons.push(why.join());
      return { requeueAfterMs: reasons.length === 1 ? 3_600_000 : 1_000 };
    },
  });
  await lab.user.apply(widget('a'));
  await lab.advance(68_000);
  expect(reasons.slice(0, 3)).toEqual(['created', 'resync', 'requeue']);
});

test('CTR-39: an apply to an object that is cached without its fields is sent: whether it would change something is not known', async () => {
  const { lab } = await rig({
    watches: [watch('v1/configmaps', { metadataOnly: true, labels: 'made=yes', keys: () => KEY })],
    async reconcile({ apply }) {
      const metadata = { name: 'made', namespace: 'web', labels: { made: 'yes' } };
      await apply('v1/configmaps', { metadata, data: { one: '1', two: '2' } }, { owner: false, force: true });
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.user.patch('v1/configmaps', 'web/made', { data: { one: 'meddled with' } });
  await lab.settled();
  expect(lab.get('v1/configmaps', 'web/made')?.data).toEqual({ one: '1', two: '2' });
});

test('CTR-63: writes to an object that is cached without its fields are not a fight over them', async () => {
  let times = 0;
  const { lab } = await rig({
    watches: [watch('v1/configmaps', { metadataOnly: true, keys: () => undefined })],
    async reconcile({ client }) {
      times += 1;
      await client.resource('v1/configmaps').patch('web/made', { metadata: { annotations: { times: String(times) } } });
    },
  });
  await lab.user.apply(configMap('made', { one: '1' }));
  for (let size = 0; size < 8; size += 1) {
    await lab.user.apply(widget('a', { size }));
    await lab.settled();
  }
  expect(times).toBe(8);
  expect(lab.env.lines.filter(({ message }) => message.includes('change the same field'))).toEqual([]);
});

test('CTR-03: a controller of one namespace may watch a cluster-scoped resource: it has no namespace to inherit', async () => {
  const reasons: string[] = [];
  const { lab, operator } = await rig({
    namespace: 'web',
    watches: [watch('storage.k8s.io/v1/storageclasses', { keys: () => KEY })],
    reconcile: ({ reasons: why }) => void reasons.push(...why),
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  const apiVersion = 'storage.k8s.io/v1';
  await lab.user.apply({ apiVersion, kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'x' } as never);
  await lab.settled();
  expect(operator.health().reasons).toEqual([]);
  expect(reasons).toEqual(['created', 'related(storage.k8s.io/v1/storageclasses fast)']);
});

test('CTR-36: a cleanup that fails for good is an event at once: nothing retries it, and the deletion waits', async () => {
  const { lab } = await rig({
    reconcile() {},
    cleanup() {
      throw terminal('the bucket is locked by law');
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.user.delete(WIDGETS, KEY);
  await lab.settled();
  const events = lab.list('events.k8s.io/v1/events').map(({ reason, note }) => [reason, note]);
  expect(events).toEqual([['DeletionBlocked', expect.stringContaining('the bucket is locked by law')]]);
});

test('CTR-51, CTR-52: a lease that can never be acquired is in the log, in why and in /readyz, with the reason', async () => {
  const { lab, operator } = await rig({ reconcile() {} }, { run: { election: 'ops/widgets' } });
  await operator.stop();
  lab.server.faults.failRequests({
    match: { resource: 'leases', verb: ['create', 'update'] },
    status: 403,
    times: Infinity,
  });
  const second = lab.run([controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', reconcile() {} })], {
    election: 'ops/others',
  });
  await lab.advance(14_000);
  const warnings = lab.env.lines.filter(({ level, message }) => level === 'warn' && message.startsWith('the lease'));
  expect(warnings).toMatchObject([
    { message: 'the lease cannot be acquired; nothing runs until it can', fields: { name: 'others' } },
  ]);
  expect(second.why('widgets', KEY).sentence).toMatch(
    /^web\/a does not run here: no leader is known; the lease cannot be acquired: .*(forbidden|403)/i,
  );
  expect(second.health().ready).toBe(true);
  await lab.advance(60_000);
  expect(second.health().reasons).toEqual([
    expect.stringMatching(/^the lease could not be acquired for 7\d s, and no process leads: /),
  ]);
  lab.server.faults.clear();
  await lab.advance(6_000);
  expect([second.state.kind, second.health().reasons]).toEqual(['leading', []]);
});

test('CTR-36: two controllers cannot share a finalizer, and the one in use cannot be retired', async () => {
  const { lab } = await rig({ reconcile() {}, cleanup() {} });
  const define = (options: object) =>
    controller<Widget>(lab.cluster, WIDGETS, { name: 'others', reconcile() {}, cleanup() {}, ...options });
  expect(() => lab.run([define({ finalizer: 'example.com/widgets' })])).toThrow(
    'finalizer: another controller of example.com/v1/widgets uses example.com/widgets; the first cleanup would free',
  );
  // A refused start gives its names back.
  await lab.run([define({})]).stop();
  expect(() => define({ retiredFinalizers: ['example.com/others'] })).toThrow(
    'retiredFinalizers: expected finalizers of older versions, not the one of this cleanup, got "example.com/others"',
  );
});

test('CTR-52: why of a key without its namespace, or with one too many, says what a key looks like', async () => {
  const { lab, operator } = await rig({ reconcile() {}, namespace: 'web' });
  await lab.user.apply(widget('a'));
  const others = lab.run([controller(lab.cluster, 'v1/namespaces', { name: 'others', reconcile() {} })]);
  await lab.settled();
  expect(operator.why('widgets', 'a').sentence).toBe('a is not in the cache: it is in a namespace, so its key is namespace/a');
  expect(others.why('others', 'web/a').sentence).toBe('web/a is not in the cache: namespaces have no namespace; the key is a name');
}); // prettier-ignore

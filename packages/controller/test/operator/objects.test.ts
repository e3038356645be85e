import { expect, test } from 'vitest';
import { controller } from '../../src/index.ts';
import { rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
const map = (name: string): { readonly metadata: object; readonly data: object } => ({
  metadata: { name, namespace: 'web' },
  data: {},
});

test('CTR-36: B02 the finalizer is there before the first reconcile, and goes only after the cleanup succeeded', async () => {
  const seen: unknown[] = [];
  let fails = 2;
  const { lab, outcomes } = await rig({
    reconcile: ({ object }) => void seen.push(object.metadata.finalizers),
    cleanup() {
      fails -= 1;
      if (fails >= 0) throw new Error('the bucket is locked');
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(seen[0]).toEqual(['example.com/widgets']);
  await lab.user.delete(WIDGETS, KEY);
  await lab.env.clock.advance(0);
  await lab.advance(1_000);
  expect(lab.get<Widget>(WIDGETS, KEY)).toBeUndefined();
  expect(fails).toBeLessThan(0);
  expect(outcomes(KEY).filter((outcome) => outcome === 'error')).toHaveLength(2);
});

test('CTR-36: a cleanup that fails for more than 5 minutes is one event about the object', async () => {
  const { lab } = await rig({
    reconcile() {},
    cleanup() {
      throw new Error('the bucket is locked');
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.user.delete(WIDGETS, KEY);
  const events = (): unknown[] =>
    lab.list('events.k8s.io/v1/events').map(({ type, reason, note }) => [type, reason, note]);
  await lab.advance(1_000);
  expect(events()).toEqual([]);
  lab.env.clock.jumpWall(300_000);
  await lab.advance(3_000);
  expect(events()).toEqual([
    ['Warning', 'DeletionBlocked', 'the cleanup of widgets fails; finalizer example.com/widgets'],
  ]);
  expect(lab.get<Widget>(WIDGETS, KEY)?.metadata?.finalizers).toEqual(['example.com/widgets']);
});

test('CTR-36: B03 a retired finalizer goes without a callback', async () => {
  const { lab } = await rig(
    { reconcile() {}, retiredFinalizers: ['example.com/old'] },
    { lab: { objects: [widget('a', {}, { finalizers: ['example.com/old', 'other.com/theirs'] })] } },
  );
  expect(lab.get<Widget>(WIDGETS, KEY)?.metadata?.finalizers).toEqual(['other.com/theirs']);
});

test('CTR-38: B06 the status is written once, after the run, also after a throw, and its echo runs nothing', async () => {
  let runs = 0;
  const { lab, operator } = await rig({
    reconcile({ object, status }) {
      runs += 1;
      status.set({ seen: object.spec?.size ?? 0 });
      status.condition('Ready', false, { reason: 'Broken', message: 'no' });
      if (runs === 1) throw new Error('no');
    },
  });
  await lab.user.apply(widget('a', { size: 3 }));
  await lab.advance(1_000);
  const stored = lab.get<Widget>(WIDGETS, KEY);
  expect(stored?.status).toMatchObject({
    seen: 3,
    conditions: [{ type: 'Ready', status: 'False', observedGeneration: 1 }],
  });
  expect(operator.runs('widgets', KEY).map(({ outcome, writes }) => [outcome, writes.length])).toEqual([
    ['error', 1],
    ['success', 0],
  ]);
});

test('CTR-39, CTR-40: B08 B09 an unchanged child is not sent, and one that is no longer applied goes', async () => {
  const outcomes: string[] = [];
  const { lab, operator } = await rig({
    owns: ['v1/configmaps'],
    prune: true,
    async reconcile({ object, apply }) {
      for (let n = 0; n < (object.spec?.size ?? 0); n += 1)
        outcomes.push((await apply('v1/configmaps', map(`child-${n}`))).outcome);
    },
  });
  await lab.user.apply(widget('a', { size: 2 }));
  await lab.settled();
  expect(outcomes.slice(0, 2)).toEqual(['created', 'created']);
  operator.enqueue('widgets', KEY);
  await lab.settled();
  expect(outcomes.slice(-2)).toEqual(['unchanged', 'unchanged']);
  expect(operator.runs('widgets', KEY).at(-1)?.writes).toEqual([]);
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 1 } });
  await lab.settled();
  expect(lab.list('v1/configmaps', 'web').map(({ metadata }) => metadata?.name)).toEqual(['child-0']);
  expect(lab.list('v1/configmaps', 'web')[0]?.metadata?.ownerReferences).toMatchObject([
    { kind: 'Widget', name: 'a', controller: true },
  ]);
});

test('CTR-40: B09 a run that throws, and one without proof that the caches are fresh, delete no child', async () => {
  let outcome: 'success' | 'error' = 'error';
  const seen: boolean[] = [];
  const { lab, operator } = await rig({
    owns: ['v1/configmaps'],
    prune: true,
    async reconcile({ object, apply, fresh }) {
      seen.push(fresh);
      for (let n = 0; n < (object.spec?.size ?? 0); n += 1) await apply('v1/configmaps', map(`child-${n}`));
      if (outcome === 'error' && object.spec?.size === 1) throw new Error('after the first child');
    },
  });
  const children = (): number => lab.list('v1/configmaps', 'web').length;
  await lab.user.apply(widget('a', { size: 2 }));
  await lab.settled();
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 1 } });
  await lab.advance(2_000);
  expect([children(), operator.runs('widgets', KEY).at(-1)?.outcome]).toEqual([2, 'error']);

  // The caches stand still, and what was written cannot be read either.
  lab.server.faults.pauseEvents({ resource: 'configmaps' });
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 3 } });
  await expect.poll(async () => (await lab.env.clock.advance(100), children())).toBe(3);
  // A delete would succeed.
  for (const verb of ['get', 'list'] as const)
    lab.server.faults.failRequests({ match: { resource: 'configmaps', verb }, status: 503, times: Infinity });
  outcome = 'success';
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 0 } });
  const unproven = async (): Promise<boolean | undefined> => (await lab.env.clock.advance(1_000), seen.at(-1));
  await expect.poll(unproven, { interval: 1, timeout: 30_000 }).toBe(false);
  await expect.poll(() => operator.runs('widgets', KEY).at(-1)).toMatchObject({ fresh: false, writes: [] });
  expect(children()).toBe(3);
});

test('CTR-40: a child whose delete conflicts is deleted by a later run, though no event asks for one', async () => {
  const { lab } = await rig({
    owns: ['v1/configmaps'],
    prune: true,
    async reconcile({ object, apply }) {
      for (let n = 0; n < (object.spec?.size ?? 0); n += 1) await apply('v1/configmaps', map(`child-${n}`));
    },
  });
  await lab.user.apply(widget('a', { size: 2 }));
  await lab.settled();
  lab.server.faults.failRequests({ match: { resource: 'configmaps', verb: 'delete' }, status: 409, times: 3 });
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 1 } });
  await lab.advance(10_000);
  expect(lab.list('v1/configmaps', 'web').map(({ metadata }) => metadata?.name)).toEqual(['child-0']);
});

test('CTR-44, CTR-47: one replica runs; the other is warm, and takes over when the lease is lost', async () => {
  const ran: string[] = [];
  const { lab, operator } = await rig(
    { reconcile: ({ name }) => void ran.push(`first ${name}`) },
    { run: { election: { lease: 'web/widgets', identity: 'first' } }, lab: { objects: [widget('a')] } },
  );
  await lab.advance(3_000);
  expect(operator.state.kind).toBe('leading');
  const other = await lab.connect();
  const second = lab.run(
    [
      controller<Widget>(other, WIDGETS, {
        name: 'widgets-2',
        reconcile: ({ name }) => void ran.push(`second ${name}`),
      }),
    ],
    { election: { lease: 'web/widgets', identity: 'second' } },
  );
  await lab.advance(5_000);
  expect(second.state).toEqual({ kind: 'standby', leader: 'first' });
  expect(second.health().ready).toBe(true);
  expect(second.why('widgets-2', KEY)).toMatchObject({
    kind: 'standby',
    sentence: expect.stringContaining('first leads'),
  });
  expect(ran).toEqual(['first a']);
  const stopped = operator.stop();
  await lab.advance(10_000);
  await stopped;
  expect(second.state.kind).toBe('leading');
  expect(ran).toEqual(['first a', 'second a']);
  expect([...operator.writes, ...second.writes].filter(({ held }) => !held)).toEqual([]);
});

test('CTR-05: a stop lets runs end; ready keys are dropped', async () => {
  const ended: string[] = [];
  const { lab, operator } = await rig({
    concurrency: 1,
    async reconcile({ name }) {
      await lab.env.sleep(5_000);
      ended.push(name);
    },
  });
  await lab.user.apply(widget('a'));
  await lab.user.apply(widget('b'));
  await expect.poll(() => operator.why('widgets', KEY).kind).toBe('running');
  const stopped = operator.stop();
  expect(operator.state.kind).not.toBe('ended');
  for (let step = 0; step < 100 && operator.state.kind !== 'ended'; step += 1) await lab.env.clock.advance(100);
  await stopped;
  expect(ended).toEqual(['a']);
  expect(operator.state.kind).toBe('ended');
});

test('CTR-05: a run that does not end after its abort makes `ended` reject', async () => {
  const { lab, operator } = await rig({ reconcile: () => new Promise(() => {}) }, { run: { graceMs: 1_000 } });
  await lab.user.apply(widget('a'));
  await expect.poll(() => operator.why('widgets', KEY).kind).toBe('running');
  void operator.stop();
  for (let step = 0; step < 300 && operator.state.kind !== 'ended'; step += 1) await lab.env.clock.advance(100);
  await expect(operator.ended).rejects.toMatchObject({ code: 'RUN_ABORTED' });
});

test('CTR-51, CTR-54: probes and permissions', async () => {
  const { operator } = await rig({ owns: ['v1/configmaps'], reconcile() {} });
  const ask = (url: string): number => {
    let status = 0;
    operator.probes()({ url }, { writeHead: (code) => (status = code), end() {} });
    return status;
  };
  expect([ask('/livez'), ask('/readyz'), ask('/other')]).toEqual([200, 200, 404]);
  expect(operator.rbac()).toContainEqual({
    apiGroups: ['example.com'],
    resources: ['widgets'],
    verbs: ['get', 'list', 'patch', 'watch'],
  });
  expect(operator.health().missingPermissions).toEqual([]);
});

test('CTR-44: in a lab, objects have uids and replicas have identities of their own', async () => {
  const { lab, operator } = await rig({ reconcile() {} }, { run: { election: 'web/widgets' } });
  const uids = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => (await lab.user.apply(widget(name))).metadata?.uid),
  );
  expect(new Set(uids).size).toBe(3);
  const another = controller<Widget>(await lab.connect(), WIDGETS, { name: 'widgets', reconcile() {} });
  const second = lab.run([another], { election: 'web/widgets' });
  await lab.advance(5_000);
  expect([operator.state, second.state]).toEqual([{ kind: 'leading' }, { kind: 'standby', leader: 'replica-1' }]);
});

/** Mistakes of people who write their first controller, and what they are told. */
import { expect, onTestFinished, test } from 'vitest';
import { controller, run } from '../../src/index.ts';
import { type Lab, startLab } from '../../src/testing/lab.ts';
import { jsonHashOf } from '../../src/objects/json-hash.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from '../operator/rig.ts';

const MAPS = 'v1/configmaps';
const KEY = 'web/a';
const NEVER = { initialMs: 3_600_000, maxMs: 3_600_000 };
const objects = [widget('a')];

async function lab(): Promise<Lab> {
  const started = await startLab({ definitions: [definition()], objects });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

test('CTR-05: an operator whose signal is aborted before its start ends at once, and runs nothing', async () => {
  const here = await lab();
  let ran = 0;
  const widgets = controller<Widget>(here.cluster, WIDGETS, { name: 'widgets', reconcile: () => void (ran += 1) });
  const operator = run([widgets], { signal: AbortSignal.abort(), env: here.env });
  await operator.ended;
  expect([ran, operator.state.kind]).toEqual([0, 'ended']);
  // The name is free again.
  await run([widgets], { env: here.env }).stop();
});

test('CTR-05: an operator that was told to stop says so while its runs have their grace', async () => {
  let end = (): void => {};
  const here = await lab();
  const busy = here.run([
    controller<Widget>(here.cluster, WIDGETS, {
      name: 'busy',
      reconcile: () => new Promise<void>((resolve) => (end = resolve)),
    }),
  ]);
  await expect.poll(() => busy.why('busy', KEY).kind).toBe('running');
  const stopped = busy.stop();
  expect(busy.state.kind).toBe('stopping');
  end();
  await stopped;
  expect(busy.state.kind).toBe('ended');
});

test('CTR-02: what a server would refuse in every run, or no program can do, is refused by controller()', async () => {
  const here = await lab();
  const make =
    (options: object, cluster: unknown = here.cluster) =>
    () =>
      controller<Widget>(cluster as Lab['cluster'], WIDGETS, { name: 'x', reconcile: () => {}, ...options });
  const cleanup = (): void => {};
  for (const finalizer of [`example.com/${'a'.repeat(64)}`, 'Example.com/x', 'a b/c', `${'a'.repeat(254)}/x`, 'a/-x'])
    expect(make({ cleanup, finalizer }), finalizer).toThrow(/finalizer: expected domain\/name/);
  expect(make({ cleanup, finalizer: `example.com/${'A'.repeat(62)}z` })).not.toThrow();
  expect(make({ concurrency: Number.MAX_SAFE_INTEGER })).toThrow(
    /concurrency: expected a whole number from 1 to 10000/,
  );
  expect(make({ settleMs: Infinity })).toThrow(/settleMs/);
  expect(make({ retry: { jitter: Infinity } })).toThrow(/retry.jitter/);
  expect(make({ retry: { maxMs: Infinity } })).toThrow(/retry.maxMs/);
  for (const option of ['election', 'drain', 'prune'])
    expect(make({ [option]: 'yes' }), option).toThrow(`option ${option}: expected true or false, got "yes"`);
  expect(make({ namespace: [] })).toThrow(/namespace: expected a name, or a list of names/);
  for (const cluster of [null, {}]) expect(make({}, cluster)).toThrow(/cluster: expected a Cluster/);
});

test('CTR-02: an option of run() of the wrong kind is refused by name', async () => {
  const here = await lab();
  const widgets = controller<Widget>(here.cluster, WIDGETS, { name: 'widgets', reconcile: () => {} });
  const start = (options: object) => () => run([widgets], { env: here.env, ...options });
  expect(start({ signal: 'SIGTERM' })).toThrow(/option signal: expected an AbortSignal/);
  expect(start({ metrics: null })).toThrow(/option metrics: expected an object/);
  expect(start({ election: { lease: 'a/b', cluster: {} } })).toThrow(/option election.cluster: expected a Cluster/);
  const operator = here.run([widgets]);
  expect(() => operator.why('widgets', undefined as unknown as string)).toThrow(/option key: expected a text/);
  expect(() => operator.inspectKey('widgets', 5 as unknown as string)).toThrow(/option key: expected a text/);
});

test('CTR-02: options that are changed after controller() do not change the controller', async () => {
  const here = await lab();
  const ran: string[] = [];
  const options = { name: 'widgets', reconcile: (): void => void ran.push('first') };
  const widgets = controller<Widget>(here.cluster, WIDGETS, options);
  options.reconcile = () => void ran.push('second');
  here.run([widgets]);
  await here.settled();
  expect(ran).toEqual(['first']);
});

test('CTR-22: a reconcile that is a generator fails: its body would never run', async () => {
  for (const reconcile of [function* () {}, async function* () {}]) {
    const { operator } = await rig({ retry: NEVER, reconcile: reconcile as () => void }, { lab: { objects } });
    expect(operator.runs('widgets', KEY).at(-1)?.error).toMatch(/expected nothing or \{ requeueAfterMs \}/);
  }
});

test.each<[string, (child: Record<string, unknown>) => unknown, RegExp]>([
  [
    'contains itself',
    (child) => (child['data'] = { child }),
    /apply: .* cannot be written as JSON: it contains itself/,
  ],
  ['has a BigInt', (child) => (child['data'] = { n: 5n }), /apply: .* cannot be written as JSON: .*BigInt/],
])('CTR-39: an apply of an object that %s is a failure that says so', async (_, spoil, message) => {
  const child: Record<string, unknown> = { ...configMap('c') };
  spoil(child);
  const { operator } = await rig(
    { owns: [MAPS], retry: NEVER, reconcile: async ({ apply }) => void (await apply(MAPS, child)) },
    { lab: { objects } },
  );
  expect(operator.runs('widgets', KEY).at(-1)?.error).toMatch(message);
});

test('CTR-39: a typo in an option of apply is a failure that names the known ones', async () => {
  const { operator } = await rig(
    {
      owns: [MAPS],
      retry: NEVER,
      reconcile: async ({ apply }) => void (await apply(MAPS, configMap('c'), { froce: true } as object)),
    },
    { lab: { objects } },
  );
  expect(operator.runs('widgets', KEY).at(-1)?.error).toBe(
    'apply v1/configmaps: unknown option "froce": expected one of force, owner',
  );
});

test('CTR-39: the hash of an object is that of its JSON, whatever the order of its fields', () => {
  const one = {
    b: [1, undefined, { d: null, c: 'x' }],
    a: new Date(0),
    n: undefined,
    f: () => 1,
    t: { toJSON: () => 5 },
  };
  const same = { t: 5, a: '1970-01-01T00:00:00.000Z', b: [1, null, { c: 'x', d: null }] };
  expect(jsonHashOf(one)).toBe(jsonHashOf(same));
  for (const other of [{ ...same, t: '5' }, { ...same, t: 6 }, { ...same, x: {} }, { ...same, b: [] }, [same], 'x', {}])
    expect(jsonHashOf(other)).not.toBe(jsonHashOf(same));
  expect(jsonHashOf(undefined)).toBe(jsonHashOf(null));
  expect(jsonHashOf({ a: '","b":"' })).not.toBe(jsonHashOf({ a: '', b: '' }));
});

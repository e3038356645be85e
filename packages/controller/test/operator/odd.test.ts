import { expect, onTestFinished, test } from 'vitest';
import { controller, type Operator, type OperatorOptions, run } from '../../src/index.ts';
import { type Lab, startLab } from '../../src/testing/lab.ts';
import { definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
/** Retries that no test waits for. */
const NEVER = { initialMs: 3_600_000, maxMs: 3_600_000 };

async function startWidgets(): Promise<Lab> {
  const lab = await startLab({ definitions: [definition()] });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  return lab;
}

/** Moves the clock while requests are answered, although a run never ends. */
async function pass(lab: Lab, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    await lab.env.clock.advance(500);
    await lab.env.yield();
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

test('CTR-20: R04 a thrown value that cannot be read is a failed run', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  let tries = 0;
  const { lab, outcomes } = await rig({
    reconcile() {
      if ((tries += 1) === 1) throw proxy;
    },
  });
  await lab.user.apply(widget('a'));
  await lab.advance(1_000);
  expect(outcomes(KEY)).toEqual(['error', 'success']);
});

test.each([
  [['Ready', 'False', { reason: 'X' }], /condition status: expected true, false or "Unknown", got "False"/],
  [['Ready', undefined, { reason: 'X' }], /condition status: .* got undefined/],
  [['Ready', true], /condition reason: expected a word/],
  [[5, true, { reason: 'X' }], /condition type: .* got 5/],
])('CTR-38: the condition %j is refused where it is set', async (args, message) => {
  const { lab, operator } = await rig({
    retry: NEVER,
    reconcile: ({ status }) => (status.condition as (...all: unknown[]) => void)(...args),
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(operator.runs('widgets', KEY)[0]?.error).toMatch(message);
  expect(lab.get<Widget>(WIDGETS, KEY)?.status).toBeUndefined();
});

test.each([
  [{ seen: 5n }, /status: it cannot be written as JSON: .*BigInt/],
  ['text', /status.set: expected an object with fields of the status, got "text"/],
  [[1], /status.set: .* got an array/],
])('CTR-38: the status %o is refused', async (part, message) => {
  const { lab, operator } = await rig({ retry: NEVER, reconcile: ({ status }) => status.set(part as never) });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(operator.runs('widgets', KEY)[0]?.error).toMatch(message);
});

test('CTR-02: an option of the wrong kind is refused by name, not by an operator that ends or does nothing', async () => {
  const lab = await startWidgets();
  const define = (options: object) => () => controller<Widget>(lab.cluster, WIDGETS, { name: 'x', reconcile() {}, ...options }); // prettier-ignore
  expect(define({ owns: 'v1/configmaps' })).toThrow('option owns: expected a list of resources');
  expect(define({ owns: ['configmaps'] })).toThrow('option owns: expected a full name');
  expect(define({ watches: {} })).toThrow('option watches: expected a list');
  expect(define({ labels: '===' })).toThrow('label selector "==="');
  expect(define({ namespace: 5 })).toThrow('option namespace: expected a name');
  expect(define({ indexers: { x: 5 } })).toThrow('option indexers.x: expected a function');
  expect(define({ on: 5 })).toThrow('option on: expected "spec"');
  expect(define({ deleted: 'x' })).toThrow('option deleted: expected a function');
  expect(define({ scope: {} })).toThrow('option scope: expected an object with');
  expect(define({ timeoutMs: '5' })).toThrow('option timeoutMs: expected a number');
  const start = (options: object) => (): Operator => run([define({})()], options as OperatorOptions);
  expect(start({ election: {} })).toThrow('option election: expected namespace/name of a Lease');
  expect(start({ election: 'a/b/c' })).toThrow('option election: expected namespace/name of a Lease');
  expect(start({ election: 'lease' })).toThrow('option election: expected namespace/name of a Lease');
  expect(start({ election: { lease: 'a/b', name: 'c' } })).toThrow('unknown option "name"');
  expect(start({ graceMs: 'long' })).toThrow('option graceMs: expected a number');
  // A refused start gives the name back.
  await start({ env: lab.env })().stop();
});

test('CTR-03: a cache that cannot be opened ends the operator with its error, also while it waits for a lease', async () => {
  const lab = await startWidgets();
  const cluster = await lab.connect();
  const one = controller<Widget>(cluster, WIDGETS, { name: 'x', reconcile() {} });
  await cluster.client.discovery.find(WIDGETS); // so that only the cache is missing
  const operator = lab.run([one], { election: 'ops/x' });
  void cluster.close();
  await expect(operator.ended).rejects.toMatchObject({ code: 'ILLEGAL_STATE' });
  expect(operator.state.kind).toBe('ended');
});

test('CTR-51: an operator whose cluster was closed is not live', async () => {
  const lab = await startWidgets();
  const cluster = await lab.connect();
  const operator = lab.run([controller<Widget>(cluster, WIDGETS, { name: 'x', reconcile() {} })]);
  await lab.settled();
  expect(operator.health().live).toBe(true);
  await cluster.close();
  expect(operator.health()).toMatchObject({
    live: false,
    reasons: ['controller x does nothing: its cluster is closed'],
  });
  await operator.stop();
});

test('CTR-23: R07 a controller that changes its own spec in every run is found, although each run has a new generation', async () => {
  let runs = 0;
  const { lab } = await rig({
    async reconcile({ patch }) {
      runs += 1;
      await patch({ spec: { size: runs } });
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(runs).toBe(21);
  const warning = lab.env.lines.find(({ message }) => message.startsWith('the runs of a key cause each other'));
  expect(warning?.fields).toMatchObject({ changing: 'spec.size' });
  await lab.user.patch(WIDGETS, KEY, { spec: { secret: 'by a user' } });
  await lab.advance(1_000);
  expect(runs).toBeGreaterThan(30); // a new spec starts over
});

test('CTR-21: R03 a run that changes its own spec and fails backs off', async () => {
  const attempts: number[] = [];
  const { lab } = await rig({
    async reconcile({ attempt, patch }) {
      attempts.push(attempt);
      await patch({ spec: { size: attempts.length } });
      throw new Error('no');
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.advance(100);
  expect(attempts.slice(0, 3)).toEqual([1, 2, 3]);
});

test('CTR-36: a deletion that waits for the finalizer of a controller without a cleanup is in the log', async () => {
  const { lab } = await rig({ reconcile() {} });
  await lab.user.apply(widget('a', {}, { finalizers: ['example.com/widgets'] }));
  await lab.settled();
  const warnings = (): unknown[] =>
    lab.env.lines.filter(({ message }) => message.includes('retiredFinalizers')).map(({ fields }) => fields);
  expect(warnings()).toEqual([]);
  await lab.user.delete(WIDGETS, KEY);
  await lab.settled();
  expect(warnings()).toEqual([{ controller: 'widgets', key: KEY, finalizer: 'example.com/widgets' }]);
});

test('CTR-47: a run that does not end after its lease was lost ends the operator: the process should exit', async () => {
  const lab = await startWidgets();
  const one = controller<Widget>(lab.cluster, WIDGETS, { name: 'x', reconcile: () => new Promise(() => {}) });
  const operator = lab.run([one], { election: 'ops/x' });
  await lab.settled();
  await lab.user.apply(widget('a'));
  await expect.poll(() => operator.why('x', KEY).kind).toBe('running');
  lab.server.faults.failRequests({ match: { resource: 'leases' }, status: 503, times: Infinity });
  await pass(lab, 20_000);
  await expect(operator.ended).rejects.toThrow(
    /still run although they were aborted: exit the process|exit this process/,
  );
});

test('CTR-05: the lease is not released while a run does not end after a stop: it expires', async () => {
  const lab = await startWidgets();
  const one = controller<Widget>(lab.cluster, WIDGETS, { name: 'x', reconcile: () => new Promise(() => {}) });
  const operator = lab.run([one], { election: 'ops/x', graceMs: 1_000 });
  await lab.settled();
  await lab.user.apply(widget('a'));
  await expect.poll(() => operator.why('x', KEY).kind).toBe('running');
  void operator.stop();
  await pass(lab, 8_000);
  await expect(operator.ended).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  expect(lab.get('coordination.k8s.io/v1/leases', 'ops/x')?.spec).toMatchObject({
    holderIdentity: 'replica-1',
    leaseDurationSeconds: 15,
  });
});

test('CTR-39: an apply of nothing names what it expects, and a missing resource is a failed run with a hint', async () => {
  const errors: string[] = [];
  const { lab } = await rig({
    owns: ['v1/configmaps'],
    async reconcile({ apply }) {
      const keep = (error: Error): void => void errors.push(error.message);
      await apply('v1/configmaps', null as never).catch(keep);
      await apply<Widget>('example.com/v1/widgts', { metadata: { name: 'x', namespace: 'web' } }).catch(keep);
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(errors).toEqual([
    'option apply v1/configmaps: expected an object, got null',
    expect.stringContaining('does not serve "example.com/v1/widgts"; did you mean example.com/v1/widgets?'),
  ]);
});

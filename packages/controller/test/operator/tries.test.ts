import { hasCode, type KubeObject } from 'kube-informer';
import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { controller, type ReconcileResult, watch } from '../../src/index.ts';
import { runIterableSource } from '../../src/sources/iterable-source.ts';
import { startLab } from '../../src/testing/lab.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';

describe('a reconcile that misbehaves', () => {
  test('CTR-22: an invalid result is one failure, whose message names what is expected', async () => {
    const results: unknown[] = [
      { requeueAfterMs: '5000' }, { requeueAfterMs: NaN }, { requeueAfterMs: -1 }, { requeueAfterMs: 1, priority: NaN }, 5, [5],
      { requeueAfter: 5 }, null,
    ]; // prettier-ignore
    const attempts: number[] = [];
    const { lab } = await rig({
      reconcile({ attempt }) {
        attempts.push(attempt);
        return results.shift() as ReconcileResult;
      },
    });
    await lab.user.apply(widget('a'));
    await lab.advance(2_000);
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const errors = lab.env.lines.filter(({ message }) => message === 'a run failed and is retried');
    expect(errors).toHaveLength(8);
    expect(errors[7]?.fields).toMatchObject({
      error: expect.stringContaining('nothing or { requeueAfterMs }, got null'),
    });
    for (const { fields } of errors) expect((fields as { error: string }).error).toContain('result of reconcile');
  });

  test('CTR-26: a run that returns after its time is a timeout and is retried: its writes were refused', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const { lab, outcomes } = await rig({
      timeoutMs: 1_000,
      async reconcile({ signal, patch }) {
        runs += 1;
        if (runs > 1) return;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await patch({ spec: { size: 7 } }).catch((error: unknown) => errors.push(error));
      },
    });
    await lab.user.apply(widget('a'));
    await expect.poll(() => runs).toBe(1);
    await lab.env.clock.advance(1_000);
    await lab.advance(1_000);
    expect(errors.map((error) => hasCode(error, 'RUN_ABORTED'))).toEqual([true]);
    expect(outcomes(KEY)).toEqual(['timeout', 'success']);
  });

  test('CTR-27: a write that begins after the end of its run is refused: an await is missing', async () => {
    const late: Promise<unknown>[] = [];
    let go = (): void => {};
    const { lab, outcomes } = await rig({
      reconcile({ patch }) {
        const gate = new Promise<void>((resolve) => (go = resolve));
        late.push(gate.then(() => patch({ spec: { size: 9 } })).catch((error: unknown) => error));
      },
    });
    await lab.user.apply(widget('a'));
    await expect.poll(() => outcomes(KEY)).toEqual(['success']);
    go();
    const error = (await late[0]) as Error;
    expect(hasCode(error, 'RUN_ABORTED')).toBe(true);
    expect(error.message).toContain('is an await missing?');
    expect((lab.get<Widget>(WIDGETS, KEY) as Widget).spec?.size).toBeUndefined();
  });

  test('CTR-38: a run may delete its own object and set a status: there is nothing to write it to', async () => {
    const { lab, operator } = await rig({
      async reconcile({ key, delete: remove, status }) {
        status.set({ seen: 1 });
        await remove(WIDGETS, key);
      },
    });
    await lab.user.apply(widget('a'));
    await lab.settled();
    expect(lab.get<Widget>(WIDGETS, KEY)).toBeUndefined();
    expect(operator.runs('widgets', KEY).map(({ outcome }) => outcome)).toEqual(['success']);
  });

  test('CTR-20: an error of any size and shape is a failure with a bounded message', async () => {
    const thrown = [
      new Error('x'.repeat(5_000_000)),
      Object.defineProperty({}, 'message', { get: () => { throw new Error('no message'); } }),
      { toString: () => { throw new Error('no text'); } },
      Symbol('s'),
      undefined,
    ]; // prettier-ignore
    const { lab, operator } = await rig({
      reconcile: () => {
        throw thrown.shift();
      },
    });
    await lab.user.apply(widget('a'));
    await lab.advance(200);
    const runs = operator.runs('widgets', KEY);
    expect(runs.length).toBe(5);
    for (const { error = '' } of runs) expect(error.length).toBeLessThan(20_000);
  });

  test('CTR-37: a child in another namespace, of another controller, or without a name is refused with what to do', async () => {
    const errors: string[] = [];
    const { lab } = await rig({
      owns: ['v1/configmaps'],
      async reconcile({ apply }) {
        for (const metadata of [{ name: 'c', namespace: 'other' }, { name: 'taken', namespace: 'web' }, { namespace: 'web' }])
          await apply('v1/configmaps', { metadata }).catch((error: Error) => errors.push(error.message));
        await apply('v1/configmaps', { metadata: { name: 'x'.repeat(300), namespace: 'web' } }).catch((error: Error) => errors.push(error.message));
      },
    }, { lab: { objects: [configMap('taken', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p1', controller: true }] })] } }); // prettier-ignore
    await lab.user.apply(widget('a'));
    await lab.settled();
    expect(errors[0]).toMatch(/different namespaces; the garbage collector would delete/);
    expect(errors[1]).toMatch(/Pod p \(uid p1\) controls it already/);
    expect(errors[2]).toMatch(/metadata\.name/);
    expect(errors[3]).toMatch(/253|too long|must be no more than/);
    expect(lab.list('v1/configmaps', 'other')).toEqual([]);
  });
});

describe('a world that misbehaves', () => {
  test('CTR-38: a wall clock that is set back does not put a status off', async () => {
    let message = 'one';
    const { lab, operator } = await rig({
      on: 'any',
      reconcile: ({ status }) => status.condition('Ready', true, { reason: 'Ran', message }),
    });
    await lab.user.apply(widget('a'));
    await lab.settled();
    lab.env.clock.jumpWall(-3_600_000);
    message = 'two';
    operator.enqueue('widgets', KEY);
    await lab.advance(11_000);
    const { conditions = [] } = (lab.get<Widget>(WIDGETS, KEY) as Widget).status ?? {};
    expect(conditions).toMatchObject([{ message: 'two' }]);
    expect(operator.why('widgets', KEY).sentence).not.toContain('ran -');
  });

  test('CTR-29: invalid keys are reported and left out, and the other keys of the event run', async () => {
    const ran: string[] = [];
    const { lab } = await rig({
      watches: [watch('v1/configmaps', { keys: () => [7, '', undefined, KEY] as string[] })],
      reconcile: ({ reasons }) => void ran.push(...reasons),
    }, { lab: { objects: [widget('a')] } }); // prettier-ignore
    await lab.user.apply(configMap('m'));
    await lab.settled();
    expect(ran).toContain('related(v1/configmaps web/m)');
    expect(
      lab.env.lines.filter(
        ({ level, message }) => level === 'error' && message.startsWith('a mapping of a controller failed'),
      ).length,
    ).toBe(1);
    // The handler itself did not fail.
    expect(lab.env.lines.filter(({ message }) => message.includes('handler'))).toEqual([]);
  });

  test('CTR-25: a source that never waits leaves turns to the event loop', async () => {
    const stop = new AbortController();
    const endless = { *[Symbol.iterator]() { for (;;) yield KEY; } }; // prettier-ignore
    let turns = 0;
    const env = {
      ...fakeEnv(),
      yield: async () => {
        if ((turns += 1) === 3) stop.abort();
      },
    };
    let count = 0;
    await runIterableSource(
      { env, controller: 'c', values: endless, keys: () => KEY, enqueue: () => void (count += 1) },
      stop.signal,
    );
    expect([turns, count]).toEqual([3, 1_500]);
  });

  test('CTR-36: two controllers of one resource have a finalizer each, and an object goes after both cleanups', async () => {
    const cleaned: string[] = [];
    const lab = await startLab({ definitions: [definition()] });
    onTestFinished(() => lab[Symbol.asyncDispose]());
    const one = (name: string) => controller<Widget>(lab.cluster, WIDGETS, { name, reconcile() {}, cleanup: () => void cleaned.push(name) });
    lab.run([one('first'), one('second')]);
    await lab.user.apply(widget('a'));
    await lab.settled();
    expect(lab.get<Widget>(WIDGETS, KEY)?.metadata?.finalizers?.toSorted()).toEqual(['example.com/first', 'example.com/second']);
    await lab.user.delete(WIDGETS, KEY);
    await lab.advance(5_000);
    expect([cleaned.toSorted(), lab.get<Widget>(WIDGETS, KEY)]).toEqual([['first', 'second'], undefined]);
  }); // prettier-ignore

  test('CTR-36: a finalizer that another client removes is added again, and a cleanup without its finalizer is not called', async () => {
    const cleaned: string[] = [];
    const { lab } = await rig({ reconcile() {}, cleanup: ({ key }) => void cleaned.push(key) });
    await lab.user.apply(widget('a'));
    await lab.settled();
    await lab.user.patch(WIDGETS, KEY, { metadata: { finalizers: null } });
    await lab.settled();
    expect(lab.get<Widget>(WIDGETS, KEY)?.metadata?.finalizers).toEqual(['example.com/widgets']);
    lab.server.faults.pauseEvents({ resource: 'widgets' });
    await lab.user.patch(WIDGETS, KEY, { metadata: { finalizers: null } });
    await lab.user.delete(WIDGETS, KEY);
    lab.server.faults.resumeEvents();
    lab.server.faults.cutWatches({ resource: 'widgets' });
    await lab.advance(10_000);
    expect([lab.get<Widget>(WIDGETS, KEY), cleaned]).toEqual([undefined, []]);
  });

  test('CTR-20: permissions that are lost are an error of the run, retried until they are back', async () => {
    const { lab, operator, outcomes } = await rig({
      owns: ['v1/configmaps'],
      reconcile: async ({ apply }) => void (await apply('v1/configmaps', configMap('c') as KubeObject)),
    });
    const denied = lab.server.faults.failRequests({
      match: { resource: 'configmaps', verb: 'patch' },
      status: 403,
      times: 3,
    });
    await lab.user.apply(widget('a'));
    await lab.advance(2_000);
    expect(denied.count).toBe(3);
    expect(outcomes(KEY).slice(0, 4)).toEqual(['error', 'error', 'error', 'success']);
    expect(operator.runs('widgets', KEY)[0]?.error).toMatch(/configmaps|forbidden/i);
  });

  test('CTR-05: a stop at any moment ends: at once, while a resource is missing, and twice', async () => {
    const lab = await startLab();
    onTestFinished(() => lab[Symbol.asyncDispose]());
    const make = (name: string) => controller<Widget>(lab.cluster, WIDGETS, { name, reconcile() {} });
    const operators = ['a', 'b', 'c'].map((name) => lab.run([make(name)], { election: `ops/${name}` }));
    void operators[0]?.stop();
    await lab.settled();
    void operators[1]?.stop();
    void operators[2]?.stop();
    void operators[2]?.stop();
    await lab.advance(15_000);
    expect(operators.map(({ state }) => state.kind)).toEqual(['ended', 'ended', 'ended']);
    await Promise.all(operators.map(({ ended }) => ended));
  });

  test('CTR-46: a lease that is lost during a write lets the answer in, and refuses the next one', async () => {
    const seen: unknown[] = [];
    let answer = (): void => {};
    const lab = await startLab({ definitions: [definition()] });
    onTestFinished(() => lab[Symbol.asyncDispose]());
    const operator = lab.run([
      controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', async reconcile({ patch }) {
        await new Promise<void>((resolve) => (answer = resolve));
        await patch({ spec: { size: 2 } }).catch((error: unknown) => seen.push(error));
      } }),
    ], { election: 'ops/widgets' }); // prettier-ignore
    await lab.settled();
    await lab.user.apply(widget('a'));
    await expect.poll(() => operator.why('widgets', KEY).kind).toBe('running');
    lab.server.faults.failRequests({ match: { resource: 'leases' }, status: 503, times: Infinity });
    await lab.env.clock.advance(10_500);
    answer();
    await expect.poll(() => seen.length).toBe(1);
    expect(hasCode(seen[0], 'RUN_ABORTED') || hasCode(seen[0], 'LEASE_LOST')).toBe(true);
    expect((lab.get<Widget>(WIDGETS, KEY) as Widget).spec?.size).toBeUndefined();
    expect(operator.writes.every(({ held }) => held)).toBe(true);
  });
});

import { KubeError } from 'kube-informer';
import { fakeEnv } from 'kube-informer/testing';
import type { ConfigMap } from '@kube-informer/kubernetes';
import { describe, expect, onTestFinished, test } from 'vitest';
import { controller, type ControllerOptions, terminal } from '../../src/index.ts';
import { HotLoop } from '../../src/run/hot-loop.ts';
import { Reasons } from '../../src/run/reasons.ts';
import { retryDelayMs, retryOptions } from '../../src/run/retry.ts';
import { startLab } from '../../src/testing/lab.ts';
import { configMap, rig, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';

describe('retries', () => {
  test('CTR-20: R01 the delays of 20 failures, of both presets', () => {
    const delays = (retry: 'client-go' | undefined, random: number): number[] =>
      Array.from({ length: 20 }, (_, n) => retryDelayMs(retryOptions(retry), n + 1, undefined, () => random));
    expect(delays(undefined, 0)).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960, 81_920, 163_840, 300_000, 300_000,
      300_000, 300_000,
    ]);
    expect(delays(undefined, 0.5)[7]).toBe(640);
    expect(delays(undefined, 0.5)[8]).toBe(1_280 * 1.05);
    expect(delays('client-go', 0.5).slice(16)).toEqual([327_680, 655_360, 1_000_000, 1_000_000]);
  });

  test('CTR-20: R02 a retry never comes before the Retry-After of the error', async () => {
    let tries = 0;
    const { lab, outcomes } = await rig({
      reconcile() {
        tries += 1;
        if (tries === 1)
          throw new Error('wrapped', { cause: new KubeError('API_STATUS', 'slow down', { retryAfterMs: 7_000 }) });
      },
    });
    await lab.user.apply(widget('a'));
    await lab.advance(6_500);
    expect(outcomes(KEY)).toEqual(['error']);
    await lab.advance(1_000);
    expect(outcomes(KEY)).toEqual(['error', 'success']);
  });

  test('CTR-21: R03 failures are forgotten on success, requeue, a terminal error and a new generation', async () => {
    const attempts: number[] = [];
    let next: () => unknown = () => undefined;
    const { lab } = await rig({
      reconcile({ attempt }) {
        attempts.push(attempt);
        return next() as void;
      },
    });
    const fail = (): never => {
      throw new Error('no');
    };
    const touch = async (size: number): Promise<void> => void (await lab.user.patch(WIDGETS, KEY, { spec: { size } }));
    next = fail;
    await lab.user.apply(widget('a'));
    await lab.advance(40);
    expect(attempts.slice(0, 3)).toEqual([1, 2, 3]);
    const before = attempts.length;
    await touch(1); // a new generation
    await lab.settled();
    expect(attempts[before]).toBe(1);
    next = () => undefined; // a success, then failures at the same generation
    await lab.advance(60_000);
    next = fail;
    const succeeded = attempts.length;
    await lab.user.patch(WIDGETS, KEY, { metadata: { labels: { after: 'success' } } });
    await lab.advance(20);
    expect(attempts.slice(succeeded, succeeded + 2)).toEqual([1, 2]);
    next = () => ({ requeueAfterMs: 1_000 });
    await lab.advance(2_000);
    next = fail;
    const requeued = attempts.length;
    await lab.advance(1_000);
    expect(attempts[requeued]).toBe(1);
    next = () => {
      throw terminal('never');
    };
    await lab.advance(60_000);
    next = fail;
    const ended = attempts.length;
    await lab.user.patch(WIDGETS, KEY, { metadata: { labels: { x: 'y' } } });
    await lab.settled();
    expect(attempts[ended]).toBe(1);
  });

  test.each([
    [
      'an error',
      () => {
        throw new Error('no');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('no'))],
    [
      'a text',
      () => {
        throw 'no';
      },
    ],
    [
      'undefined',
      () => {
        throw undefined;
      },
    ],
    ['a result that is none', () => ({ requeue: true }) as never],
  ])('CTR-20: R04 %s is a failed run, which is retried', async (_, fails) => {
    let tries = 0;
    const { lab, outcomes } = await rig({
      reconcile() {
        tries += 1;
        return tries === 1 ? fails() : undefined;
      },
    });
    await lab.user.apply(widget('a'));
    await lab.advance(1_000);
    expect(outcomes(KEY)).toEqual(['error', 'success']);
  });

  test('CTR-22: R10 a terminal error is not retried until something changes, and is in health and why', async () => {
    let tries = 0;
    const { lab, operator, outcomes } = await rig({
      reconcile() {
        tries += 1;
        throw terminal('no such storage class');
      },
    });
    await lab.user.apply(widget('a'));
    await lab.advance(60_000);
    expect(tries).toBe(1);
    expect(operator.why('widgets', KEY)).toMatchObject({
      kind: 'terminal',
      sentence: expect.stringContaining('no such storage class'),
    });
    expect(operator.health().controllers[0]?.terminal).toEqual([{ key: KEY, message: 'no such storage class' }]);
    await lab.user.patch(WIDGETS, KEY, { spec: { size: 2 } });
    await lab.settled();
    expect(outcomes(KEY)).toEqual(['terminal', 'terminal']);
  });
});

describe('time limits', () => {
  test('CTR-26: R05 R06 a run that ignores its signal is hung: its worker continues, its key waits until it ends', async () => {
    let release: () => void = () => {};
    let runs = 0;
    const { lab, operator, outcomes } = await rig({
      concurrency: 1,
      timeoutMs: 5_000,
      reconcile({ name }) {
        if (name !== 'a') return undefined;
        runs += 1;
        return runs > 1 ? undefined : new Promise((resolve) => (release = resolve));
      },
    });
    await lab.user.apply(widget('a'));
    await lab.user.apply(widget('b'));
    await lab.env.clock.advance(5_000 + 9_999);
    expect(operator.why('widgets', KEY).kind).toBe('running');
    await lab.env.clock.advance(1);
    await lab.settled();
    expect(operator.why('widgets', KEY).kind).toBe('hung');
    expect(outcomes('web/b')).toEqual(['success']);
    await lab.user.patch(WIDGETS, KEY, { spec: { size: 3 } });
    await lab.advance(2_000);
    expect(runs).toBe(1);
    release();
    await lab.settled();
    expect(runs).toBe(2);
    expect(outcomes(KEY).slice(0, 1)).toEqual(['hung']);
  });

  test('CTR-27: after its abort a run writes nothing', async () => {
    let wrote: unknown = 'nothing';
    const { lab, outcomes } = await rig({
      timeoutMs: 1_000,
      retry: { initialMs: 3_600_000, maxMs: 3_600_000 },
      async reconcile({ signal, patch }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        wrote = await patch({ metadata: { labels: { late: 'yes' } } }).catch(
          (error: unknown) => (error as KubeError).code,
        );
        throw new Error('too late');
      },
    });
    await lab.user.apply(widget('a'));
    await lab.env.clock.advance(1_000);
    await lab.settled();
    expect(wrote).toBe('RUN_ABORTED');
    expect(lab.get(WIDGETS as never, KEY)).not.toHaveProperty('metadata.labels');
    expect(outcomes(KEY)).toEqual(['timeout']);
  });
});

describe('hot loops', () => {
  test('CTR-23: R07 a loop is found, named, slowed and released', async () => {
    let stop = false;
    let runs = 0;
    const { lab, operator } = await rig({
      on: 'any',
      async reconcile({ patch }) {
        runs += 1;
        if (!stop) await patch({ metadata: { annotations: { tick: String(runs) } } });
      },
    });
    await lab.user.apply(widget('a'));
    await lab.settled();
    expect(runs).toBe(21);
    const warning = lab.env.lines.find(({ message }) => message.startsWith('the runs of a key cause each other'));
    expect(warning?.fields).toMatchObject({ controller: 'widgets', key: KEY, changing: 'metadata.annotations.tick' });
    expect(operator.why('widgets', KEY).sentence).toContain('hot loop on metadata.annotations.tick');
    await lab.advance(3_000); // 1 s, then 2 s
    expect(runs).toBe(23);
    stop = true;
    await lab.advance(100_000);
    const quiet = runs;
    stop = false;
    await lab.user.patch(WIDGETS, KEY, { metadata: { annotations: { by: 'user' } } });
    await lab.settled();
    expect(runs - quiet).toBeGreaterThan(20);
  });

  test('CTR-23: a new generation starts over', () => {
    const loop = new HotLoop();
    const ran = Array.from({ length: 21 }, (_, n) => loop.ran(n, 1));
    expect(ran.indexOf(true)).toBe(20);
    loop.ran(22, 2);
    expect(loop.isHot).toBe(false);
  });
});

test('CTR-24: R08 settleMs collects events, and atLeastEveryMs runs without any', async () => {
  const at: number[] = [];
  const env = fakeEnv();
  const { lab } = await rig(
    { settleMs: 1_000, atLeastEveryMs: 60_000, reconcile: () => void at.push(env.now()) },
    { lab: { env } },
  );
  const start = env.now();
  await lab.user.apply(widget('a'));
  await lab.advance(500);
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 1 } });
  await lab.advance(1_000);
  expect(at.map((time) => time - start)).toEqual([1_000]);
  await lab.advance(52_000); // a tenth more or less than a minute after the last run
  expect(at).toHaveLength(1);
  await lab.advance(14_000);
  expect(at).toHaveLength(2);
});

test('CTR-25: R09 a run knows all its reasons', async () => {
  const seen: (readonly string[])[] = [];
  const { lab } = await rig(
    { settleMs: 100, reconcile: ({ reasons }) => void seen.push(reasons) },
    { lab: { objects: [widget('old')] } },
  );
  expect(seen).toEqual([['initial']]);
  await lab.user.apply(widget('a', { size: 1 }));
  await lab.settled();
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 2 } });
  await lab.advance(500);
  expect(seen[1]).toEqual(['created', 'updated(spec.size)']);
  const reasons = new Reasons();
  for (let n = 0; n < 20; n += 1) reasons.add(`owned(${n})`);
  expect(reasons.list()).toHaveLength(17);
  expect(reasons.list().at(-1)).toBe('+4');
});

test('CTR-25: R11 a run that changes an object of the cache fails, and the message names the controller', async () => {
  const { lab, operator } = await rig({
    retry: { initialMs: 3_600_000, maxMs: 3_600_000 },
    reconcile({ object }) {
      (object.metadata as { labels?: object }).labels = {};
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  expect(operator.runs('widgets', KEY)[0]?.error).toMatch(/^reconcile of widgets changed an object of the cache/);
});

test('CTR-25: many controllers, workers and requests of one run do not leak listeners', async () => {
  const warned: string[] = [];
  const note = ({ name }: Error): void => void warned.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const lab = await startLab({ objects: Array.from({ length: 12 }, (_, n) => configMap(`m-${n}`)) });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  let open = (): void => {};
  let waiting = 0;
  const together = new Promise<void>((resolve) => (open = resolve));
  const reconcile: ControllerOptions<ConfigMap>['reconcile'] = async ({ client, key, signal }) => {
    if ((waiting += 1) === 12) open();
    await together;
    const maps = client.resource('v1/configmaps');
    if (key === 'web/m-0') await Promise.all(Array.from({ length: 12 }, () => maps.get(key, { signal })));
  };
  const busy = controller(lab.cluster, 'v1/configmaps', { name: 'busy', reconcile, concurrency: 16 });
  const idle = Array.from({ length: 12 }, (_, n) =>
    controller(lab.cluster, 'v1/configmaps', { name: `idle-${n}`, reconcile() {} }),
  );
  const operator = lab.run([busy, ...idle], { election: 'ops/many' });
  await lab.advance(1_000);
  expect(operator.inspect().controllers.map(({ runs }) => runs)).toEqual(Array.from({ length: 13 }, () => 12));
  const stopped = operator.stop();
  await lab.advance(1_000);
  await stopped;
  await new Promise((resolve) => void setImmediate(resolve)); // warnings are emitted in a later turn
  expect(warned).toEqual([]);
});

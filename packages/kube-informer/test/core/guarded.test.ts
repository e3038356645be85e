import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { type Env, guardedEnv, systemEnv } from '../../src/core/env.ts';
import { guardedAnswer, guardedCallback, guardedPromise, type UserCode } from '../../src/core/guarded.ts';
import { guardedMetrics, noMetrics } from '../../src/core/metrics.ts';
import { guardedKey, keyFn, keyOf } from '../../src/core/object/key.ts';
import { type KubeObject, plainAccess } from '../../src/core/object/object.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';

afterEach(() => void vi.restoreAllMocks());

const boom = (): never => {
  throw new Error('boom');
};

describe('UserCode', () => {
  test('U5: code of a user can be given as it is, and cannot be called or read', () => {
    type Callback = (text: string) => void;
    const forbidden = (callback: UserCode<Callback>, env: UserCode<Env>): void => {
      // @ts-expect-error only a guard may call it
      callback('now');
      // @ts-expect-error only a guard may call it
      callback.call(undefined, 'now');
      // @ts-expect-error only a guard may read it
      env.log('info', 'now');
      expectTypeOf(guardedCallback(systemEnv, 'callback', callback)).toEqualTypeOf<Callback>();
      expectTypeOf(guardedEnv(env)).toEqualTypeOf<Env>();
    };
    // What is passed needs no type: it is inferred as before.
    const options: { readonly callback?: UserCode<Callback>; readonly env?: UserCode<Env> } = {
      callback: (text) => expectTypeOf(text).toBeString(),
      env: systemEnv,
    };
    // @ts-expect-error only a guard may call it
    expect(() => options.callback?.('now')).toBeTypeOf('function');
    expect(forbidden).toBeTypeOf('function');
  });
});

describe('guardedCallback', () => {
  test('U1: what it throws or rejects with is reported with its arguments, and never thrown', async () => {
    const failures: unknown[] = [];
    const failed = (error: unknown, n: number): void => void failures.push([(error as Error).message, n]);
    guardedCallback<[number]>(systemEnv, 'callback', boom, failed)(1);
    guardedCallback<[number]>(systemEnv, 'callback', async () => boom(), failed)(2);
    await Promise.resolve();
    expect(failures).toEqual([['boom', 1], ['boom', 2]]); // prettier-ignore
  });

  test('U1: by default a failure is an error in the log', () => {
    const { lines, ...env } = fakeEnv();
    guardedCallback(env, 'onSynced', boom)();
    expect(lines).toMatchObject([{ level: 'error', fields: { callback: 'onSynced', error: 'boom' } }]);
  });
});

describe('guardedAnswer and guardedPromise', () => {
  test('U4: an answer is returned, an error goes to the caller, a promise is refused', () => {
    expect(guardedAnswer('double', (n: number) => 2 * n)(4)).toBe(8);
    expect(() => guardedAnswer('double', boom)()).toThrow('boom');
    const late = guardedAnswer('the filter', (() => Promise.resolve(true)) as unknown as () => boolean);
    expect(late).toThrow('the filter returned a promise: it must return its result, not a promise of it');
  });

  test('a guard is not guarded again, so that a function that passes several doors costs one call', () => {
    const once = guardedAnswer('index', (n: number) => n);
    expect(guardedAnswer('index', once)).toBe(once);
    const key = keyFn(plainAccess);
    expect(guardedKey(key)).toBe(key);
    const own = guardedKey<KubeObject>(() => 'web/a');
    expect(guardedKey(own)).toBe(own);
  });

  test('U1: a request that throws rejects, and one that returns no promise resolves', async () => {
    await expect(guardedPromise(boom)()).rejects.toThrow('boom');
    await expect(guardedPromise(() => 5)()).resolves.toBe(5);
  });
});

describe('guardedKey', () => {
  test.each<[string, unknown, string]>([
    ['throws', boom, 'the key function failed: boom'],
    ['is async', async () => 'web/a', 'the key function failed: the key function returned a promise'],
    ['returns nothing', () => undefined, 'the key function must return a string that is not empty'],
    ['returns an empty text', () => '', 'the key function must return a string that is not empty'],
  ])('CTL-09, U1: a key function that %s has no key for the object', (_, key, message) => {
    expect(() => guardedKey(key as () => string)({} as never)).toThrow(message);
    expect(() => guardedKey(key as () => string)({} as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_KEY' }),
    );
  });

  test('without one it is namespace and name, and its own INVALID_KEY is not wrapped', () => {
    expect(guardedKey(undefined)({ metadata: { namespace: 'web', name: 'a' } })).toBe('web/a');
    expect(() => guardedKey(keyOf)({})).toThrow('object has no metadata.name: every object needs one');
  });
});

describe('sinks', () => {
  test('F67, G22: a random number outside 0 to 1, or a failure, counts as 0.5, so that delays do not vanish', () => {
    const randomOf = (random: () => number): number => guardedEnv({ ...systemEnv, random }).random();
    expect([0, 0.25, 1].map((number) => randomOf(() => number))).toEqual([0, 0.25, 1]);
    expect([Number.NaN, -3, 2, Number.POSITIVE_INFINITY, undefined].map((value) => randomOf(() => value as never))).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]); // prettier-ignore
    expect(randomOf(boom)).toBe(0.5);
  });

  test('U3: a failing log drops its lines and reports that on stderr: at the first, the tenth, the hundredth', () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const env = guardedEnv({ ...systemEnv, log: boom });
    expect(guardedEnv(env)).toBe(env);
    for (let i = 0; i < 150; i += 1) env.log('info', 'a line');
    expect(printed.mock.calls.flat()).toEqual(
      [1, 10, 100].map(
        (dropped) =>
          `kube-informer error: the log of this Env fails; its lines are dropped dropped=${dropped} error="boom"`,
      ),
    );
  });

  test('U3: a failing metric drops its values, counts them, and is logged as sparsely', () => {
    const env = fakeEnv();
    const metrics = guardedMetrics(env, { ...noMetrics, counter: boom, gauge: () => ({ set: boom }) });
    const [counter, gauge] = [metrics.counter('lists', {}), metrics.gauge('queued', {})];
    for (let i = 0; i < 20; i += 1) {
      counter.inc();
      gauge.set(i);
    }
    const { level, fields } = { level: 'warn', fields: { error: 'boom' } };
    expect(env.lines).toMatchObject([
      { level, fields: { ...fields, metric: 'lists', dropped: 1 } },
      { level, fields: { ...fields, metric: 'queued', dropped: 10 } },
    ]);
  });

  test('MET-08: without metrics there is nothing to guard', () => {
    expect(guardedMetrics(systemEnv, noMetrics)).toBe(noMetrics);
  });

  test('U2, U3: the printed log survives every value, in bounded length', () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const fields = {
      cyclic,
      big: 10n,
      symbol: Symbol('x'),
      none: undefined,
      long: 'x'.repeat(1_000_000),
      bare: Object.create(null) as unknown,
      angry: { toJSON: boom },
      error: Object.defineProperty(new Error('hidden'), 'message', { get: boom }),
      refusing: new Proxy({}, { get: boom, ownKeys: boom, getPrototypeOf: boom }),
    };
    systemEnv.log('error', 'a line', fields);
    const line = String(printed.mock.calls[0]?.[0]);
    expect(line).toContain('cyclic=an object big=10 symbol=Symbol(x) none=undefined');
    expect(line.length).toBeLessThan(3_000);
  });
});

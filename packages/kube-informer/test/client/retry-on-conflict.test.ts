import { expect, test } from 'vitest';
import { applyConflictsOf, isApplyConflict } from '../../src/client/apply-conflict.ts';
import { retryOnConflict, type RetryOnConflictOptions } from '../../src/client/retry-on-conflict.ts';
import { KubeError } from '../../src/core/errors.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';
import { failureOf } from './rig/bodies.ts';

const conflict = new KubeError('API_STATUS', 'conflict', { status: { kind: 'Status', code: 409, reason: 'Conflict' } });
const notOurs = new KubeError('API_STATUS', 'Apply failed', {
  status: {
    kind: 'Status',
    code: 409,
    reason: 'Conflict',
    details: {
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "kubectl" using apps/v1', field: '.spec.replicas' },
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "hpa" with subresource "scale" using apps/v1 at 2024',
          field: '.spec.x',
        },
      ],
    },
  },
});
const exists = new KubeError('API_STATUS', 'exists', {
  status: { kind: 'Status', code: 409, reason: 'AlreadyExists' },
});

function rig(failures: readonly unknown[], options: Omit<RetryOnConflictOptions, 'env'> = {}, random = 0) {
  const env = fakeEnv({ random });
  const at: [number, number][] = [];
  const left = [...failures];
  const running = retryOnConflict(
    (attempt) => {
      at.push([attempt, env.now()]);
      return left.length > 0 ? Promise.reject(left.shift() as Error) : Promise.resolve('done');
    },
    { env, ...options },
  );
  return { env, at, running };
}

test('D5: a conflict is retried, five attempts in all, 10 ms apart', async () => {
  const { env, at, running } = rig([conflict, conflict, conflict, conflict]);
  await env.clock.advance(1_000);
  expect(await running).toBe('done');
  expect(at).toEqual([
    [1, 0],
    [2, 10],
    [3, 20],
    [4, 30],
    [5, 40],
  ]);
});

test('D5: the fifth conflict is thrown', async () => {
  const { env, at, running } = rig(Array.from({ length: 9 }, () => conflict));
  const failed = failureOf(running);
  await env.clock.advance(1_000);
  expect(await failed).toBe(conflict);
  expect(at).toHaveLength(5);
});

test('D5: pauses grow by the factor and get up to a tenth longer by chance', async () => {
  const { env, at, running } = rig([conflict, conflict, conflict], { attempts: 4, factor: 5 }, 0.5);
  await env.clock.advance(10_000);
  await running;
  expect(at.map(([, when]) => Math.round(when * 100) / 100)).toEqual([0, 10.5, 63, 325.5]);
});

test('D5: other failures are not conflicts', async () => {
  for (const error of [exists, new Error('else')]) {
    const { at, running } = rig([error]);
    expect(await failureOf(running)).toBe(error);
    expect(at).toHaveLength(1);
  }
});

test('D5: a field that another manager owns is reported at once, with its owner', async () => {
  const { at, running } = rig([notOurs]);
  const error = await failureOf(running);
  expect(at).toHaveLength(1);
  expect(isApplyConflict(error)).toBe(true);
  expect(applyConflictsOf(new Error('wrapped', { cause: error }))).toEqual([
    { manager: 'kubectl', field: '.spec.replicas' },
    { manager: 'hpa', field: '.spec.x' },
  ]);
  const other = { kind: 'Status', code: 409, details: { causes: [{ reason: 'FieldValueInvalid', field: 'a' }] } };
  expect(applyConflictsOf(new KubeError('API_STATUS', 'x', { status: other }))).toEqual([]);
  expect(applyConflictsOf(conflict)).toEqual([]);
  expect(applyConflictsOf(undefined)).toEqual([]);
});

test('D5: a signal ends the waiting', async () => {
  const stop = new AbortController();
  const { env, at, running } = rig([conflict], { signal: stop.signal, pauseMs: 1_000 });
  const failed = failureOf(running);
  await env.clock.advance(10);
  stop.abort('enough');
  expect(await failed).toMatchObject({ code: 'ABORTED', cause: 'enough' });
  expect(at).toHaveLength(1);
  expect(env.clock.sleeping).toBe(0);
});

test.each([{ attempts: 0 }, { attempts: 1.5 }, { pauseMs: -1 }, { factor: 0 }])(
  'D5: %j is refused',
  async (options) => {
    expect(await failureOf(rig([], options).running)).toMatchObject({ code: 'INVALID_OPTION' });
  },
);

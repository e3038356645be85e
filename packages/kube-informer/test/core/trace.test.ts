import { expect, test } from 'vitest';
import { Trace } from '../../src/core/trace.ts';
import { type FakeEnv, fakeEnv } from '../../src/testing/fake-clock.ts';

function rig(fields?: Record<string, unknown>): { readonly env: FakeEnv; readonly trace: Trace } {
  const env = fakeEnv();
  env.clock.freeze(5_000);
  return {
    env,
    trace:
      fields === undefined
        ? new Trace(env, 'Reflector ListAndWatch')
        : new Trace(env, 'Reflector ListAndWatch', fields),
  };
}

test.each([
  [9_999, 0],
  [10_000, 1],
  [60_000, 1],
])('REF-10, REF-19: what took %i ms in all is logged %i times at a threshold of 10 s', (ms, lines) => {
  const { env, trace } = rig();
  env.clock.freeze(ms);
  trace.logIfLong(10_000);
  expect(env.lines).toHaveLength(lines);
});

test('REF-19: the total counts, not a single step, and each step has its time', () => {
  const { env, trace } = rig({ reflector: 'pods' });
  for (const step of ['objects listed (3)', 'sync done', 'last']) {
    env.clock.freeze(4_000);
    trace.step(step);
  }
  trace.logIfLong(10_000);
  expect(env.lines).toEqual([
    {
      level: 'warn',
      message: 'Reflector ListAndWatch was slow',
      fields: {
        reflector: 'pods',
        totalMs: 12_000,
        steps: [
          { step: 'objects listed (3)', atMs: 4_000 },
          { step: 'sync done', atMs: 8_000 },
          { step: 'last', atMs: 12_000 },
        ],
      },
    },
  ]);
});

test('F63: it is measured on the clock that does not jump', () => {
  const { env, trace } = rig();
  env.clock.jumpWall(3_600_000);
  trace.logIfLong(10_000);
  expect(env.lines).toEqual([]);
});

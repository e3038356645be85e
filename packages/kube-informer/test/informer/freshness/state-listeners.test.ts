import { expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import type { InformerState } from '../../../src/informer/informer-state.ts';
import type { ProblemReason } from '../../../src/informer/reflector/watch-error.ts';
import { StateListeners } from '../../../src/informer/state-listeners.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';

const stale = (reason: ProblemReason): InformerState => ({
  kind: 'stale',
  since: 0,
  reason,
  error: new KubeError('TRANSPORT', 'no'),
});

test('G16: another kind is reported, and so is another reason; another error for the same reason is not', async () => {
  const env = fakeEnv();
  let state: InformerState = { kind: 'synced' };
  const listeners = new StateListeners(
    env,
    () => state,
    () => Number.POSITIVE_INFINITY,
  );
  const received: string[] = [];
  const name = (of: InformerState): string => ('reason' in of ? of.reason : of.kind);
  const end = listeners.on((now, before) => void received.push(`${name(before)} → ${name(now)}`));
  for (const next of [stale('dns'), stale('dns'), stale('unreachable'), { kind: 'synced' } as const]) {
    state = next;
    listeners.changed();
    await env.clock.advance(10);
  }
  expect(received).toEqual(['synced → dns', 'dns → unreachable', 'unreachable → synced']);
  end();
  state = stale('dns');
  listeners.changed();
  await env.clock.advance(60_000);
  expect(received).toHaveLength(3);
  expect(env.clock.sleeping).toBe(0);
});

test('G16: a state that changes only because time passes is reported, too', async () => {
  const env = fakeEnv();
  const state = (): InformerState => (env.now() < 70_000 ? { kind: 'synced' } : stale('silent'));
  const listeners = new StateListeners(env, state, () => 70_000 - env.now());
  const received: number[] = [];
  listeners.on(() => void received.push(env.now()));
  await env.clock.advance(80_000);
  expect(received).toEqual([70_000]);
});

test('G16: a callback that another one has ended is not called any more, not even in the same round', async () => {
  const env = fakeEnv();
  let state: InformerState = { kind: 'synced' };
  const listeners = new StateListeners(
    env,
    () => state,
    () => Number.POSITIVE_INFINITY,
  );
  const received: string[] = [];
  const ends: (() => void)[] = [];
  listeners.on(() => ends.forEach((end) => end()));
  ends.push(listeners.on(({ kind }) => void received.push(kind)));
  state = stale('dns');
  listeners.changed();
  await env.clock.advance(10);
  expect(received).toEqual([]);
});

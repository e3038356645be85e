import { expect, test } from 'vitest';
import type { Credentials } from '../../../src/client/auth/credentials.ts';
import { type Renewal, RenewingSource, type RenewingSourceOptions } from '../../../src/client/auth/renewing-source.ts';
import { KubeError } from '../../../src/core/errors.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { everyPrint, failure, latch, never } from '../rig/auth-rig.ts';

/** A source whose n-th renewal gives `t<n>`; `lifeMs` from now on the wall clock. */
function rig(options: Partial<RenewingSourceOptions> & { lifeMs?: number } = {}) {
  const env = fakeEnv();
  const runs: { fail?: Error; hold?: Promise<void> }[] = [];
  let next: { fail?: Error; hold?: Promise<void> } = {};
  const source = new RenewingSource({
    kind: 'test',
    env,
    async renew(): Promise<Renewal> {
      const run = next;
      runs.push(run);
      const n = runs.length;
      await run.hold;
      if (run.fail !== undefined) throw run.fail;
      const expiresAt = options.lifeMs === undefined ? {} : { expiresAt: env.wallNow() + options.lifeMs };
      return { credentials: { authorization: `t${n}` }, ...expiresAt };
    },
    ...options,
  });
  return {
    env, source, runs, clock: env.clock,
    next: (run: typeof next) => void (next = run),
    ask: async () => (await source.current(new AbortController().signal)).authorization,
  }; // prettier-ignore
}

test('F68: credentials are renewed ten seconds before they expire', async () => {
  const { ask, clock } = rig({ lifeMs: 60_000 });
  expect(await ask()).toBe('t1');
  await clock.advance(49_999);
  expect(await ask()).toBe('t1');
  await clock.advance(1);
  expect(await ask()).toBe('t2');
});

test('F68: many requests at the moment of expiry cause one renewal', async () => {
  const { ask, clock, runs } = rig({ lifeMs: 60_000 });
  await ask();
  await clock.advance(60_000);
  expect(new Set(await Promise.all(Array.from({ length: 100 }, ask)))).toEqual(new Set(['t2']));
  expect(runs).toHaveLength(2);
});

test('F68: with a clock that is ahead, credentials that look expired are used for ten seconds, not renewed for each request', async () => {
  const { ask, clock, runs } = rig({ lifeMs: -3_600_000 });
  for (let i = 0; i < 10; i += 1) {
    expect(await ask()).toBe('t1');
    await clock.advance(999);
  }
  await clock.advance(10);
  expect(await ask()).toBe('t2');
  expect(runs).toHaveLength(2);
});

test('F68: with a clock that is behind, the 401 renews them', async () => {
  const { ask, source, clock } = rig({ lifeMs: 3_600_000 });
  const held = await source.current(never);
  await clock.advance(60_000);
  expect(source.rejected(held)).toBe(true);
  expect(await ask()).toBe('t2');
});

test('F68: a wall clock that jumps forward costs one renewal, backward none', async () => {
  const { ask, clock } = rig({ lifeMs: 3_600_000 });
  await ask();
  await clock.advance(20_000);
  clock.jumpWall(-3_600_000);
  expect(await ask()).toBe('t1');
  clock.jumpWall(2 * 3_600_000);
  expect(await ask()).toBe('t2');
  expect(await ask()).toBe('t2');
});

test('D9: credentials that do not say when they expire last until a 401', async () => {
  const { ask, source, clock } = rig();
  const first = await source.current(never);
  await clock.advance(365 * 86_400_000);
  expect(await ask()).toBe('t1');
  expect(source.rejected(first)).toBe(true);
  expect(await ask()).toBe('t2');
});

test('F40: concurrent 401s of the same credentials cause one renewal, and late ones none', async () => {
  const { source, ask, runs } = rig();
  const old = await source.current(never);
  expect([source.rejected(old), source.rejected(old), source.rejected(old)]).toEqual([true, true, true]);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(['t2', 't2', 't2']);
  expect(source.rejected(old)).toBe(true); // there are others already: ask again
  expect(await ask()).toBe('t2');
  expect(runs).toHaveLength(2);
});

test('F40: credentials that are refused again at once are not fetched in a loop', async () => {
  const { source, clock, runs } = rig();
  expect(source.rejected(await source.current(never))).toBe(true);
  for (let i = 0; i < 5; i += 1) expect(source.rejected(await source.current(never))).toBe(false);
  expect(runs).toHaveLength(2);
  await clock.advance(10_000);
  expect(source.rejected(await source.current(never))).toBe(true);
  await source.current(never);
  expect(runs).toHaveLength(3);
});

test('F40: a renewal with the same token causes no replay', async () => {
  const env = fakeEnv();
  const fresh = (): Credentials => ({ authorization: 'same' });
  const source = new RenewingSource({ kind: 'test', env, renew: () => Promise.resolve({ credentials: fresh() }) });
  const old = await source.current(never);
  expect(source.rejected(old)).toBe(true);
  await source.current(never);
  expect(source.rejected(old)).toBe(false);
});

test('D9: all callers get the error of a failed renewal, and the next request tries again', async () => {
  const { ask, next, clock } = rig({ lifeMs: 60_000 });
  await ask();
  await clock.advance(60_000);
  next({ fail: new KubeError('CREDENTIALS', 'no') });
  const errors = await Promise.all([failure(ask), failure(ask)]);
  expect(errors.map(({ message }) => message)).toEqual(['no', 'no']);
  next({});
  expect(await ask()).toBe('t3');
});

test('D8: where the last good ones are kept, a failed renewal is one line in the log and tried again after ten seconds', async () => {
  const { ask, next, clock, env, runs } = rig({ maxAgeMs: 60_000, keepLastGood: true });
  await ask();
  await clock.advance(50_000);
  next({ fail: new KubeError('CREDENTIALS', 'no') });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(['t1', 't1', 't1']);
  expect(env.lines).toMatchObject([{ level: 'warn', fields: { kind: 'test' } }]);
  await clock.advance(9_999);
  expect(await ask()).toBe('t1');
  expect(runs).toHaveLength(2);
  next({});
  await clock.advance(1);
  expect(await ask()).toBe('t3');
});

test('F68: a renewal whose only caller gave up is finished, kept, and given to the next one', async () => {
  const { source, next, runs, ask } = rig();
  const held = latch();
  next({ hold: held.promise });
  for (let i = 0; i < 3; i += 1) {
    const stop = new AbortController();
    const waiting = failure(() => source.current(stop.signal));
    await settle();
    stop.abort();
    expect(await waiting).toMatchObject({ code: 'ABORTED' });
  }
  held.resolve();
  await settle();
  expect(await ask()).toBe('t1');
  expect(runs).toHaveLength(1);
});

test('F68: a renewal that fails when no request waits any more is not an unhandled rejection, and is tried again', async () => {
  const { source, next, ask } = rig();
  const held = latch();
  next({ hold: held.promise, fail: new KubeError('CREDENTIALS', 'no') });
  const stop = new AbortController();
  const waiting = failure(() => source.current(stop.signal));
  stop.abort();
  await waiting;
  held.resolve();
  await settle();
  next({});
  expect(await ask()).toBe('t2');
});

test('D9: closing stops what runs, rejects what waits, and refuses the rest', async () => {
  const { source, next, runs, clock } = rig();
  next({ hold: new Promise(() => {}) });
  const waiting = failure(() => source.current(never));
  await settle();
  expect(runs).toHaveLength(1);
  source.close();
  expect(await failure(() => source.current(never))).toMatchObject({ code: 'ILLEGAL_STATE' });
  expect(await waiting).toMatchObject({ code: 'ABORTED' });
  expect(clock.sleeping).toBe(0);
});

test('S25: a source prints its kind', async () => {
  const { source, ask } = rig();
  await ask();
  expect(everyPrint(source)).not.toContain('t1');
  expect(JSON.stringify(source)).toBe('{"kind":"test"}');
});

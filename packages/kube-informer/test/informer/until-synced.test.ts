import { describe, expect, test } from 'vitest';
import { Latch } from '../../src/core/async/latch.ts';
import { type SyncedOptions, untilSynced } from '../../src/informer/until-synced.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';
import { countListeners } from './rig/informer-rig.ts';

/** A latch that counts its waiters. */
class CountedLatch extends Latch {
  waiting = 0;

  override onOpen(callback: () => void): () => void {
    this.waiting += 1;
    let left = false;
    const leave = (): void => {
      if (!left) this.waiting -= 1;
      left = true;
    };
    const forget = super.onOpen(() => {
      leave();
      callback();
    });
    return () => {
      leave();
      forget();
    };
  }
}

function rig(options: SyncedOptions = {}) {
  const env = fakeEnv();
  const [latch, stopped, removed] = [new CountedLatch(), new CountedLatch(), new CountedLatch()];
  const stop = new AbortController();
  const listeners = countListeners(stop.signal);
  const wait = untilSynced(
    latch,
    'the thing',
    { signal: stop.signal, timeoutMs: 1_000, ...options },
    { env, ended: [stopped, removed], problem: () => undefined, missing: () => 'nothing came' },
  );
  const left = (): number[] => [latch.waiting, stopped.waiting, removed.waiting, listeners(), env.clock.sleeping];
  return {
    env,
    latch,
    stopped,
    removed,
    stop,
    left,
    ended: wait.then(
      () => 'synced',
      (error: unknown) => error,
    ),
  };
}

describe('untilSynced', () => {
  test.each<[string, (made: ReturnType<typeof rig>) => unknown, string | object]>([
    ['the latch opens', ({ latch }) => latch.open(), 'synced'],
    [
      'it is stopped',
      ({ stopped }) => stopped.open(),
      { code: 'SYNC_FAILED', message: 'the thing did not sync before it was stopped (nothing came)' },
    ],
    ['it is removed', ({ removed }) => removed.open(), { code: 'SYNC_FAILED' }],
    ['the signal aborts', ({ stop }) => stop.abort('why'), { code: 'ABORTED', cause: 'why' }],
    [
      'the time is over',
      ({ env }) => env.clock.advance(1_000),
      { code: 'SYNC_FAILED', message: 'the thing did not sync within 1000 ms (nothing came)' },
    ],
  ])(
    'G15, G21: a wait leaves no listener and no sleeper when %s, and reports what ended it',
    async (_, end, outcome) => {
      const made = rig();
      expect(made.left()).toEqual([1, 1, 1, 1, 1]);
      await end(made);
      if (typeof outcome === 'string') expect(await made.ended).toBe(outcome);
      else expect(await made.ended).toMatchObject(outcome);
      expect(made.left()).toEqual([0, 0, 0, 0, 0]);
    },
  );

  test('G15: a latch that opens in the turn in which the wait ends still counts', async () => {
    const made = rig();
    made.stopped.open();
    made.latch.open();
    expect(await made.ended).toBe('synced');
  });

  test('SYN-11: a wait without a timeout says once what it waits for', async () => {
    const env = fakeEnv();
    const latch = new Latch();
    const context = { env, ended: [], problem: () => undefined, missing: () => 'nothing came' };
    const wait = untilSynced(latch, 'the thing', {}, context);
    await env.clock.advance(29_999);
    expect(env.lines).toEqual([]);
    await env.clock.advance(600_000);
    const fields = { for: 'the thing', because: 'nothing came' };
    expect(env.lines).toEqual([{ level: 'warn', message: 'still waiting, without a timeout', fields }]);
    latch.open();
    await wait;
    expect(env.clock.sleeping).toBe(0);
  });
});

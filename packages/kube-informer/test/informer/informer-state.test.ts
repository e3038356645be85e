import { describe, expect, test } from 'vitest';
import { Latch } from '../../src/core/async/latch.ts';
import { hasReached, requireFresh, type SyncedOptions, untilSynced } from '../../src/informer/informer-state.ts';
import { VersionWaiters } from '../../src/informer/version-waiters.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';
import { coded, countListeners } from './rig/informer-rig.ts';

/** A latch that knows how many still wait for it. */
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
    { env, ended: [stopped, removed], trouble: () => undefined, missing: () => 'nothing came' },
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

describe('waiting', () => {
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
  ])('G15, G21: a wait leaves no listener and no sleeper when %s, and says what ended it', async (_, end, outcome) => {
    const made = rig();
    expect(made.left()).toEqual([1, 1, 1, 1, 1]);
    await end(made);
    if (typeof outcome === 'string') expect(await made.ended).toBe(outcome);
    else expect(await made.ended).toMatchObject(outcome);
    expect(made.left()).toEqual([0, 0, 0, 0, 0]);
  });

  test('G15: what opens in the very turn of the end still counts', async () => {
    const made = rig();
    made.stopped.open();
    made.latch.open();
    expect(await made.ended).toBe('synced');
  });

  test('G20: who waits for a version is told once, when it is reached, and can be forgotten', () => {
    const waiters = new VersionWaiters();
    const told: string[] = [];
    waiters.add('10', () => told.push('ten'));
    const forget = waiters.add('9', () => told.push('nine'));
    waiters.add('9', () => told.push('also nine'));
    forget();
    expect(waiters.size).toBe(2);
    waiters.advancedTo('8');
    expect(told).toEqual([]);
    waiters.advancedTo('9');
    waiters.advancedTo('9');
    expect([told, waiters.size]).toEqual([['also nine'], 1]);
    waiters.advancedTo('100');
    expect([told, waiters.size]).toEqual([['also nine', 'ten'], 0]);
  });
});

describe('freshness', () => {
  test('G19, G20: versions are reached in their own order; those without an order only when they are equal', () => {
    expect([hasReached('10', '9'), hasReached('9', '10'), hasReached('9', '9'), hasReached('', '1')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([
      hasReached('abc', 'abc'),
      hasReached('abd', 'abc'),
      hasReached('9007199254740993', '9007199254740992'),
    ]).toEqual([true, false, true]);
  });

  test('G19: a read says what it asked for and what there is', () => {
    const cache = { staleForMs: 500, resourceVersion: '' };
    expect(() => requireFresh('pods', cache, {})).not.toThrow();
    expect(() => requireFresh('pods', cache, { maxStalenessMs: 500 })).not.toThrow();
    expect(() => requireFresh('pods', cache, { maxStalenessMs: 499 })).toThrow(
      /pods has not heard from the server for 500 ms, at most 499/,
    );
    expect(() => requireFresh('pods', cache, { notOlderThan: '1' })).toThrow(
      /pods is at version \(none\), 1 was asked for/,
    );
    expect(() => requireFresh('pods', cache, { notOlderThan: '1' })).toThrow(coded('STALE_CACHE'));
  });
});

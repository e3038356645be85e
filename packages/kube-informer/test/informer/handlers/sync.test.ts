import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Latch } from '../../../src/core/async/latch.ts';
import {
  KeyedSyncTracker,
  Lazy,
  type SyncChecker,
  SyncTracker,
  waitForSync,
} from '../../../src/informer/handlers/wait-for-sync.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { coded } from '../rig/delta-lines.ts';

/** Checkers by name, which become synced when told to. */
function rig(...names: readonly string[]): {
  env: FakeEnv;
  checkers: SyncChecker[];
  open: (...which: readonly string[]) => void;
  abort: AbortController;
  /** Log lines without their level. */
  said: () => string[];
  watched: () => number;
} {
  const env = fakeEnv();
  let watching = 0;
  const latches = new Map(names.map((name) => [name, new Latch()]));
  const checkers = [...latches].map(([name, latch]): SyncChecker => ({
    name,
    get hasSynced() {
      return latch.isOpen;
    },
    onSynced(callback) {
      watching += 1;
      const forget = latch.onOpen(callback);
      return () => {
        watching -= 1;
        forget();
      };
    },
  }));
  return {
    env,
    checkers,
    open: (...which) => {
      for (const name of which) latches.get(name)?.open();
    },
    abort: new AbortController(),
    said: () =>
      env.lines.map(({ message, fields }) => `${message}${'name' in fields ? ` ${String(fields['name'])}` : ''}`),
    watched: () => watching,
  };
}

interface AnyTracker {
  start(key: string): void;
  finished(key: string): void;
  upstreamSynced(): void;
  readonly hasSynced: boolean;
}

const trackers: readonly [string, () => AnyTracker][] = [
  [
    'SyncTracker',
    () => {
      const tracker = new SyncTracker();
      return {
        start: () => tracker.start(),
        finished: () => tracker.finished(),
        upstreamSynced: () => tracker.upstreamSynced(),
        get hasSynced() {
          return tracker.hasSynced;
        },
      };
    },
  ],
  ['KeyedSyncTracker', () => new KeyedSyncTracker<string>()],
];

describe.each(trackers)('%s', (_, make) => {
  test.each([
    [0, 0, false, false],
    [0, 0, true, true],
    [1, 0, false, false],
    [1, 0, true, false],
    [1, 1, false, false],
    [1, 1, true, true],
    [3, 2, true, false],
    [3, 3, true, true],
  ])(
    'SYN-01, SYN-02, SYN-06: %i started, %i finished, upstream %s: synced %s',
    (started, finished, upstream, synced) => {
      const tracker = make();
      for (let i = 0; i < started; i += 1) tracker.start(`k${i}`);
      for (let i = 0; i < finished; i += 1) tracker.finished(`k${i}`);
      if (upstream) tracker.upstreamSynced();
      expect(tracker.hasSynced).toBe(synced);
    },
  );

  test('SYN-02: the order of the last finish and the upstream signal does not matter, and synced stays', () => {
    for (const upstreamFirst of [true, false]) {
      const tracker = make();
      tracker.start('k');
      if (upstreamFirst) tracker.upstreamSynced();
      tracker.finished('k');
      if (!upstreamFirst) tracker.upstreamSynced();
      expect(tracker.hasSynced).toBe(true);
      tracker.start('later');
      expect(tracker.hasSynced).toBe(true);
    }
  });

  test('SYN-01, SYN-06: synced exactly when upstream is and every start has a finish, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 6 })), fc.nat({ max: 20 }), (finishes, upstreamAt) => {
        const tracker = make();
        const open = new Set(['k0', 'k1', 'k2', 'k3', 'k4']);
        for (const key of open) tracker.start(key);
        for (const [at, n] of finishes.entries()) {
          if (at === upstreamAt) tracker.upstreamSynced();
          if (open.delete(`k${n}`)) tracker.finished(`k${n}`);
          expect(tracker.hasSynced).toBe(open.size === 0 && at >= upstreamAt);
        }
      }),
    );
  });
});

test('SYN-05: finishing more than was started is a mistake, and does not undo synced', () => {
  const tracker = new SyncTracker();
  tracker.start(2);
  expect(tracker.waiting).toBe(2);
  tracker.finished();
  tracker.finished();
  tracker.upstreamSynced();
  expect(() => tracker.finished()).toThrow(coded('ILLEGAL_STATE'));
  expect(tracker.hasSynced).toBe(true);
});

test('SYN-06: finishing a key that was not started is harmless; a key started twice needs one finish', () => {
  const tracker = new KeyedSyncTracker<string>();
  tracker.start('a');
  tracker.start('a');
  tracker.finished('stranger');
  tracker.upstreamSynced();
  expect(tracker.hasSynced).toBe(false);
  tracker.finished('a');
  expect(tracker.hasSynced).toBe(true);
});

test('SYN-06, TestAsyncLocking: many workers that finish in any order', async () => {
  const env = fakeEnv();
  const tracker = new KeyedSyncTracker<number>();
  for (let i = 0; i < 100; i += 1) tracker.start(i);
  tracker.upstreamSynced();
  let opened = -1;
  tracker.synced.onOpen(() => (opened = env.now()));
  const workers = Array.from({ length: 100 }, async (_, i) => {
    await env.sleep((i * 37) % 100);
    tracker.finished(i);
  });
  await env.clock.advance(98);
  expect(tracker.hasSynced).toBe(false);
  await env.clock.advance(1);
  await Promise.all(workers);
  expect(opened).toBe(99);
});

describe('SYN-08: waitForSync', () => {
  test('SYN-08: without checkers it resolves at once', async () => {
    const { checkers, abort } = rig();
    expect(await waitForSync(checkers, { signal: abort.signal })).toBe(true);
    abort.abort();
    expect(await waitForSync(checkers, { signal: abort.signal })).toBe(true);
  });

  test('SYN-08: resolves true in the turn in which the last becomes synced, without polling', async () => {
    const { checkers, open, env, watched } = rig('a', 'b', 'c');
    open('b');
    let done: boolean | undefined;
    const waiting = waitForSync(checkers, { env }).then((result) => (done = result));
    open('c');
    await settle();
    expect([done, env.clock.sleeping]).toEqual([undefined, 0]);
    open('a');
    await waiting;
    expect([done, watched()]).toEqual([true, 0]);
  });

  test('SYN-08: without `what` it writes nothing', async () => {
    const { checkers, open, env } = rig('a');
    open('a');
    await waitForSync(checkers, { env });
    expect(env.lines).toEqual([]);
  });

  test('SYN-08: with `what` it logs the start and when each one is ready', async () => {
    const { checkers, open, env, said } = rig('a', 'b');
    const waiting = waitForSync(checkers, { env, what: 'caches' });
    open('b');
    open('a');
    expect(await waiting).toBe(true);
    expect(said()).toEqual(['waiting for caches to sync', 'cache synced b', 'cache synced a']);
    expect(env.lines.every(({ level, fields }) => level === 'info' && fields['what'] === 'caches')).toBe(true);
  });

  test.each([
    ['none is ready', [], ['a', 'b', 'c']],
    ['some are', ['b'], ['a', 'c']],
  ])(
    'SYN-08, Trap 19: when aborted while %s, it resolves false and logs the missing names, sorted, and why',
    async (_, ready, missing) => {
      const { checkers, open, env, abort, watched } = rig('c', 'b', 'a');
      open(...ready);
      const waiting = waitForSync(checkers, { env, what: 'caches', signal: abort.signal });
      const cause = new Error('shutting down');
      abort.abort(cause);
      expect(await waiting).toBe(false);
      expect(env.lines.at(-1)).toEqual({
        level: 'warn',
        message: 'caches did not sync',
        fields: { what: 'caches', missing, cause },
      });
      expect([watched(), getEventListeners(abort.signal, 'abort').length]).toEqual([0, 0]);
    },
  );

  test('SYN-08: a signal that was aborted before is looked at after the checkers', async () => {
    const { checkers, open, abort } = rig('a');
    abort.abort();
    expect(await waitForSync(checkers, { signal: abort.signal })).toBe(false);
    open('a');
    expect(await waitForSync(checkers, { signal: abort.signal })).toBe(true);
  });

  test('SYN-08: a checker that becomes ready in the turn of the abort still counts', async () => {
    const { checkers, open, abort } = rig('a', 'b');
    const waiting = waitForSync(checkers, { signal: abort.signal });
    abort.abort();
    open('a', 'b');
    expect(await waiting).toBe(true);
  });

  test('SYN-08: when aborted, every checker is read once more: one may be ready before its callback ran', async () => {
    const { abort } = rig();
    const quiet: SyncChecker = { name: 'quiet', hasSynced: true, onSynced: () => () => {} };
    const waiting = waitForSync([quiet], { signal: abort.signal });
    abort.abort();
    expect(await waiting).toBe(true);
  });

  test('SYN-08: waiting many times on one signal leaves no listener behind', async () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i += 1) {
      const { checkers, open, watched } = rig('a');
      const waiting = waitForSync(checkers, { signal });
      open('a');
      expect([await waiting, watched()]).toEqual([true, 0]);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('SYN-04, SYN-09: a checker is a name, a signal and a test that does not block; a tracker makes one', async () => {
    const tracker = new SyncTracker();
    const checker: SyncChecker = {
      name: 'SharedInformer pods + event handler mine',
      get hasSynced() {
        return tracker.hasSynced;
      },
      onSynced: (callback) => tracker.synced.onOpen(callback),
    };
    tracker.start();
    const waiting = waitForSync([checker]);
    tracker.upstreamSynced();
    expect(checker.hasSynced).toBe(false);
    tracker.finished();
    expect([await waiting, checker.hasSynced]).toEqual([true, true]);
  });
});

describe('SYN-10: Lazy', () => {
  test('SYN-10, TestLazy: evaluated once, and once more after each notify', async () => {
    let calls = 0;
    const lazy = new Lazy(() => (calls += 1));
    expect([await lazy.get(), await lazy.get()]).toEqual([1, 1]);
    lazy.notify();
    lazy.notify();
    expect([await lazy.get(), await lazy.get()]).toEqual([2, 2]);
  });

  test('SYN-10, TestLazyOnlyOnce: readers at the same time share one evaluation', async () => {
    let calls = 0;
    let finish: (value: string) => void = () => {};
    const lazy = new Lazy(() => {
      calls += 1;
      return new Promise<string>((resolve) => (finish = resolve));
    });
    const readers = Array.from({ length: 20 }, () => lazy.get());
    await settle();
    finish('done');
    expect([new Set(await Promise.all(readers)), calls]).toEqual([new Set(['done']), 1]);
  });

  test.each(['old first', 'new first'])(
    'SYN-10, TestLazySlowEval: an evaluation from before a notify resolves its own readers and is never cached (%s)',
    async (order) => {
      const finish: ((value: string) => void)[] = [];
      const lazy = new Lazy(() => new Promise<string>((resolve) => finish.push(resolve)));
      const early = lazy.get();
      await settle();
      lazy.notify();
      const late = lazy.get();
      await settle();
      expect(finish).toHaveLength(2);
      for (const [at, value] of order === 'old first'
        ? ([
            [0, 'old'],
            [1, 'new'],
          ] as const)
        : ([
            [1, 'new'],
            [0, 'old'],
          ] as const)) {
        finish[at]?.(value);
        await settle();
      }
      expect([await early, await late, await lazy.get()]).toEqual(['old', 'new', 'new']);
      expect(finish).toHaveLength(2);
    },
  );

  test('SYN-10, TestLazyError: a failure rejects its readers and is not cached, thrown or rejected', async () => {
    let calls = 0;
    const lazy = new Lazy<string>(() => {
      calls += 1;
      if (calls === 1) throw new Error('first');
      if (calls === 2) return Promise.reject(new Error('second'));
      return 'third';
    });
    await expect(lazy.get()).rejects.toThrow('first');
    await expect(lazy.get()).rejects.toThrow('second');
    expect([await lazy.get(), await lazy.get(), calls]).toEqual(['third', 'third', 3]);
  });

  test('SYN-10, TestLazyThroughput: a value is never older than the last notify before it was asked for', async () => {
    const env = fakeEnv();
    let state = 0;
    const lazy = new Lazy(async () => {
      const seen = state;
      await env.sleep(7);
      return seen;
    });
    const asked: Promise<void>[] = [];
    for (let step = 0; step < 200; step += 1) {
      if (step % 3 === 0) {
        state += 1;
        lazy.notify();
      }
      const now = state;
      asked.push(lazy.get().then((value) => expect(value).toBeGreaterThanOrEqual(now)));
      await env.clock.advance(1);
    }
    await env.clock.advance(10);
    await Promise.all(asked);
    expect(env.clock.sleeping).toBe(0);
  });
});

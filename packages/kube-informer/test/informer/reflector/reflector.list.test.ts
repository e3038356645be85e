import { expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import type { KubeList, KubeObject } from '../../../src/core/object/object.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { Reflector } from '../../../src/informer/reflector/reflector.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { expired, statusFailure, tooLarge } from '../../../src/testing/fake-source.ts';
import {
  added,
  deleted,
  failure,
  list,
  listAnswers,
  listFails,
  listNotOlderThan,
  logged,
  modified,
  newestList,
  pod,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Step,
  watch,
  watchAt,
  watchCloses,
  watchFails,
} from '../rig/reflector-rig.ts';

/** A reflector that lists: no streaming of the initial state. */
function rig(steps: readonly Step[], options: RigOptions = {}): Rig {
  return scripted(steps, { watchList: false, ...options });
}

/** Ends a cycle at once: the version of this watch is gone. */
const gone = watch(failure(410, 'Expired'));

test('LW-01, REF-06, REF-12, PAG-02: the first list asks for the newest state in pages, and the watch starts at its version', async () => {
  const { calls, sink, reflector, start, stop } = rig([list([pod('a', 3), pod('b', 7)], 10), watch(added('c', 11))]);
  await start();
  expect(calls).toEqual([{ verb: 'list', limit: 500 }, watchAt(10)]);
  expect(sink.lines).toEqual(['replace@10 [a@3 b@7]', 'add c@11']);
  expect(reflector.state).toEqual({ kind: 'watching', resourceVersion: '11' });
  await stop();
});

test('REF-20: a list sends version, match and limit only; the retry is built from scratch', async () => {
  const { calls, clock, start, stop } = rig([list([], 10), gone, listFails(expired('gone')), list([], 20), watch()]);
  await start();
  await clock.advance(800);
  const lists = calls.filter((call) => call.verb === 'list').map((call) => Object.keys(call).toSorted());
  expect(lists).toEqual([
    ['limit', 'verb'],
    ['resourceVersion', 'resourceVersionMatch', 'verb'],
    ['limit', 'verb'],
  ]);
  await stop();
});

test('REF-04: any cached state is accepted for the first list only with allowStaleFirstList', async () => {
  const { calls, start, stop } = rig([list([], 10), watch()], { allowStaleFirstList: true });
  await start();
  expect(calls[0]).toEqual({ verb: 'list', resourceVersion: '0', limit: 500 });
  await stop();
});

test('Trap 1, REF-04, REF-13: a relist asks for at least what was seen, never again for any state', async () => {
  const { calls, clock, errors, start, stop } = rig(
    [list([], 10), watch(added('a', 12), failure(410, 'Gone')), list([], 15), watch()],
    {
      allowStaleFirstList: true,
    },
  );
  await start();
  await clock.advance(800);
  expect(calls).toEqual([
    { verb: 'list', resourceVersion: '0', limit: 500 },
    watchAt(10),
    { verb: 'list', resourceVersion: '12', resourceVersionMatch: 'NotOlderThan' },
    watchAt(15),
  ]);
  expect(errors).toEqual([]);
  await stop();
});

test('F24, REF-05, PAG-10: an expired relist is repeated at once for the newest state, in pages', async () => {
  const { calls, times, clock, sink, errors, start, stop } = rig([
    list([pod('a', 1)], 10),
    gone,
    listFails(expired('too old resource version')),
    list([pod('a', 1), pod('b', 19)], 20),
    watch(),
  ]);
  await start();
  await clock.advance(800);
  expect(calls).toEqual([newestList, watchAt(10), listNotOlderThan(10), newestList, watchAt(20)]);
  expect(times.slice(2)).toEqual([800, 800, 800]);
  expect(sink.text).toBe('a@1 b@19');
  expect(errors).toEqual([]);
  await stop();
});

test('REF-05: the result of the repeated list is final for the cycle, and the next cycle still requests the newest state', async () => {
  const { calls, times, clock, errors, start, stop } = rig([
    list([], 10),
    gone,
    listFails(expired('old')),
    listFails(expired('old again')),
    list([], 30),
    watch(),
  ]);
  await start();
  await clock.advance(800);
  expect(errors.map(String)).toEqual(['KubeError: failed to list <unspecified>: old again']);
  await clock.advance(1_600);
  expect(calls.slice(2)).toEqual([listNotOlderThan(10), newestList, newestList, watchAt(30)]);
  expect(times[4]).toBe(800 + 1_600);
  await stop();
});

test.each([
  ['the typed cause', tooLarge('10', '5')],
  ['the words in the message', statusFailure(504, 'Timeout', 'Too large resource version: 10, current: 5')],
  [
    'the words in a cause',
    statusFailure(504, 'Timeout', 'Timeout', { details: { causes: [{ message: 'Too large resource version' }] } }),
  ],
])('REF-05: a version that is too large, reported by %s, leads to a list of the newest state', async (_, error) => {
  const { calls, clock, start, stop } = rig([list([], 10), gone, listFails(error), list([], 20), watch()]);
  await start();
  await clock.advance(800);
  expect(calls.slice(2)).toEqual([listNotOlderThan(10), newestList, watchAt(20)]);
  await stop();
});

test('REF-06: success clears the flag before the store is replaced: a failing store does not bring it back', async () => {
  const { calls, clock, sink, start, stop } = rig([
    list([], 10),
    gone,
    listFails(expired('old')),
    list([], 20),
    list([], 21),
    watch(),
  ]);
  await start();
  sink.failing.replace = new Error('disk full');
  await clock.advance(800);
  delete sink.failing.replace;
  await clock.advance(1_600);
  expect(calls.slice(2)).toEqual([listNotOlderThan(10), newestList, listNotOlderThan(10), watchAt(21)]);
  await stop();
});

test('REF-06, ERR-08: a store that fails ends the cycle with an error and leaves the version where it was', async () => {
  const { calls, sink, reflector, cycle, stop } = rig([list([pod('a', 1)], 10)]);
  sink.failing.replace = new Error('disk full');
  const { outcome } = await cycle();
  expect(outcome).toMatchObject({ name: 'KubeError', code: 'SYNC_FAILED', cause: sink.failing.replace });
  expect(String(outcome)).toContain('unable to store the list of <unspecified>: disk full');
  expect(reflector.lastSyncResourceVersion).toBe('');
  expect(calls).toHaveLength(1);
  await stop();
});

test("REF-06, REF-11: the version is the list's, never an item's, and can be read at any time", async () => {
  const { reflector, streams, start, stop } = rig([list([pod('a', 9), pod('b', 2)], 10), watch()]);
  expect(reflector.lastSyncResourceVersion).toBe('');
  await start();
  expect(reflector.lastSyncResourceVersion).toBe('10');
  streams[0]?.push(added('c', 14));
  await new Promise(setImmediate);
  expect(reflector.lastSyncResourceVersion).toBe('14');
  await stop();
});

test('Trap 19, REF-07: stopped while listing: no error, nothing stored, and the late answer is ignored', async () => {
  let answer: (list: KubeList<KubeObject>) => void = () => {};
  const { sink, errors, cycle, stop } = rig([listAnswers(() => new Promise((resolve) => (answer = resolve)))]);
  const ended = await cycle();
  expect(ended.outcome).toBe('running');
  await stop();
  expect(ended.outcome).toBe('returned');
  answer({ metadata: { resourceVersion: '10' }, items: [pod('a', 1)] });
  await new Promise(setImmediate);
  expect(sink.lines).toEqual([]);
  expect(errors).toEqual([]);
});

test('Trap 19, LW-05: stopping aborts the request in flight, and its rejection is not reported', async () => {
  let seen: AbortSignal | undefined;
  const { errors, reflector, start, stop } = rig([
    listAnswers(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          seen = signal;
          signal.addEventListener('abort', () => reject(new Error('fetch aborted')), { once: true });
        }),
    ),
  ]);
  await start();
  expect(seen?.aborted).toBe(false);
  await stop();
  expect(seen?.aborted).toBe(true);
  expect(errors).toEqual([]);
  expect(reflector.state).toEqual({ kind: 'stopped' });
});

test('REF-08: a list function that throws is like one that rejects', async () => {
  const bug = new TypeError('x is undefined');
  const { errors, clock, calls, start, stop } = rig([
    listAnswers(() => {
      throw bug;
    }),
    list([], 10),
    watch(),
  ]);
  await start();
  expect(errors).toEqual([expect.objectContaining({ cause: bug })]);
  await clock.advance(800);
  expect(calls).toEqual([newestList, newestList, watchAt(10)]);
  await stop();
});

test.each([
  ['meta.k8s.io/v1', 'Table', true],
  ['meta.k8s.io/v1beta1', 'Table', true],
  ['example.com/v1', 'Table', false],
  ['meta.k8s.io/v1', 'PartialObjectMetadataList', false],
])('REF-09: a list that is a %s %s: refused is %s', async (apiVersion, kind, isRefused) => {
  const answer = { apiVersion, kind, metadata: { resourceVersion: '10' }, items: [] };
  const { sink, cycle, stop } = rig([listAnswers(() => answer), watch()]);
  const { outcome } = await cycle();
  if (isRefused) expect(outcome).toMatchObject({ code: 'LIST_INVALID' });
  expect(sink.lines).toEqual(isRefused ? [] : ['replace@10 []']);
  await stop();
});

test.each([
  ['nothing', undefined],
  ['a text', 'ok'],
  ['an object without items', { metadata: { resourceVersion: '10' } }],
  ['items that are no array', { items: {} }],
  ['an item that is no object', { metadata: { resourceVersion: '10' }, items: [null] }],
])('ERR-08, PAG-06: a list that answers with %s is an unreadable list, returned as an error', async (_, answer) => {
  const { sink, calls, cycle, stop } = rig([listAnswers(() => answer as never)]);
  expect((await cycle()).outcome).toMatchObject({ code: 'LIST_INVALID' });
  expect(sink.lines).toEqual([]);
  expect(calls).toHaveLength(1);
  await stop();
});

test('Trap 4, REF-03: listed items of another type are left out and named; items without a kind are accepted', async () => {
  const typed = (name: string, kind: string): KubeObject => ({ ...pod(name, 1), apiVersion: 'v1', kind });
  const { sink, env, start, stop } = rig([list([typed('a', 'Pod'), typed('b', 'Secret'), pod('c', 2)], 10), watch()], {
    expected: { apiVersion: 'v1', kind: 'Pod' },
  });
  await start();
  expect(sink.lines).toEqual(['replace@10 [a@1 c@2]']);
  expect(env.lines).toContainEqual(
    expect.objectContaining({ level: 'error', fields: expect.objectContaining({ got: 'v1, Kind=Secret' }) as unknown }),
  );
  await stop();
});

// The lists, events and errors of several cycles, one after another, on one store.
test.each<[string, readonly Step[], unknown, string]>([
  ['a list and events', [list([pod('a', 1)], 1), watch(added('b', 2), failure(410, 'Gone'))], 'returned', 'a@1 b@2'],
  ['a failing list', [listFails(new Error('a list error'))], 'a list error', ''],
  [
    'a list and a refused watch',
    [list([pod('b', 2), pod('c', 3)], 3), watchFails(statusFailure(403, 'Forbidden', 'a watch error'))],
    'a watch error',
    'b@2 c@3',
  ],
  ['a list that removes', [list([pod('b', 2)], 5), watch(failure(410, 'Gone'))], 'returned', 'b@2'],
  ['a delete', [list([pod('b', 2)], 5), watch(deleted('b', 6), failure(410, 'Gone'))], 'returned', ''],
  ['a change', [list([pod('b', 2)], 5), watch(modified('b', 7), failure(410, 'Gone'))], 'returned', 'b@7'],
])(
  'ERR-08, WCH-10, REF-06: %s: errors of list and watch start are returned, the store follows the rest',
  async (_, steps, outcome, text) => {
    const { sink, cycle, stop } = rig(steps);
    const ended = await cycle();
    if (outcome === 'returned') expect(ended.outcome).toBe('returned');
    else expect(String(ended.outcome)).toContain(outcome);
    expect(sink.text).toBe(text);
    await stop();
  },
);

test('F26, G2: a relist answered with an older state is refused; the newest is asked for and the cache never goes back', async () => {
  const { calls, clock, sink, start, stop } = rig([
    list([pod('a', 9)], 10),
    watch(added('b', 100), failure(410, 'Gone')),
    list([pod('a', 9)], 30),
    list([pod('a', 9), pod('b', 100)], 100),
    watch(),
  ]);
  await start();
  await clock.advance(800);
  expect(calls.slice(2)).toEqual([listNotOlderThan(100), newestList, watchAt(100)]);
  expect(sink.lines).toEqual(['replace@10 [a@9]', 'add b@100', 'replace@100 [a@9 b@100]']);
  await stop();
});

test('REF-18: the stages of a reflector are logged: starting, listing, populated, closed, expired, stopping', async () => {
  const { env, clock, start, stop } = rig([
    list([], 10),
    watchCloses(added('a', 11)),
    watch(failure(410, 'Gone')),
    list([], 12),
    watch(),
  ]);
  await start();
  await clock.advance(800);
  await stop();
  expect(logged(env, 'debug')).toEqual([
    'starting',
    'listing and watching',
    'caches populated',
    'the watch closed',
    'the watch cannot be resumed; relisting',
    'listing and watching',
    'caches populated',
    'stopping',
  ]);
  expect(env.lines[0]?.fields).toEqual({ reflector: 'rig', type: '<unspecified>', resyncMs: 0 });
});

test('REF-10, REF-19: a list is traced by its steps, and the trace is printed only from ten seconds on', async () => {
  const slow = (ms: number): Rig => {
    const made: Rig = rig([
      listAnswers(async () => {
        await made.clock.sleep(ms);
        return { metadata: { resourceVersion: '10' }, items: [pod('a', 1)] };
      }),
      watch(),
    ]);
    return made;
  };
  for (const [ms, lines] of [
    [9_999, 0],
    [10_000, 1],
  ] as const) {
    const { env, clock, start, stop } = slow(ms);
    await start();
    await clock.advance(ms);
    const warnings = env.lines.filter((line) => line.message === 'Reflector ListAndWatch was slow');
    expect(warnings).toHaveLength(lines);
    if (lines === 1)
      expect(warnings[0]?.fields).toEqual({
        reflector: 'rig',
        totalMs: 10_000,
        steps: [
          { step: 'objects listed (1)', atMs: 10_000 },
          { step: 'sync done', atMs: 10_000 },
        ],
      });
    await stop();
  }
});

test('G16: a failed list is a state and a problem with its beginning, not an exception', async () => {
  const { reflector, clock, start, stop } = rig([
    listFails(new KubeError('TRANSPORT', 'no route')),
    listFails(new KubeError('TRANSPORT', 'no route')),
    list([], 5),
    watch(),
  ]);
  await start();
  const began = clock.wallNow();
  expect(reflector.state).toMatchObject({ kind: 'waiting', ms: 800 });
  await clock.advance(800);
  expect(reflector.problem).toMatchObject({ since: began, reason: 'unreachable' });
  await clock.advance(1_600);
  expect(reflector.problem).toBeUndefined();
  expect(reflector.lastContactAt).toBe(clock.wallNow());
  await stop();
});

test('REF-10, REF-19: a list that fails after a long time is traced too', async () => {
  const env = fakeEnv();
  const stop = new AbortController();
  const source: ListWatch<KubeObject> = {
    watchListUnsupported: true,
    async list() {
      await env.clock.sleep(11_000);
      throw statusFailure(403, 'Forbidden', 'no');
    },
    async *watch() {},
  };
  const running = new Reflector(source, new Indexer(), { env, name: 'slow' }).run(stop.signal);
  await env.clock.advance(11_000);
  expect(env.lines.filter(({ message }) => message === 'Reflector ListAndWatch was slow')).toEqual([
    {
      level: 'warn',
      message: 'Reflector ListAndWatch was slow',
      fields: { reflector: 'slow', totalMs: 11_000, steps: [{ step: 'list failed (no)', atMs: 11_000 }] },
    },
  ]);
  stop.abort();
  await running;
});

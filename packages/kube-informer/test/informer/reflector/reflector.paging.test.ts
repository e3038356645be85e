import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { KubeError } from '../../../src/core/errors.ts';
import { expired } from '../../../src/testing/fake-source.ts';
import {
  failure,
  list,
  listFails,
  listNotOlderThan,
  newestList,
  pod,
  probe,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Step,
  watch,
  watchAt,
} from '../rig/reflector-rig.ts';

function rig(steps: readonly Step[], options: RigOptions = {}): Rig {
  return scripted(steps, { watchList: false, ...options });
}

const gone = watch(failure(410, 'Expired'));
const some = (count: number, from = 0): KubeObject[] =>
  Array.from({ length: count }, (_, i) => pod(`p${from + i}`, from + i + 1));

test('PAG-01, PAG-06: an explicit page size holds for every list, also of a known version, and pages become one list', async () => {
  const { calls, sink, clock, start, stop } = rig(
    [
      list(some(4), 10, { continue: 'C1' }),
      list(some(4, 4), 10, { continue: 'C2' }),
      list(some(2, 8), 10),
      gone,
      list(some(1), 12),
      watch(),
    ],
    { pageSize: 4 },
  );
  await start();
  expect(calls.slice(0, 4)).toEqual([
    { verb: 'list', limit: 4 },
    { verb: 'list', limit: 4, continue: 'C1' },
    { verb: 'list', limit: 4, continue: 'C2' },
    watchAt(10),
  ]);
  expect(sink.state.size).toBe(10);
  expect(sink.lines).toHaveLength(1);
  await clock.advance(800);
  expect(calls[4]).toEqual({ ...listNotOlderThan(10), limit: 4 });
  await stop();
});

test('PAG-02: a list of a known version sends no limit, so that the cache of the server can answer it', async () => {
  const { calls, clock, start, stop } = rig([list([], 10), gone, list([], 10), watch()]);
  await start();
  await clock.advance(800);
  expect(calls[2]).toEqual({ verb: 'list', resourceVersion: '10', resourceVersionMatch: 'NotOlderThan' });
  await stop();
});

test('PAG-02, PAG-03: an answer in pages to "any state" shows that the cache is off, and every later list is paged', async () => {
  const { calls, clock, start, stop } = rig(
    [list(some(500), 10, { continue: 'C1' }), list(some(20, 500), 10), gone, list([], 11), gone, list([], 12), watch()],
    { allowStaleFirstList: true },
  );
  await start();
  await clock.advance(800);
  await clock.advance(1_600);
  expect(calls.filter((call) => call.verb === 'list')).toEqual([
    { verb: 'list', resourceVersion: '0', limit: 500 },
    { verb: 'list', limit: 500, continue: 'C1' },
    { ...listNotOlderThan(10), limit: 500 },
    { ...listNotOlderThan(11), limit: 500 },
  ]);
  await stop();
});

test('PAG-03: what counts is the version asked for first, even if the pages came from the second try', async () => {
  const { calls, clock, start, stop } = rig(
    [
      listFails(expired('old')),
      list(some(2), 10, { continue: 'C1' }),
      list(some(1, 2), 10),
      gone,
      list([], 11),
      watch(),
    ],
    { allowStaleFirstList: true },
  );
  await start();
  await clock.advance(800);
  expect(calls.at(-2)).toEqual({ ...listNotOlderThan(10), limit: 500 });
  await stop();
});

test('PAG-03: pages of the newest state say nothing about the cache', async () => {
  const { calls, clock, start, stop } = rig([
    list(some(2), 10, { continue: 'C1' }),
    list([], 10),
    gone,
    list([], 11),
    watch(),
  ]);
  await start();
  await clock.advance(800);
  expect(calls[3]).toEqual(listNotOlderThan(10));
  await stop();
});

test('F42, PAG-07: a token that expires between two pages leads to the whole list at the version first asked for', async () => {
  const { calls, sink, errors, clock, start, stop } = rig(
    [
      list([], 10),
      gone,
      list(some(4), 12, { continue: 'C1' }),
      listFails(expired('the token is too old')),
      list(some(5), 14),
      watch(),
    ],
    { pageSize: 4 },
  );
  await start();
  await clock.advance(800);
  expect(calls.slice(2)).toEqual([
    { ...listNotOlderThan(10), limit: 4 },
    { verb: 'list', limit: 4, continue: 'C1' },
    listNotOlderThan(10),
    watchAt(14),
  ]);
  expect(sink.lines.at(-1)).toBe('replace@14 [p0@1 p1@2 p2@3 p3@4 p4@5]');
  expect(errors).toEqual([]);
  await stop();
});

test('PAG-10: the page size is decided again for the second try: no unpaged read of the storage', async () => {
  const { calls, clock, start, stop } = rig([list([], 10), gone, listFails(expired('old')), list([], 20), watch()]);
  await start();
  await clock.advance(800);
  expect(calls.slice(2, 4)).toEqual([listNotOlderThan(10), newestList]);
  await stop();
});

test('PAG-05: the watch continues from the version of the first page', async () => {
  const { calls, start, stop } = rig([list(some(1), 10, { continue: 'C1' }), list(some(1, 1), 13), watch()]);
  await start();
  expect(calls.at(-1)).toEqual(watchAt(10));
  await stop();
});

test('the state has the number of objects received', async () => {
  const { reflector, start, stop } = rig([list(some(4), 10, { continue: 'C1' })], { pageSize: 4 });
  await start();
  expect(reflector.state).toEqual({ kind: 'listing', received: 4 });
  await stop();
});

test('PAG-12, F51: a relist that is too large is repeated in pages, at once and from then on', async () => {
  const tooLarge = new KubeError('TRANSPORT', 'GET /api/v1/pods failed', {
    cause: Object.assign(new Error('the body is larger than maxResponseBytes'), { code: 'ERR_BODY_TOO_LARGE' }),
  });
  const { calls, sink, clock, start, stop, errors } = rig([
    list(some(2), 10),
    gone,
    listFails(tooLarge),
    list(some(2), 12, { continue: 'C1' }),
    list(some(1, 2), 12),
    gone,
    listFails(tooLarge),
    list(some(1), 13, { continue: 'C2' }),
    list(some(1, 1), 13),
    watch(),
  ]);
  await start();
  await clock.advance(800);
  const asked = calls.filter(({ verb }) => verb === 'list').map(({ limit, continue: token }) => [limit, token]);
  expect(asked).toEqual([
    [500, undefined],
    [undefined, undefined],
    [500, undefined],
    [500, 'C1'],
  ]);
  expect(calls[3]).toMatchObject(listNotOlderThan(10));
  expect(sink.text).toBe('p0@1 p1@2 p2@3');
  await clock.advance(10_000);
  const later = calls
    .filter(({ verb }) => verb === 'list')
    .slice(4)
    .map(({ limit }) => limit);
  expect(later).toEqual([500, 250, 250]);
  expect(sink.text).toBe('p0@1 p1@2');
  expect(errors).toEqual([]);
  await stop();
});

test('PAG-12, F51: a list that is too large even object by object fails as one, with the reason', async () => {
  const tooLarge = new KubeError('LIST_INVALID', 'the list is longer than 5 bytes', {
    cause: Object.assign(new Error('too long'), { code: 'ERR_BODY_TOO_LARGE' }),
  });
  const { calls, clock, start, stop, errors } = rig([
    ...Array.from({ length: 8 }, () => listFails(tooLarge)),
    probe(tooLarge),
  ]);
  await start();
  await clock.advance(100);
  expect(calls.map(({ limit }) => limit)).toEqual([500, 250, 125, 62, 31, 15, 7, 3, 1]);
  expect(errors).toMatchObject([
    { code: 'LIST_INVALID', message: expect.stringContaining('longer than 5 bytes') as string },
  ]);
  await stop();
});

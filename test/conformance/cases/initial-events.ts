import { expect, test } from 'vitest';
import { expectFailure, expectStatus } from '../rig/failures.ts';
import { type Fixture, lease } from '../rig/fixture.ts';
import type { Frame, Query } from '../rig/target.ts';

const END = 'k8s.io/initial-events-end';
const STREAMING = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };

const isBookmark = ({ type }: Frame): boolean => type === 'BOOKMARK';
const summary = ({ type, object }: Frame): string => `${type} ${object.metadata.name}`;

/** Cases 79 to 86: bookmarks, and streaming lists. */
export function initialEventCases(fixture: () => Fixture): void {
  test('case 79: before a watch ends, it sends a bookmark with the newest version', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const { resourceVersion } = (await f.get(leases)).metadata;
    using watch = await f.http.watch(leases, { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 5 });
    const written = await f.create(leases, lease('a'));
    const frames = await watch.rest();
    expect(summary(frames[0] as Frame)).toBe('ADDED a');
    const bookmarks = frames.filter(isBookmark);
    expect(bookmarks.length).toBeGreaterThan(0);
    for (const { object } of bookmarks) {
      expect(object).toMatchObject({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' });
      expect(object.metadata.annotations).toBeUndefined();
    }
    const last = Number(bookmarks.at(-1)?.object.metadata.resourceVersion);
    expect(last).toBeGreaterThanOrEqual(Number(written.metadata.resourceVersion));
  });

  test('case 80: a streaming list sends all objects, then one marked bookmark, then changes', async () => {
    const f = fixture();
    const { leases } = await f.space();
    for (const name of ['b', 'a', 'c']) await f.create(leases, lease(name));
    using watch = await f.http.watch(leases, STREAMING);
    const frames = await watch.until(isBookmark);
    expect(frames.slice(0, -1).map(summary)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    const mark = frames.at(-1)?.object;
    expect(mark?.metadata.annotations).toEqual({ [END]: 'true' });
    const newest = Math.max(...frames.slice(0, -1).map(({ object }) => Number(object.metadata.resourceVersion)));
    expect(Number(mark?.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
    await f.create(leases, lease('d'));
    const [more] = (await watch.until((frame) => !isBookmark(frame))).slice(-1) as [Frame];
    expect(summary(more)).toBe('ADDED d');
    expect(Number(more.object.metadata.resourceVersion)).toBeGreaterThan(Number(mark?.metadata.resourceVersion));
  });

  test('case 81: a streaming list of an empty collection sends only the bookmark', async () => {
    const f = fixture();
    const { leases, widgets } = await f.space();
    for (const path of [leases, widgets]) {
      using watch = await f.http.watch(path, STREAMING);
      const first = await watch.next();
      expect(first.type).toBe('BOOKMARK');
      expect(first.object.metadata.annotations).toEqual({ [END]: 'true' });
    }
  });

  test('case 82: a watch without allowWatchBookmarks gets no bookmarks', async () => {
    const f = fixture();
    const { leases } = await f.space();
    await f.create(leases, lease('a'));
    using watch = await f.http.watch(leases, { ...STREAMING, allowWatchBookmarks: false });
    expect(summary(await watch.next())).toBe('ADDED a');
    await f.create(leases, lease('b'));
    expect(summary(await watch.next())).toBe('ADDED b');
  });

  test('case 83: a watch with sendInitialEvents=false begins with the next change', async () => {
    const f = fixture();
    const { leases } = await f.space();
    await f.create(leases, lease('a'));
    const query = { ...STREAMING, sendInitialEvents: false };
    using watch = await f.http.watch(leases, query);
    await f.create(leases, lease('b'));
    const frames = await watch.until((frame) => !isBookmark(frame));
    expect(summary(frames.at(-1) as Frame)).toBe('ADDED b');
    for (const { object } of frames) expect(object.metadata.annotations).toBeUndefined();
  });

  test('case 84: sendInitialEvents and resourceVersionMatch require each other', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const refused = async (query: Query, ...messages: string[]) => {
      const answer = await f.http.ask('GET', leases, { query: { watch: true, timeoutSeconds: 1, ...query } });
      expectFailure(answer, 422, 'Invalid', {
        causes: messages.map((message) => ({ message, field: 'resourceVersionMatch' })),
      });
    };
    const needsMatch = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    const needsInitial = 'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    await refused({ sendInitialEvents: true }, needsMatch);
    await refused({ sendInitialEvents: false }, needsMatch);
    await refused({ resourceVersionMatch: 'NotOlderThan' }, needsInitial);
    const onlyOne = 'Unsupported value: "Exact": supported values: "NotOlderThan"';
    await refused({ sendInitialEvents: true, resourceVersionMatch: 'Exact' }, needsMatch, onlyOne);
  });

  test('case 85: a watch without a version marks the end of its initial events if bookmarks are allowed', async () => {
    const f = fixture();
    const { leases } = await f.space();
    await f.create(leases, lease('a'));
    for (const resourceVersion of ['', '0']) {
      // Servers without end markers send a bookmark before the end of the watch.
      using watch = await f.http.watch(leases, { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 5 });
      const frames = await watch.until(isBookmark);
      expect(frames.at(-1)?.object.metadata.annotations).toEqual({ [END]: 'true' });
    }
  });

  test('case 86: a streaming list of a version far ahead times out with an ERROR event', async () => {
    const f = fixture();
    const { leases } = await f.space();
    using watch = await f.http.watch(leases, { ...STREAMING, resourceVersion: String(10 ** 9) });
    const frames = await watch.rest();
    expect(frames.map(({ type }) => type)).toEqual(['ERROR']);
    expectStatus(frames[0]?.object as Frame['object'], 504, 'Timeout', {
      message: /^Timeout: Too large resource version: 1000000000, current: \d+$/,
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
  });
}

import { expect, test } from 'vitest';
import { expectStatus } from '../rig/failures.ts';
import { type Fixture, lease } from '../rig/fixture.ts';
import type { Frame, Query, Watch } from '../rig/target.ts';

const END = 'k8s.io/initial-events-end';

/**
 * A streaming list of an object that does not exist: the cheapest consistent question. Its answer is one bookmark at the
 * newest version, and it takes the same way as a watch.
 */
const ECHO = {
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: true,
  fieldSelector: 'metadata.name=there-is-no-such-object',
};
/** Minimum time between a response and the end of its watch; a later one may have been held back until the end. */
const PROMPT_MS = 400;
/** A watch of one second has ended by then. */
const LATE_MS = 5_000;

const isBookmark = ({ type }: Frame): boolean => type === 'BOOKMARK';
const received = ({ type, object }: Frame): string => `${type} ${object.metadata.name}`;
const versionOf = ({ metadata }: Frame['object']): number => Number(metadata.resourceVersion);

/** Cases 102 to 108: what a client can learn about how fresh its cache is. */
export function freshnessCases(fixture: () => Fixture): void {
  /** Sends it, and gives its marked bookmark, and how long before the end of the stream that came. */
  async function echo(
    f: Fixture,
    path: string,
    query: Query = {},
  ): Promise<{ object: Frame['object']; earlyMs: number }> {
    using watch = await f.http.watch(path, { ...ECHO, timeoutSeconds: 1, ...query });
    const first = await watch.next();
    const cameAt = performance.now();
    // While others write, a bookmark without the mark may follow.
    for (const frame of [first, ...(await watch.rest())]) expect(frame.type).toBe('BOOKMARK');
    expect(first.object.metadata.annotations).toEqual({ [END]: 'true' });
    return { object: first.object, earlyMs: performance.now() - cameAt };
  }

  /** The same; asked again where the process was held up meanwhile, which a server that withholds answers does each time. */
  async function promptEcho(f: Fixture, path: string, query: Query = {}): ReturnType<typeof echo> {
    for (let left = 5; ; left -= 1) {
      const answer = await echo(f, path, query);
      if (left === 1 || (answer.earlyMs > PROMPT_MS && answer.earlyMs < LATE_MS)) return answer;
    }
  }

  test('case 102: an echo is a marked bookmark at or beyond the last write, at once, and ends in its time', async () => {
    const f = fixture();
    const { leases, widgets } = await f.space();
    for (let round = 0; round < 3; round += 1) {
      for (const [path, body] of [[leases, lease(`a${round}`)], [widgets, f.widget(`a${round}`)]] as const) {
        const written = await f.create(path, body);
        const { object, earlyMs } = await promptEcho(f, path);
        expect(versionOf(object)).toBeGreaterThanOrEqual(versionOf(written));
        expect(earlyMs).toBeGreaterThan(PROMPT_MS);
        expect(earlyMs).toBeLessThan(LATE_MS);
      }
    } // prettier-ignore
  });

  test('case 103: an echo about all namespaces, or one that is not there, knows of writes everywhere', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const group = '/apis/coordination.k8s.io/v1';
    for (const path of [`${group}/leases`, `${group}/namespaces/there-is-none/leases`]) {
      const written = await f.create(leases, lease(path.length.toString()));
      const { object, earlyMs } = await promptEcho(f, path);
      expect(versionOf(object)).toBeGreaterThanOrEqual(versionOf(written));
      expect(earlyMs).toBeGreaterThan(PROMPT_MS);
    }
  });

  test('case 104: an echo not older than a version far ahead is an error in the stream, and its head comes with it', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const began = performance.now();
    using watch = await f.http.watch(leases, { ...ECHO, resourceVersion: String(10 ** 9), timeoutSeconds: 1 });
    // The server waits three seconds, whatever the time of the watch, and answers only then.
    expect(performance.now() - began).toBeGreaterThan(2_500);
    const frames = await watch.rest();
    expect(frames.map(({ type }) => type)).toEqual(['ERROR']);
    expectStatus(frames[0]?.object as Frame['object'], 504, 'Timeout', {
      message: /^Timeout: Too large resource version: 1000000000, current: \d+$/,
    });
  });

  test('case 105: short watches, one after the other, tell every change once', async () => {
    const f = fixture();
    const { leases } = await f.space();
    let from = (await f.get(leases)).metadata.resourceVersion;
    const written: string[] = [];
    const seen: string[] = [];
    const writing = (async () => {
      for (let at = 0; at < 60; at += 1) {
        await f.create(leases, lease(`c${at}`));
        written.push(`ADDED c${at}`);
        if (at % 3 === 0) {
          await f.remove(`${leases}/c${at}`);
          written.push(`DELETED c${at}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return 'over' as const;
    })();
    let isOver = false;
    void writing.then(() => (isOver = true));
    for (let isLast = false; !isLast;) {
      isLast = isOver;
      using watch = await f.http.watch(leases, { resourceVersion: from, timeoutSeconds: 1 });
      const frames = await watch.rest();
      seen.push(...frames.map(received));
      from = frames.at(-1)?.object.metadata.resourceVersion ?? from;
    }
    await writing;
    expect(seen).toEqual(written);
  });

  test('case 106: a watch opened after an echo brings a bookmark at or beyond it, though nothing happened in its collection', async () => {
    const f = fixture();
    const [quiet, busy] = [await f.space(), await f.space()];
    const resourceVersion = (await f.get(quiet.leases)).metadata.resourceVersion;
    await f.create(busy.leases, lease('elsewhere'));
    const { object } = await echo(f, quiet.leases);
    expect(versionOf(object)).toBeGreaterThan(Number(resourceVersion));
    const query = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 4 };
    using watch: Watch = await f.http.watch(quiet.leases, query);
    const frames = await watch.rest();
    expect(frames.filter((frame) => !isBookmark(frame))).toEqual([]);
    expect(Math.max(...frames.map((frame) => versionOf(frame.object)))).toBeGreaterThanOrEqual(versionOf(object));
  });

  test('case 107: a server that is behind the version of a watch sends it nothing, not even bookmarks', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const ahead = String(Number((await f.get(leases)).metadata.resourceVersion) + 1_000_000);
    const query = { resourceVersion: ahead, allowWatchBookmarks: true, timeoutSeconds: 5 };
    using watch = await f.http.watch(leases, query);
    await f.create(leases, lease('a'));
    expect(await watch.rest()).toEqual([]);
  });

  test('case 108: a streaming list that others write beside soon gets a second bookmark, long before its end', async () => {
    const f = fixture();
    const [quiet, busy] = [await f.space(), await f.space()];
    let isOver = false;
    const writing = (async () => {
      for (let at = 0; !isOver; at += 1) await f.create(busy.leases, lease(`c${at}`));
    })();
    try {
      // On a busy machine the next write may come after the moment of the second bookmark, which then comes shortly before the end.
      const tookMs: number[] = [];
      while (tookMs.length < 3 && !tookMs.some((ms) => ms < 5_000)) {
        using watch = await f.http.watch(quiet.leases, { ...ECHO, timeoutSeconds: 10 });
        const began = performance.now();
        const [mark, second] = (await watch.take(2)) as [Frame, Frame];
        tookMs.push(performance.now() - began);
        expect([mark, second].map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK']);
        expect(second.object.metadata.annotations).toBeUndefined();
        expect(versionOf(second.object)).toBeGreaterThan(versionOf(mark.object));
      }
      expect(Math.min(...tookMs)).toBeLessThan(5_000);
    } finally {
      isOver = true;
      await writing;
    }
  });
}

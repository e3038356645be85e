import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { isExpired, isTooLargeResourceVersion } from '../../src/core/status.ts';
import type { WatchOptions } from '../../src/core/object/list-options.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../src/core/object/watch-event.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';

interface Rig {
  readonly source: FakeSource;
  /** The output of a watch with these options: `ADDED a@2`, the end, an error. */
  readonly hear: (options: WatchOptions, signal?: AbortSignal) => string[];
}

const none = new AbortController().signal;
const brief = ({ type, object }: WatchEvent<KubeObject>): string =>
  `${type} ${(object as KubeObject).metadata?.name ?? ''}@${(object as KubeObject).metadata?.resourceVersion ?? ''}`;

function rig(): Rig {
  const source = new FakeSource();
  const hear = (options: WatchOptions, signal: AbortSignal = none): string[] => {
    const heard: string[] = [];
    void (async () => {
      try {
        for await (const event of source.watch(options, signal)) heard.push(brief(event));
        heard.push('end');
      } catch (error) {
        heard.push(isExpired(error) ? 'expired' : String(error));
      }
    })();
    return heard;
  };
  return { source, hear };
}

const named = (name: string): KubeObject => ({ metadata: { name } });

describe('versions', () => {
  test('OTH-04: every change has the next version, and a watch gets all after its own', async () => {
    const { source, hear } = rig();
    source.create(named('a')); // 2
    source.update(named('a')); // 3
    source.update(named('a')); // 4
    source.delete('a'); // 5
    const all = hear({ resourceVersion: '1' });
    const some = hear({ resourceVersion: '3' });
    const last = hear({ resourceVersion: '5' });
    await settle();
    expect(all).toEqual(['ADDED a@2', 'MODIFIED a@3', 'MODIFIED a@4', 'DELETED a@5']);
    expect(some).toEqual(['MODIFIED a@4', 'DELETED a@5']);
    expect(last).toEqual([]);
    source.create(named('b'));
    await settle();
    expect([all.at(-1), some.at(-1), last.at(-1)]).toEqual(['ADDED b@6', 'ADDED b@6', 'ADDED b@6']);
    expect((await source.list({}, none)).metadata).toEqual({ resourceVersion: '6' });
  });

  test('OTH-04: after the history is forgotten an old version is expired, also for exact lists and tokens, and the present one is not', async () => {
    const { source, hear } = rig();
    source.create(named('a'));
    source.create(named('b'));
    const { metadata } = await source.list({ limit: 1 }, none);
    source.expireHistory();
    const old = hear({ resourceVersion: '2' });
    const now = hear({ resourceVersion: '3' });
    await settle();
    expect(old).toEqual(['expired']);
    expect(now).toEqual([]);
    await expect(source.list({ limit: 1, continue: metadata?.continue ?? '' }, none)).rejects.toSatisfy(isExpired);
    await expect(source.list({ resourceVersion: '2', resourceVersionMatch: 'Exact' }, none)).rejects.toSatisfy(
      isExpired,
    );
    expect((await source.list({ resourceVersion: '3', resourceVersionMatch: 'Exact' }, none)).items).toHaveLength(2);
  });

  test('OTH-04: a version of the future is too large for a list, and a watch at it stays silent, as on a real server', async () => {
    const { source, hear } = rig();
    await expect(source.list({ resourceVersion: '99', resourceVersionMatch: 'NotOlderThan' }, none)).rejects.toSatisfy(
      isTooLargeResourceVersion,
    );
    const blind = hear({ resourceVersion: '99' });
    await settle();
    expect(blind).toEqual([]);
  });

  test('OTH-04: a list at an exact version shows that moment', async () => {
    const { source } = rig();
    source.create(named('a'));
    source.create(named('b'));
    source.delete('a');
    const then = await source.list({ resourceVersion: '3', resourceVersionMatch: 'Exact' }, none);
    expect(then.items.map((item) => item.metadata?.name)).toEqual(['a', 'b']);
  });

  test('OTH-04: pages show one moment, whatever happens in between', async () => {
    const { source } = rig();
    for (const name of ['a', 'b', 'c']) source.create(named(name));
    const first = await source.list({ limit: 2 }, none);
    source.delete('c');
    const second = await source.list({ limit: 2, continue: first.metadata?.continue ?? '' }, none);
    expect(second.items.map((item) => item.metadata?.name)).toEqual(['c']);
    expect(second.metadata).toEqual({ resourceVersion: '4' });
  });
});

describe('streams', () => {
  test('OTH-04, STR-03: from "0" or no version a watch begins with what is there', async () => {
    const { source, hear } = rig();
    source.create(named('a'));
    const heard = hear({});
    source.create(named('b'));
    await settle();
    expect(heard).toEqual(['ADDED a@2', 'ADDED b@3']);
  });

  test('OTH-04: the initial events end with the marker', async () => {
    const { source } = rig();
    source.create(named('a'));
    const events: WatchEvent<KubeObject>[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const event of source.watch({ sendInitialEvents: true }, stop.signal)) events.push(event);
    })();
    await settle();
    expect(events.at(-1)?.object).toEqual({
      metadata: { resourceVersion: '2', annotations: { [INITIAL_EVENTS_END]: 'true' } },
    });
    stop.abort();
    await reading;
    expect(source.openWatches).toBe(0);
  });

  test('OTH-04: a cut ends every watch, with or without an error; what was sent before still arrives', async () => {
    const { source, hear } = rig();
    const [clean, torn] = [hear({ resourceVersion: '1' }), hear({ resourceVersion: '1' })];
    source.create(named('a'));
    source.cut();
    await settle();
    expect([clean, torn]).toEqual([
      ['ADDED a@2', 'end'],
      ['ADDED a@2', 'end'],
    ]);
    const later = hear({ resourceVersion: '2' });
    source.cut(new Error('reset'));
    await settle();
    expect(later).toEqual(['Error: reset']);
    expect(source.openWatches).toBe(0);
  });

  test('OTH-04: events can be lost, repeated, and requests made to fail', async () => {
    const { source, hear } = rig();
    const heard = hear({ resourceVersion: '1' });
    source.loseNext(1);
    source.create(named('lost'));
    source.create(named('sent'));
    source.repeat(1);
    await settle();
    expect(heard).toEqual(['ADDED sent@3', 'ADDED sent@3']);
    source.failNext('watch', new Error('no'));
    const failing = hear({ resourceVersion: '1' });
    source.failNext('list', new Error('neither'), 2);
    await expect(source.list({}, none)).rejects.toThrow('neither');
    await expect(source.list({}, none)).rejects.toThrow('neither');
    await expect(source.list({}, none)).resolves.toBeDefined();
    await settle();
    expect(failing).toEqual(['Error: no']);
  });

  test('OTH-04: a restored storage goes back in time, and open watches get no event for it', async () => {
    const { source, hear } = rig();
    const a = source.create(named('a'));
    source.create(named('b'));
    const heard = hear({ resourceVersion: '3' });
    source.restore([a], 2);
    expect(source.resourceVersion).toBe('2');
    expect(source.objects).toEqual([a]);
    await settle();
    expect(heard).toEqual([]);
  });
});

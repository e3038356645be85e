import { describe, expect, test } from 'vitest';
import type { ListOptions, WatchOptions } from '../../../src/core/object/list-options.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { type ListWatch, withOptions } from '../../../src/informer/list-watch/list-watch.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import { list, marker, pod, rig as reflecting, watch } from '../rig/reflector-rig.ts';

interface Rig {
  readonly source: ListWatch<KubeObject>;
  readonly calls: { readonly verb: string; readonly options: ListOptions; readonly signal: AbortSignal }[];
}

function rig(more: Partial<ListWatch<KubeObject>> = {}): Rig {
  const calls: { verb: string; options: ListOptions; signal: AbortSignal }[] = [];
  return {
    calls,
    source: {
      list: (options, signal) => {
        calls.push({ verb: 'list', options, signal });
        return Promise.resolve({ items: [] });
      },
      watch: (options, signal) => {
        calls.push({ verb: 'watch', options, signal });
        return (async function* () {})();
      },
      ...more,
    },
  };
}

const { signal } = new AbortController();

describe('a source with other options', () => {
  test('LW-04: the modifier changes list and watch alike, and gets the verb', async () => {
    const { source, calls } = rig();
    const narrowed = withOptions(source, (options, verb) => ({ ...options, fieldSelector: `metadata.name=${verb}` }));
    await narrowed.list({ limit: 5 }, signal);
    narrowed.watch({ resourceVersion: '5' }, signal);
    expect(calls).toEqual([
      { verb: 'list', options: { limit: 5, fieldSelector: 'metadata.name=list' }, signal },
      { verb: 'watch', options: { resourceVersion: '5', fieldSelector: 'metadata.name=watch' }, signal },
    ]);
  });

  test('LW-04: it works on a copy: one that writes into its options changes only its own call', async () => {
    const { source, calls } = rig();
    const narrowed = withOptions(source, (options) =>
      Object.assign(options as { labelSelector?: string }, { labelSelector: 'app=web' }),
    );
    const mine: WatchOptions = { resourceVersion: '5' };
    await narrowed.list(mine, signal);
    narrowed.watch(mine, signal);
    expect(mine).toEqual({ resourceVersion: '5' });
    expect(calls.map((call) => call.options.labelSelector)).toEqual(['app=web', 'app=web']);
  });

  test.each([
    ['says nothing', {}, undefined],
    ['says it can stream', { watchListUnsupported: false }, false],
    ['says it cannot', { watchListUnsupported: true }, true],
  ])('LW-06: a marker is carried over: the source %s', (_, marked, expected) => {
    const narrowed = withOptions(rig(marked).source, (options) => options);
    expect(narrowed.watchListUnsupported).toBe(expected);
    expect('watchListUnsupported' in narrowed).toBe(expected !== undefined);
  });

  test('F29: clusterId is carried over and called as a method of the source', async () => {
    class Cluster {
      readonly #name = 'uid-1';
      list = rig().source.list;
      watch = rig().source.watch;
      clusterId(): Promise<string> {
        return Promise.resolve(this.#name);
      }
    }
    const narrowed = withOptions<KubeObject>(new Cluster(), (options) => options);
    await expect(narrowed.clusterId?.(signal)).resolves.toBe('uid-1');
    expect(withOptions(rig().source, (options) => options).clusterId).toBeUndefined();
  });

  test('LW-04: through a reflector every request carries the selector, and pages and versions stay as they are', async () => {
    const { calls, start, stop } = reflecting([list([pod('a', 1)], 10, { continue: 'C1' }), list([], 10), watch()], {
      watchList: false,
      wrap: (source) => withOptions(source, (options) => ({ ...options, labelSelector: 'app=web' })),
    });
    await start();
    expect(calls).toEqual([
      { verb: 'list', limit: 500, labelSelector: 'app=web' },
      { verb: 'list', limit: 500, continue: 'C1', labelSelector: 'app=web' },
      {
        verb: 'watch',
        resourceVersion: '10',
        timeoutSeconds: 300,
        allowWatchBookmarks: true,
        labelSelector: 'app=web',
      },
    ]);
    await stop();
  });
});

describe('how the reflector uses a source', () => {
  test('LW-01, LW-03: one page per call; the source does not page by itself', async () => {
    const { calls, start, stop } = reflecting(
      [list([pod('a', 1)], 10, { continue: 'C1' }), list([pod('b', 1)], 10), watch()],
      { watchList: false },
    );
    await start();
    expect(calls.map((call) => `${call.verb} ${call.continue ?? '-'}`)).toEqual(['list -', 'list C1', 'watch -']);
    await stop();
  });

  test('LW-05: every call gets a signal, and a stop aborts all of them', async () => {
    const signals: AbortSignal[] = [];
    const { streams, start, stop } = reflecting([watch(marker(10))], {
      wrap: (source) => ({
        list: source.list,
        watch: (options, given) => {
          signals.push(given);
          return source.watch(options, given);
        },
      }),
    });
    await start();
    expect(signals.map((given) => given.aborted)).toEqual([false]);
    expect(streams[0]?.signal).toBe(signals[0]);
    await stop();
    expect(signals.map((given) => given.aborted)).toEqual([true]);
  });

  test('LW-01: functions of a class keep their this', async () => {
    class Server {
      #lists = 0;
      list(): Promise<{ metadata: { resourceVersion: string }; items: KubeObject[] }> {
        this.#lists += 1;
        return Promise.resolve({ metadata: { resourceVersion: String(this.#lists) }, items: [] });
      }
      watch(): AsyncIterable<never> {
        return { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => void this.#lists) }) };
      }
      clusterId(): Promise<string> {
        return Promise.resolve(`cluster ${this.#lists}`);
      }
    }
    const { sink, errors, start, stop } = reflecting([], {
      watchList: false,
      wrap: () => new Server() as ListWatch<KubeObject>,
    });
    await start();
    await settle();
    expect(errors).toEqual([]);
    expect(sink.lines).toEqual(['replace@1 []']);
    await stop();
  });
});

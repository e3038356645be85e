import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { Reflector } from '../../../src/informer/reflector/reflector.ts';
import type { ReflectorOptions } from '../../../src/informer/reflector/reflector-options.ts';
import { namespaceKeyedIndexerAndReflector } from '../../../src/informer/indexer-and-reflector.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';
import { added, list, pod, RecordingSink, rig, watch } from '../rig/reflector-rig.ts';

function make(options: ReflectorOptions<KubeObject> = {}, source: ListWatch<KubeObject> = new FakeSource()): Reflector {
  return new Reflector(source, new RecordingSink(), { env: fakeEnv(), ...options });
}

describe('names', () => {
  test('REF-02: the default name is the place in the code outside this package, as file:line', () => {
    expect(make().name).toMatch(/^reflector\.options\.test\.ts:\d+$/);
    expect(make({ name: 'pods' }).name).toBe('pods');
  });

  test.each([
    [undefined, '<unspecified>'],
    [{}, '<unspecified>'],
    [{ apiVersion: 'apps/v1', kind: 'Deployment' }, 'apps/v1, Kind=Deployment'],
    [{ kind: 'Pod' }, 'Pod'],
  ])('REF-02: expecting %j, the type is described as %s', (expected, description) => {
    expect(make(expected === undefined ? {} : { expected }).typeDescription).toBe(description);
  });

  test('REF-02: a description of the user goes first', () => {
    expect(make({ typeDescription: 'the pods', expected: { kind: 'Pod' } }).typeDescription).toBe('the pods');
  });

  // What the expected type checks: each part only where both sides name it.
  test.each([
    ['nothing expected', undefined, 'a@1 b@2 c@3'],
    ['only a kind', { kind: 'Pod' }, 'a@1 b@2'],
    ['only a group', { apiVersion: 'v1' }, 'a@1 b@2 c@3'],
    ['both', { apiVersion: 'v1', kind: 'Pod' }, 'a@1 b@2'],
    ['another group', { apiVersion: 'example.com/v1', kind: 'Pod' }, 'b@2'],
  ])('REF-03: %s', async (_, expected, text) => {
    const items = [
      { ...pod('a', 1), apiVersion: 'v1', kind: 'Pod' },
      pod('b', 2),
      { ...pod('c', 3), apiVersion: 'v1', kind: 'Secret' },
    ];
    const { sink, start, stop } = rig([list(items, 10), watch()], {
      watchList: false,
      ...(expected === undefined ? {} : { expected }),
    });
    await start();
    expect(sink.text).toBe(text);
    await stop();
  });
});

describe('impossible values', () => {
  test.each<[keyof ReflectorOptions<KubeObject>, unknown]>([
    ['resyncMs', Number.NaN],
    ['resyncMs', -1],
    ['resyncMs', Number.POSITIVE_INFINITY],
    ['resyncMs', '30s'],
    ['pageSize', -1],
    ['pageSize', 1.5],
    ['pageSize', Number.NaN],
    ['minWatchTimeoutMs', -1],
    ['minWatchTimeoutMs', Number.NaN],
    ['minWatchTimeoutMs', Number.POSITIVE_INFINITY],
    ['maxInternalErrorRetryMs', -1],
    ['maxInternalErrorRetryMs', Number.NaN],
    ['markerTimeoutMs', 0],
    ['markerTimeoutMs', -5],
    ['markerTimeoutMs', Number.NaN],
    ['backoff', { initialMs: 0 }],
    ['backoff', { initialMs: Number.NaN }],
    ['backoff', { maxMs: 1 }],
  ])('F66, REF-01: %s = %o is refused when the reflector is made', (name, value) => {
    expect(() => make({ [name]: value })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringMatching(/expected .*, got /) as string,
      }) as Error,
    );
  });

  test.each([null, {}, { list: () => {} }, { watch: () => {} }])(
    'LW-01, LW-07: a source %o that cannot list and watch is refused',
    (source) => {
      expect(() => make({}, source as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }) as Error);
    },
  );

  test('REF-01: an explicit undefined is a default', () => {
    const unset = Object.fromEntries(
      [
        'name',
        'resyncMs',
        'pageSize',
        'minWatchTimeoutMs',
        'maxInternalErrorRetryMs',
        'markerTimeoutMs',
        'watchList',
        'backoff',
      ].map((key) => [key, undefined]),
    );
    expect(make(unset).usesWatchList).toBe(true);
  });

  test('F66, REF-01: periods longer than a platform timer can hold are fine', async () => {
    const month = 31 * 24 * 3_600_000;
    const { sink, clock, start, stop } = rig((verb) => (verb === 'list' ? list([], 10) : watch(added('a', 11))), {
      watchList: false,
      resyncMs: month,
    });
    await start();
    clock.freeze(month - 1);
    expect(sink.lines).not.toContain('resync');
    await clock.advance(1);
    expect(sink.lines).toContain('resync');
    await stop();
  });
});

test('REF-01: making a reflector starts nothing', () => {
  const source = new FakeSource();
  const env = fakeEnv();
  const reflector = new Reflector(source, new RecordingSink(), { env, resyncMs: 1_000 });
  expect(source.calls).toEqual([]);
  expect(env.clock.sleeping).toBe(0);
  expect(reflector.state).toEqual({ kind: 'idle' });
  expect(reflector.lastContactAt).toBeUndefined();
});

test('REF-16: a namespace-keyed indexer and a reflector that writes straight into it', async () => {
  const source = new FakeSource();
  source.create({ metadata: { namespace: 'web', name: 'a' } });
  source.create({ metadata: { namespace: 'db', name: 'a' } });
  const env = fakeEnv();
  const { indexer, reflector } = namespaceKeyedIndexerAndReflector(source, { env });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await settle();
  expect(indexer.keys().toSorted()).toEqual(['db/a', 'web/a']);
  expect(indexer.byIndex('namespace', 'db').map((object) => object.metadata?.name)).toEqual(['a']);
  source.delete('db/a');
  source.create({ metadata: { namespace: 'web', name: 'b' } });
  source.bookmark();
  await settle();
  expect(indexer.indexKeys('namespace', 'web')).toEqual(['web/a', 'web/b']);
  expect(indexer.has('db/a')).toBe(false);
  expect(indexer.resourceVersion).toBe(source.resourceVersion);
  stop.abort();
  await running;
  expect(env.clock.sleeping).toBe(0);
});

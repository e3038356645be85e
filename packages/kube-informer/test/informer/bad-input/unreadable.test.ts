import { describe, expect, test } from 'vitest';
import { decodeList } from '../../../src/client/codec/list-stream.ts';
import { decodeWatchStream } from '../../../src/client/codec/watch-stream.ts';
import { KubeError } from '../../../src/core/errors.ts';
import type { KubeList, KubeObject } from '../../../src/core/object/object.ts';
import { unreadableObject } from '../../../src/core/object/unreadable.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { expired, type FakeSource } from '../../../src/testing/fake-source.ts';
import { type Pod, pod, QUEUES, rig } from '../rig/informer-rig.ts';
import { serverRig } from '../rig/reflector-rig.ts';

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Its clock stands, so that a decoder never pauses: a pause takes turns of the event loop that the clock does not wait for. */
const env = fakeEnv();

/** The same source, through JSON and the decoders of the client. `spoil` changes the text of an object. */
function overTheWire(source: ListWatch<Pod>, spoil: (text: string, object: Pod) => string): ListWatch<Pod> {
  const textOf = (object: Pod): string => spoil(JSON.stringify(object), object);
  return {
    async list(options, signal) {
      const { items, ...rest } = await source.list(options, signal);
      const head = JSON.stringify({ ...rest, kind: 'PodList', apiVersion: 'v1' }).slice(0, -1);
      return decodeList<Pod>(bodyOf(`${head},"items":[${items.map(textOf).join()}]}`), { unreadable: 'mark', env });
    },
    watch(options, signal) {
      async function* lines(): AsyncGenerator<Uint8Array> {
        for await (const { type, object } of source.watch(options, signal)) {
          const text = type === 'BOOKMARK' || type === 'ERROR' ? JSON.stringify(object) : textOf(object);
          yield new TextEncoder().encode(`{"type":"${type}","object":${text}}\n`);
        }
      }
      return decodeWatchStream<Pod>(lines(), { unreadable: 'mark', env });
    },
  };
}

/** Replaces the spec of the named objects for as long as they are in the set. */
function spoiling(names: ReadonlySet<string>, spec: string) {
  return (text: string, { metadata }: Pod): string =>
    names.has(metadata?.name ?? '') ? text.replace(/"spec":\{.*?\}/, `"spec":${spec}`) : text;
}

describe.each(QUEUES)('an object that cannot be decoded, queue %s', (queue) => {
  for (const watchList of [true, false]) {
    const how = watchList ? 'a streamed list' : 'a plain list';
    test(`F52, F62, G9: 1,200 levels in ${how} poison one key; the others are cached, and it heals`, async () => {
      const bad = new Set(['bad']);
      const { informer, source, heard, start, relist } = rig({
        queue,
        watchList,
        wrap: (server) => overTheWire(server, spoiling(bad, nested(1_200))),
      });
      for (const name of ['bad', 'good']) source.create(pod(`web/${name}`, { n: 1 }));
      await start();
      expect(informer.hasSynced).toBe(true);
      expect(heard.lines).toEqual(['add web/good@3 initial']);
      expect(informer.health()).toMatchObject({
        state: { kind: 'synced' },
        poisoned: [{ key: 'web/bad', error: expect.stringContaining('nests deeper than 1000 levels') as string }],
        unnamed: 0,
      });
      bad.clear();
      await relist();
      expect(heard.lines).toEqual(['add web/good@3 initial', 'add web/bad@2']);
      expect(informer.health().poisoned).toEqual([]);
      await informer.stop();
    });
  }

  test('F52, F49, G9: an event that cannot be decoded keeps the old state and the stream; the next one heals it', async () => {
    const bad = new Set<string>();
    for (const spec of [nested(1_200), '{"n":01}', `"${String.fromCharCode(0xd800)}", "x": \u0001`]) {
      bad.clear();
      const { informer, source, heard, start, clock, logged } = rig({
        queue,
        wrap: (server) => overTheWire(server, spoiling(bad, spec)),
      });
      source.create(pod('web/bad', { n: 1 }));
      await start();
      bad.add('bad');
      source.update(pod('web/bad', { n: 2 }));
      source.create(pod('web/good', { n: 1 }));
      await clock.advance(10);
      expect(heard.lines).toEqual(['add web/bad@2 initial', 'add web/good@4']);
      expect(informer.get('web/bad')?.spec).toEqual({ n: 1 });
      expect(informer.health().poisoned.map(({ key }) => key)).toEqual(['web/bad']);
      expect(logged('error', 'could not be decoded')).toHaveLength(1);
      expect((await informer.verify()).consistent).toBe(true);
      bad.clear();
      source.update(pod('web/bad', { n: 3 }));
      await clock.advance(10);
      expect(heard.lines.at(-1)).toBe('update web/bad@2→5');
      expect(informer.health()).toMatchObject({ poisoned: [], state: { kind: 'synced' } });
      await informer.stop();
    }
  });

  test('F52, G5, G9: the delete of an object that cannot be decoded deletes it', async () => {
    const bad = new Set<string>();
    const { informer, source, heard, start, clock } = rig({
      queue,
      wrap: (server) => overTheWire(server, spoiling(bad, nested(1_200))),
    });
    source.create(pod('web/bad', { n: 1 }));
    await start();
    bad.add('bad');
    source.delete('web/bad');
    await clock.advance(10);
    expect(heard.lines).toEqual(['add web/bad@2 initial', 'delete web/bad']);
    expect(informer.health().poisoned).toEqual([]);
    await informer.stop();
  });

  test('F52, G8, G9: an event whose name cannot be read is not lost: it leads to a list', async () => {
    const bad = new Set<string>();
    const nameless = (text: string, { metadata }: Pod): string =>
      bad.has(metadata?.name ?? '') ? '{"metadata":{"name":05,"resourceVersion":"3"}}' : text;
    const { informer, source, heard, start, clock } = rig({ queue, wrap: (server) => overTheWire(server, nameless) });
    source.create(pod('web/bad', { n: 1 }));
    await start();
    bad.add('bad');
    source.update(pod('web/bad', { n: 2 }));
    await clock.advance(6_000);
    expect(informer.state).toMatchObject({ kind: 'stale', reason: 'undecodable' });
    expect(informer.get('web/bad')?.spec).toEqual({ n: 1 });
    bad.clear();
    await clock.advance(60_000);
    expect(informer.state.kind).toBe('synced');
    expect(heard.lines).toEqual(['add web/bad@2 initial', 'update web/bad@2→3']);
    await informer.stop();
  });

  test('F52, G5, G9: a list with an object whose name cannot be read deletes nothing, is reported, and recovers', async () => {
    const bad = new Set<string>();
    const nameless = (text: string, { metadata }: Pod): string =>
      bad.has(metadata?.name ?? '') ? '{"metadata":01}' : text;
    const { informer, source, heard, start, clock, relist, logged } = rig({
      queue,
      watchList: false,
      wrap: (server) => overTheWire(server, nameless),
    });
    for (const name of ['a', 'b', 'gone']) source.create(pod(`web/${name}`));
    await start();
    bad.add('b');
    source.cut(expired('too old resource version'));
    source.delete('web/gone');
    source.create(pod('web/new'));
    await relist();
    expect(heard.lines.slice(3)).toEqual(['add web/new@6']);
    expect(informer.store.keys().toSorted()).toEqual(['web/a', 'web/b', 'web/gone', 'web/new']);
    const { poisoned, unnamed } = informer.health();
    expect([unnamed, poisoned.map(({ key }) => key).toSorted()]).toEqual([1, ['web/b', 'web/gone']]);
    expect(poisoned[0]?.error).toContain('an object with an unreadable name');
    expect(logged('error', 'not even its name')).toHaveLength(1);
    bad.clear();
    await relist();
    await clock.advance(1_000);
    expect(heard.lines.slice(4)).toEqual(['delete web/gone unknown']);
    expect(informer.health()).toMatchObject({ poisoned: [], unnamed: 0, state: { kind: 'synced' } });
    await informer.stop();
  });

  test('F52, G9: a list none of whose objects has a name is refused', async () => {
    const { informer, source, start } = rig({
      queue,
      watchList: false,
      wrap: (server) => overTheWire(server, () => '{"metadata":01}'),
    });
    source.create(pod('web/a'));
    await start();
    expect(informer.hasSynced).toBe(false);
    expect(informer.state).toMatchObject({ problem: { error: { code: 'LIST_INVALID' } } });
    await informer.stop();
  });

  test('F56, G9: a version that is a number poisons the object, and is named as what it is', async () => {
    const wrap = (source: FakeSource<Pod>): ListWatch<Pod> => ({
      watchListUnsupported: true,
      watch: source.watch,
      async list(options, signal) {
        const list = await source.list(options, signal);
        const numbered = pod('web/b', {}, { uid: 'uid-9', resourceVersion: 7 as unknown as string });
        return { ...list, items: [...list.items, numbered] };
      },
    });
    const { informer, source, start, clock } = rig({ queue, wrap });
    source.create(pod('web/a'));
    await start();
    expect(informer.store.keys()).toEqual(['web/a']);
    expect(informer.health().poisoned).toEqual([
      {
        key: 'web/b',
        error: 'the object cannot be used: metadata.resourceVersion is of the type number, expected a string',
      },
    ]);
    source.send({ type: 'MODIFIED', object: pod('web/a', {}, { resourceVersion: 9 as unknown as string }) });
    await clock.advance(100);
    expect(informer.health().reflector).toMatchObject({
      kind: 'waiting',
      error: { message: expect.stringContaining('MODIFIED event is of the type number, expected a string') as string },
    });
    await informer.stop();
  });
});

test('F56: a list whose own version is a number is refused, and says why', async () => {
  const wrap = (source: FakeSource<Pod>): ListWatch<Pod> => ({
    watchListUnsupported: true,
    watch: source.watch,
    list: async () => ({ metadata: { resourceVersion: 12 }, items: [] }) as unknown as KubeList<Pod>,
  });
  const { informer, start } = rig({ wrap });
  await start();
  expect(informer.state).toMatchObject({
    problem: {
      reason: 'undecodable',
      error: {
        message: expect.stringContaining('metadata.resourceVersion of the list is of the type number') as string,
      },
    },
  });
  await informer.stop();
});

describe('a sink that does not know what a marked object is', () => {
  const isBad = ({ metadata }: KubeObject): boolean => metadata?.labels?.['bad'] === 'yes';
  const decoded = (object: KubeObject): KubeObject =>
    isBad(object)
      ? unreadableObject({ metadata: { ...object.metadata } }, new KubeError('WATCH_DECODE', 'cannot be decoded'))
      : object;
  const wrap = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
    async list(options, signal) {
      const list = await source.list(options, signal);
      return { ...list, items: list.items.map(decoded) };
    },
    async *watch(options, signal) {
      for await (const event of source.watch(options, signal)) {
        if (event.type === 'BOOKMARK' || event.type === 'ERROR') yield event;
        else yield { ...event, object: decoded(event.object) };
      }
    },
  });
  const bad = (name: string): KubeObject => ({ metadata: { name, namespace: 'web', labels: { bad: 'yes' } } });
  const good = (name: string): KubeObject => ({ metadata: { name, namespace: 'web' } });

  test('G9, WCH-08: never gets one: an event with it is logged and left out, its delete is passed on', async () => {
    const { server, sink, start, stop, env } = serverRig({ wrap });
    server.create(good('a'));
    await start();
    server.update(bad('a'));
    server.create(bad('b'));
    server.create(good('c'));
    server.delete('web/b');
    await settle();
    expect(sink.lines.slice(1)).toEqual(['add c@5', 'delete b@6']);
    expect(sink.text).toBe('a@2 c@5');
    expect(env.lines.filter(({ message }) => message === 'an event could not be stored')).toHaveLength(2);
    await stop();
  });

  test('G9: a list with one fails, because the sink would delete what it cannot see', async () => {
    const { server, sink, start, stop, errors } = serverRig({ wrap, watchList: false });
    server.create(bad('a'));
    server.create(good('b'));
    await start();
    expect(sink.lines).toEqual([]);
    expect(errors).toMatchObject([{ message: 'cannot be decoded' }]);
    await stop();
  });
});

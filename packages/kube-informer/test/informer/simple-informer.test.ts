import { namespaceKeyedIndexerAndReflector } from '../../src/informer/indexer-and-reflector.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import type { Handler } from '../../src/informer/handlers/handlers.ts';
import { simpleInformer, type SimpleInformerOptions } from '../../src/informer/simple-informer.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { gate, type Pod, pod, versionOf } from './rig/informer-rig.ts';

function rig(handler: Handler<Pod> = new HandlerRecorder<Pod>(), options: SimpleInformerOptions<Pod> = {}) {
  const env = fakeEnv();
  const source = new FakeSource<Pod>();
  const { store, controller } = simpleInformer<Pod>(source, handler, { env, ...options });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    env,
    source,
    store,
    controller,
    start: async () => {
      running = controller.run(stop.signal);
      await env.clock.advance(0);
    },
    end: async () => {
      stop.abort();
      await running;
    },
    errors: () => env.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['error']),
  };
}

describe('an informer for one', () => {
  test('CTL-11, CTL-06 (ExampleNewInformer): one store, one handler; every object that was created is seen deleted', async () => {
    const received = new HandlerRecorder<Pod>();
    const { source, store, controller, start, end } = rig(received);
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    await start();
    expect(controller.hasSynced).toBe(true);
    source.update(pod('web/a', { n: 1 }));
    for (const name of 'ab') source.delete(`web/${name}`);
    await settle();
    expect(received.lines).toEqual([
      'add web/a@2 initial',
      'add web/b@3 initial',
      'update web/a@2→4',
      'delete web/a',
      'delete web/b',
    ]);
    expect([store.size, received.violations]).toEqual([0, []]);
    await end();
  });

  test('CTL-11: the handler runs inside the turn that changed the cache, and what it returns is not awaited', async () => {
    const held = gate();
    const seen: string[] = [];
    const made = rig({
      add: async ({ key }) => {
        seen.push(`${key} ${made.store.size}`);
        await held.opened;
      },
    });
    await made.start();
    made.source.create(pod('web/a'));
    made.source.create(pod('web/b'));
    await settle();
    expect(seen).toEqual(['web/a 1', 'web/b 2']);
    held.open();
    await made.end();
  });

  test('CTL-11 (TestPanicPropagated): a handler that throws loses that event and no other, and is reported', async () => {
    const received: string[] = [];
    const { source, store, env, start, end, errors } = rig({
      add: ({ key }) => {
        received.push(key);
        if (key === 'web/a' || key === 'web/d') throw new Error(`no ${key}`);
      },
    });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await start();
    expect(received).toEqual(['web/a', 'web/b', 'web/c']);
    source.create(pod('web/d'));
    source.create(pod('web/e'));
    await env.clock.advance(1_000);
    expect([received.slice(3), store.size, errors()]).toEqual([['web/d', 'web/e'], 5, ['no web/a', 'no web/d']]);
    await end();
  });

  test('CTL-11, F80: a handler that rejects is reported, and no rejection is left to the process', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const { source, start, end, errors } = rig({ add: () => Promise.reject(new Error('later')) });
    source.create(pod('web/a'));
    await start();
    await settle();
    await end();
    process.off('unhandledRejection', listen);
    expect([unhandled, errors()]).toEqual([[], ['later']]);
  });

  test('TRF-01 (TestTransformingInformer): store and handler see transformed objects only', async () => {
    const received = new HandlerRecorder<Pod>();
    const mark = (object: Pod): Pod => ({ ...object, spec: { ...object.spec, marked: true } });
    const { source, store, start, end } = rig(received, { transform: mark });
    source.create(pod('web/a'));
    await start();
    source.update(pod('web/a', { n: 1 }));
    source.delete('web/a');
    source.create(pod('web/b'));
    await settle();
    expect(received.events.every(({ object }) => object.spec?.['marked'] === true)).toBe(true);
    expect(store.get('web/b')?.spec).toEqual({ marked: true });
    await end();
  });

  test('TRF-02 (TestTransformingInformerRace): resyncs announce what is cached and transform nothing', async () => {
    let transformed = 0;
    const received = new HandlerRecorder<Pod>();
    const transform = (object: Pod): Pod => {
      transformed += 1;
      return object;
    };
    const { source, env, start, end } = rig(received, { transform, resyncMs: 1_000 });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await start();
    await env.clock.advance(5_000);
    expect([transformed, received.lines.filter((line) => line.endsWith('resync')).length]).toEqual([3, 15]);
    await end();
  });

  test('IDX-01, G1: indexes work, and a server that counts versions per object is followed', async () => {
    const received = new HandlerRecorder<Pod>();
    const { source, store, start, end } = rig(received, {
      watchList: false,
      indexers: { name: ({ metadata }) => [metadata?.name ?? ''] },
    });
    // Items newer than their own list: versions that mean nothing across objects.
    Object.assign(source, {
      list: async () => ({
        metadata: { resourceVersion: '3' },
        items: [pod('web/a', {}, { uid: 'one', resourceVersion: '9' })],
      }),
    });
    await start();
    source.send({ type: 'MODIFIED', object: pod('web/a', {}, { uid: 'two', resourceVersion: '4' }) });
    await settle();
    expect(received.lines).toEqual(['add web/a@9 initial', 'update web/a@9→4 replaced']);
    expect(store.byIndex('name', 'a').map(versionOf)).toEqual(['4']);
    await end();
  });

  test("STO-02: a key function of one's own is used throughout", async () => {
    const received = new HandlerRecorder<Pod>();
    const { source, store, start, end } = rig(received, { key: ({ metadata }) => `uid:${metadata?.uid}` });
    source.create(pod('web/a'));
    await start();
    source.update(pod('web/a', { n: 1 }));
    await settle();
    expect([store.keys(), received.events.map(({ key }) => key)]).toEqual([['uid:uid-1'], ['uid:uid-1', 'uid:uid-1']]);
    await end();
  });
});

test('REF-16: a namespace-indexed store and a reflector that writes straight into it', async () => {
  const env = fakeEnv();
  const source = new FakeSource<KubeObject>();
  const { indexer, reflector } = namespaceKeyedIndexerAndReflector<KubeObject>(source, { env });
  source.create(pod('web/a'));
  source.create(pod('db/b'));
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await settle();
  expect(indexer.indexValues('namespace').sort()).toEqual(['db', 'web']);
  source.create(pod('web/c'));
  source.delete('web/a');
  source.bookmark();
  await settle();
  expect(indexer.indexKeys('namespace', 'web')).toEqual(['web/c']);
  expect([indexer.resourceVersion, reflector.lastSyncResourceVersion]).toEqual(['5', '5']);
  stop.abort();
  await running;
});

import { plainEventMaker } from '../../../src/informer/handlers/event-maker.ts';
import { describe, expect, test } from 'vitest';
import { keyOf, splitKey } from '../../../src/core/object/key.ts';
import { plainAccess } from '../../../src/core/object/object.ts';
import { Controller } from '../../../src/informer/apply/delta-controller.ts';
import { DeletedFinalStateUnknown, keyOfMaybeDeleted } from '../../../src/informer/queue/delta.ts';
import { DeltaFifo } from '../../../src/informer/queue/delta-fifo.ts';
import { type InformerEvent, deliverToHandlers } from '../../../src/informer/handlers/handlers.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import { Process } from '../../../src/informer/apply/process.ts';
import type { Queue } from '../../../src/informer/queue/queue.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { gate, type Pod, pod, rig as informerRig, versionOf } from '../rig/informer-rig.ts';

const MODES = ['atomic', 'spelled out', 'grouped'] as const;

/** A controller on a queue of one's own, and what its handler saw of the store in each callback. */
function rig(mode: (typeof MODES)[number]) {
  const env = fakeEnv();
  const source = new FakeSource<Pod>();
  const store = new Indexer<Pod>();
  const heard = new HandlerRecorder<Pod>();
  const wrong: string[] = [];
  const tell = (event: InformerEvent<Pod>): void => {
    const cached = store.get(event.key);
    if (event.type === 'delete' ? cached !== undefined : cached !== event.object)
      wrong.push(`${event.type} ${event.key}`);
    void deliverToHandlers(heard, event);
  };
  const process = new Process<Pod>({
    store,
    env,
    access: plainAccess,
    events: plainEventMaker(),
    audience: {
      event: tell,
      bulk(bulk) {
        for (let i = 0; i < bulk.size; i += 1) tell(bulk.at(i));
      },
    },
  });
  const options = { key: keyOf, env };
  const queue: Queue<Pod> =
    mode === 'grouped'
      ? new DeltaFifo<Pod>({ ...options, knownObjects: store })
      : new OrderedFifo<Pod>(mode === 'atomic' ? options : { ...options, atomic: false, knownObjects: store });
  const controller = new Controller<Pod>({ env, source, queue, process: process.process });
  const stop = new AbortController();
  return { env, source, store, heard, wrong, queue, controller, stop };
}

describe('one list against what is there', () => {
  test('CTL-07, CTL-09, RFI-03 (TestReplaceEvents): every kind of queue sends the same events and ends with the same store; the store is changed before each callback', async () => {
    const received: string[][] = [];
    const stores: string[][] = [];
    for (const mode of MODES) {
      const { env, source, store, heard, wrong, controller, stop } = rig(mode);
      for (const name of 'abcd') source.create(pod(`web/${name}`));
      const running = controller.run(stop.signal);
      await settle();
      heard.clear();
      source.loseNext(5);
      source.delete('web/a');
      source.update(pod('web/b', { n: 1 }));
      source.create(pod('web/e'));
      source.delete('web/c');
      source.create(pod('web/c'));
      source.expireHistory();
      source.cut();
      await env.clock.advance(2_000);
      expect([wrong, heard.violations]).toEqual([[], []]);
      if (mode !== 'grouped') expect(heard.events[0]?.type).toBe('delete');
      received.push(heard.lines.sort());
      stores.push(
        store
          .list()
          .map((object) => `${keyOf(object)}@${versionOf(object)}`)
          .sort(),
      );
      stop.abort();
      await running;
    }
    expect(received[0]).toEqual([
      'add web/e@8',
      'delete web/a unknown',
      'update web/b@3→7',
      'update web/c@4→10 replaced',
    ]);
    expect([received[1], received[2]]).toEqual([received[0], received[0]]);
    expect(stores[0]).toEqual(['web/b@7', 'web/c@10', 'web/d@5', 'web/e@8']);
    expect([stores[1], stores[2]]).toEqual([stores[0], stores[0]]);
  });

  test.each(MODES)(
    'CTL-06 (TestUpdate): the content of the store decides what is an add and what is an update, queue %s',
    async (mode) => {
      const { queue, heard, controller, stop } = rig(mode);
      const running = controller.run(stop.signal);
      await settle();
      const at = (version: string): Pod => pod('web/a', {}, { uid: 'one', resourceVersion: version });
      queue.update(at('2'));
      queue.add(at('3'));
      await queue.replace([at('4')], '4');
      queue.delete(at('5'));
      queue.update(at('6'));
      await settle();
      expect(heard.lines).toEqual([
        'add web/a@2',
        'update web/a@2→3',
        'update web/a@3→4',
        'delete web/a',
        'add web/a@6',
      ]);
      stop.abort();
      await running;
    },
  );

  test.each(MODES)(
    'RFI-13 (BenchmarkAddWithSlowHandlers): a producer is not held up by the entry being processed, queue %s',
    async (mode) => {
      const { queue, stop } = rig(mode);
      let finish = (): void => {};
      const slow = queue.pop(() => new Promise<void>((resolve) => (finish = resolve)));
      queue.add(pod('web/a'));
      await settle();
      for (let i = 0; i < 100; i += 1) queue.add(pod(`web/${i}`));
      expect(queue.pending).toBe(100);
      finish();
      await slow;
      stop.abort();
    },
  );
});

describe('a deleted object', () => {
  test('STO-03 (TestDeletionHandlingObjectToName): the key of a tombstone is its own, of an object the computed one', () => {
    const tombstone = new DeletedFinalStateUnknown<Pod>('ns1/name1', undefined);
    expect(splitKey(keyOfMaybeDeleted(keyOf, tombstone))).toEqual({ namespace: 'ns1', name: 'name1' });
    expect(keyOfMaybeDeleted(keyOf, pod('ns2/name2'))).toBe('ns2/name2');
  });

  test('EVH-06, Trap 14 (TestDeletedObjectGetObjectName, TestDeletedObjectGetKey): a delete event has its key whatever is known of the object', async () => {
    const { queue, heard, controller, stop } = rig('grouped');
    const running = controller.run(stop.signal);
    await settle();
    queue.add(pod('web/a', {}, { resourceVersion: '2' }));
    queue.add(pod('cluster-scoped', {}, { resourceVersion: '3' }));
    await settle();
    queue.delete(new DeletedFinalStateUnknown<Pod>('web/a', undefined));
    queue.delete(
      new DeletedFinalStateUnknown<Pod>('cluster-scoped', pod('cluster-scoped', {}, { resourceVersion: '3' })),
    );
    await settle();
    const deletes = heard.events.filter(({ type }) => type === 'delete');
    expect(deletes.map(({ key }) => splitKey(key))).toEqual([
      { namespace: 'web', name: 'a' },
      { namespace: '', name: 'cluster-scoped' },
    ]);
    // The last state of the first never arrived: the cached one is the best there is.
    expect(deletes.map(({ object }) => versionOf(object))).toEqual(['2', '3']);
    stop.abort();
    await running;
  });
});

test('CTL-10 (TestProcessDeltasInBatch): in a batch only the writes that succeeded are announced, in order, and the others are poisoned', async () => {
  const bad = (object: Pod): string[] => {
    if (object.spec?.['bad'] === true) throw new Error('cannot index');
    return [];
  };
  const { informer, source, start, heard } = informerRig({ batch: true, indexers: { bad } });
  await start();
  const held = gate();
  informer.on({ add: () => held.opened }, { policy: 'block', limit: 1 });
  for (const name of 'xyz') source.create(pod(`web/${name}`));
  await settle();
  heard.clear();
  source.create(pod('web/a'));
  source.create(pod('web/b', { bad: true }));
  source.update(pod('web/x', { bad: true }));
  source.create(pod('web/c'));
  source.delete('web/y');
  await settle();
  expect(informer.health().pending).toBeGreaterThanOrEqual(5);
  held.open();
  await settle();
  expect(heard.lines).toEqual(['add web/a@5', 'add web/c@8', 'delete web/y']);
  expect(informer.health().poisoned.map(({ key, error }) => `${key}: ${error}`)).toEqual([
    'web/b: index "bad" failed: cannot index',
    'web/x: index "bad" failed: cannot index',
  ]);
  expect(informer.store.keys().sort()).toEqual(['web/a', 'web/c', 'web/x', 'web/z']);
  await informer.stop();
});

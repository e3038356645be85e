import { describe, expect, test } from 'vitest';
import { type Handler } from '../../src/informer/handlers/handlers.ts';
import { filtered } from '../../src/informer/handlers/filtered.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { coded, gate, type Pod, pod, QUEUES, rig, versionOf } from './rig/informer-rig.ts';

describe.each(QUEUES)('joining, queue %s', (queue) => {
  test('INF-09, SYN-02, SYN-04 (TestAddWhileActive): a late handler gets everything cached, then everything new, and is synced after its own last initial callback', async () => {
    const { informer, source, start, heard } = rig({ queue });
    source.create(pod('web/a'));
    await start();
    const blocked = gate();
    const late = new HandlerRecorder<Pod>();
    const handle = informer.on({
      add: async (event) => {
        late.add(event);
        await blocked.opened;
      },
    });
    source.create(pod('web/b'));
    await settle();
    expect(informer.hasSynced).toBe(true);
    expect([late.lines, handle.hasSynced, handle.pending]).toEqual([['add web/a@2 initial'], false, 1]);
    blocked.open();
    await settle();
    expect(handle.hasSynced).toBe(true);
    expect(late.lines).toEqual(['add web/a@2 initial', 'add web/b@3']);
    expect(heard.lines).toEqual(late.lines);
    await informer.stop();
  });

  test('INF-09 (TestSharedInformerInitializationRace): handlers added while the informer starts each get everything once', async () => {
    const { informer, source, start } = rig({ queue });
    for (const name of 'abcde') source.create(pod(`web/${name}`));
    const running = start();
    const joined: HandlerRecorder<Pod>[] = [];
    for (let i = 0; i < 50; i += 1) {
      const recorder = new HandlerRecorder<Pod>();
      joined.push(recorder);
      informer.on(recorder);
      await Promise.resolve();
    }
    await running;
    for (const recorder of joined) {
      expect(recorder.violations).toEqual([]);
      expect(recorder.lines.sort()).toEqual('abcde'.split('').map((name, i) => `add web/${name}@${i + 2} initial`));
    }
    await informer.stop();
  });

  test('INF-10, Trap 9: a handler added between two objects of the first list gets all, once, all as initial', async () => {
    const late = new HandlerRecorder<Pod>();
    let joined = false;
    // An index function runs in the very middle of applying one object.
    const join = (object: Pod): string[] => {
      if (object.metadata?.name === 'c' && !joined) {
        joined = true;
        informer.on(late);
      }
      return [];
    };
    const { informer, source, start, heard } = rig({ queue, indexers: { join } });
    for (const name of 'abcde') source.create(pod(`web/${name}`));
    await start();
    expect(late.violations).toEqual([]);
    expect(late.lines.sort()).toEqual([...heard.lines].sort());
    expect(late.events.every((event) => event.type === 'add' && event.initial)).toBe(true);
    await informer.stop();
  });

  test('INF-09, F85: a handler added between two events of a stream misses none and gets none twice', async () => {
    const { informer, source, start, heard } = rig({ queue });
    source.create(pod('web/a'));
    await start();
    const joined: HandlerRecorder<Pod>[] = [];
    for (let i = 0; i < 40; i += 1) {
      source.update(pod('web/a', { i }));
      source.create(pod(`web/n${i}`));
      if (i % 3 === 0) source.delete(`web/n${i}`);
      const recorder = new HandlerRecorder<Pod>();
      joined.push(recorder);
      informer.on(recorder);
      await Promise.resolve();
    }
    await settle();
    for (const recorder of joined) {
      expect(recorder.violations).toEqual([]);
      expect(recorder.view).toEqual(heard.view);
    }
    await informer.stop();
  });

  test('INF-04 (TestSharedInformerMultipleRegistration): the same handler object may be registered twice, with two handles', async () => {
    const { informer, source, start } = rig({ queue });
    const adds: string[] = [];
    const handler: Handler<Pod> = { add: ({ key }) => void adds.push(key) };
    const first = informer.on(handler);
    const second = informer.on(handler);
    expect(first).not.toBe(second);
    source.create(pod('web/a'));
    await start();
    expect(adds).toEqual(['web/a', 'web/a']);
    first.remove();
    source.create(pod('web/b'));
    await settle();
    expect(adds).toEqual(['web/a', 'web/a', 'web/b']);
    expect(informer.health().handlers.map(({ name }) => name)).toEqual(['heard', 'handler']);
    await informer.stop();
  });
});

describe('leaving', () => {
  test('INF-11 (TestSharedInformerRemoveHandler): handlers leave by their handle, one after the other', async () => {
    const { informer, source, start, heard } = rig();
    const other = new HandlerRecorder<Pod>();
    const [one, two] = [informer.on(other), informer.on(new HandlerRecorder<Pod>())];
    await start();
    expect(informer.health().handlers).toHaveLength(3);
    informer.off(two);
    informer.off(one);
    source.create(pod('web/a'));
    await settle();
    expect(informer.health().handlers.map(({ name }) => name)).toEqual(['heard']);
    expect([other.lines, heard.lines]).toEqual([[], ['add web/a@2']]);
    await informer.stop();
  });

  test('INF-11 (TestSharedInformerRemoveForeignHandler): the handle of another informer is ignored, and its handler stays', async () => {
    const [ours, theirs] = [rig(), rig()];
    const handle = theirs.informer.on(new HandlerRecorder<Pod>());
    expect(() => ours.informer.off(handle)).not.toThrow();
    expect(theirs.informer.health().handlers).toHaveLength(2);
    theirs.informer.off(handle);
    expect(theirs.informer.health().handlers).toHaveLength(1);
  });

  test('INF-11: a value that is not a handle is refused', () => {
    const { informer } = rig();
    for (const wrong of [undefined, null, 'heard', {}]) {
      expect(() => informer.off(wrong as never)).toThrow(coded('INVALID_OPTION'));
    }
  });

  test('INF-11 (TestRemovingRemovedSharedInformer, TestRemoveOnStoppedSharedInformer): leaving twice, or after the stop, is harmless', async () => {
    const { informer, start } = rig();
    const handle = informer.on(new HandlerRecorder<Pod>());
    const kept = informer.on(new HandlerRecorder<Pod>());
    await start();
    handle.remove();
    handle.remove();
    informer.off(handle);
    await informer.stop();
    kept.remove();
    informer.off(kept);
    await kept.shutdown();
    expect(informer.health().handlers).toEqual([]);
  });

  test('INF-11, PRO-11 (TestRemoveWhileActive): a removed handler gets nothing more, not even what was waiting for it', async () => {
    const { informer, source, start } = rig();
    await start();
    const running = gate();
    const received: string[] = [];
    const handle = informer.on({
      add: async ({ key }) => {
        received.push(key);
        await running.opened;
      },
    });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await settle();
    expect([received, handle.pending]).toEqual([['web/a'], 2]);
    handle.remove();
    running.open();
    source.create(pod('web/d'));
    await settle();
    expect([received, handle.pending]).toEqual([['web/a'], 0]);
    await informer.stop();
  });

  test('INF-11 (TestRemoveEventHandler_AsynchronousPanic): removing returns while a callback still runs, and its later failure affects no other', async () => {
    const { informer, source, start, heard } = rig();
    const running = gate();
    const handle = informer.on({
      add: async () => {
        await running.opened;
        throw new Error('too late');
      },
    });
    source.create(pod('web/a'));
    await start();
    handle.remove();
    expect(informer.health().handlers).toHaveLength(1);
    running.open();
    await settle();
    source.create(pod('web/b'));
    await settle();
    expect(heard.lines).toEqual(['add web/a@2 initial', 'add web/b@3']);
    await informer.stop();
  });

  test('INF-12 (TestRemoveEventHandler_SynchronousShutdown): shutdown resolves when the running callback has finished, not before', async () => {
    const { informer, source, start } = rig();
    const running = gate();
    const order: string[] = [];
    const handle = informer.on({
      add: async () => {
        await running.opened;
        order.push('callback');
      },
    });
    source.create(pod('web/a'));
    await start();
    const down = handle.shutdown().then(() => order.push('shutdown'));
    await settle();
    expect(order).toEqual([]);
    running.open();
    await down;
    expect(order).toEqual(['callback', 'shutdown']);
    await handle[Symbol.asyncDispose]();
    await informer.stop();
  });

  test.each(['never started', 'started, then added', 'added, then started'])(
    'INF-12, PRO-13 (TestShutDownEventHandler_Lifecycles): shutdown ends in an informer that was %s',
    async (life) => {
      const { informer, source, start } = rig();
      source.create(pod('web/a'));
      if (life === 'started, then added') await start();
      const recorder = new HandlerRecorder<Pod>();
      const handle = informer.on(recorder);
      if (life === 'added, then started') await start();
      await settle();
      await handle.shutdown();
      source.create(pod('web/b'));
      await settle();
      expect(recorder.lines).toEqual(life === 'never started' ? [] : ['add web/a@2 initial']);
      await informer.stop();
    },
  );
});

describe('a stopped informer', () => {
  test('INF-08 (TestAddOnStoppedSharedInformer): a handler or an index that is added too late is refused with a message', async () => {
    const { informer, start } = rig();
    await start();
    await informer.stop();
    expect(() => informer.on({})).toThrow(/SharedInformer pods is stopped/);
    expect(() => informer.on({})).toThrow(coded('ILLEGAL_STATE'));
    expect(() => informer.addIndexers({ late: () => [] })).toThrow(coded('ILLEGAL_STATE'));
  });

  test('INF-08: between the signal and the end of the loop a handler can still be added', async () => {
    const { informer, source, start } = rig();
    source.create(pod('web/a'));
    await start();
    const stopping = informer.stop();
    expect(informer.isStopped).toBe(false);
    const late = new HandlerRecorder<Pod>();
    expect(informer.on(late).pending).toBe(1);
    await stopping;
    expect(informer.isStopped).toBe(true);
  });
});

describe('the events of a handler', () => {
  test('EVH-01, EVH-04: every callback is optional, and what it returns changes nothing', async () => {
    const { informer, source, start, heard } = rig();
    informer.on({});
    informer.on({ add: () => 'ignored' as never });
    source.create(pod('web/a'));
    await start();
    source.update(pod('web/a', { n: 1 }));
    source.delete('web/a');
    await settle();
    expect(heard.lines).toEqual(['add web/a@2 initial', 'update web/a@2→3', 'delete web/a']);
    await informer.stop();
  });

  test('EVH-02, EVH-08: old is the state delivered last; a delete carries the last state with the version of the delete', async () => {
    const { informer, source, start, heard } = rig();
    source.create(pod('web/a', { n: 1 }));
    await start();
    const before = informer.get('web/a');
    source.update(pod('web/a', { n: 2 }));
    source.delete('web/a');
    await settle();
    const [, update, gone] = heard.events;
    expect(update).toMatchObject({ type: 'update', replaced: false, resync: false, object: { spec: { n: 2 } } });
    expect((update as { old: Pod }).old).toBe(before);
    expect(gone).toMatchObject({ type: 'delete', finalStateUnknown: false, object: { spec: { n: 2 } } });
    expect(versionOf(gone?.object)).toBe('4');
    await informer.stop();
  });

  test.each(QUEUES)('EVH-03: a delete found by a list says that the last state is unknown, queue %s', async (queue) => {
    const { informer, source, start, heard, relist } = rig({ queue });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.loseNext(2);
    source.update(pod('web/a', { n: 2 }));
    source.delete('web/a');
    await relist();
    expect(heard.events.at(-1)).toMatchObject({ type: 'delete', finalStateUnknown: true, object: { spec: { n: 1 } } });
    await informer.stop();
  });

  test('EVH-05: a filtering handler turns entering and leaving into add and delete, and keeps `initial`', async () => {
    const { informer, source, start } = rig();
    const web = new HandlerRecorder<Pod>();
    informer.on(filtered((object) => object.metadata?.labels?.['app'] === 'web', web));
    const shown = { labels: { app: 'web' } };
    source.create(pod('web/a', {}, shown));
    source.create(pod('web/b'));
    await start();
    source.update(pod('web/a', { n: 1 }, shown));
    source.update(pod('web/a'));
    source.update(pod('web/b', {}, shown));
    source.delete('web/b');
    source.delete('web/a');
    await settle();
    expect(web.lines).toEqual([
      'add web/a@2 initial',
      'update web/a@2→4',
      'delete web/a',
      'add web/b@6',
      'delete web/b',
    ]);
    await informer.stop();
  });

  test('EVH-07, SYN-09: a handle is named after its informer and its handler', () => {
    const informer = new SharedInformer<Pod>(rig().source, { expected: { apiVersion: 'v1', kind: 'Pod' } });
    expect(informer.name).toBe('SharedInformer v1, Kind=Pod');
    expect(informer.on(new HandlerRecorder<Pod>()).name).toBe(
      'SharedInformer v1, Kind=Pod + event handler HandlerRecorder',
    );
    expect(informer.on({}, { name: 'mine' }).name).toMatch(/\+ event handler mine$/);
  });

  test('INF-04: an invalid handler, or an invalid option, is refused at once', () => {
    const { informer } = rig();
    for (const wrong of [undefined, null, 'add', () => {}]) {
      expect(() => informer.on(wrong as never)).toThrow(coded('INVALID_OPTION'));
    }
    for (const wrong of [
      { limit: 0 },
      { limit: Number.NaN },
      { policy: 'drop' as never },
      { resyncMs: -1 },
      { errorPauseMs: -1 },
    ]) {
      expect(() => informer.on({}, wrong)).toThrow(coded('INVALID_OPTION'));
    }
    expect(informer.health().handlers).toHaveLength(1);
  });
});

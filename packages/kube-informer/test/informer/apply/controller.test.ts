import { describe, expect, test, vi } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { keyOf } from '../../../src/core/object/key.ts';
import { Controller, type ControllerConfig } from '../../../src/informer/apply/delta-controller.ts';
import type { Deltas } from '../../../src/informer/queue/delta.ts';
import { DeltaFifo } from '../../../src/informer/queue/delta-fifo.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import type { ProcessFn, Queue } from '../../../src/informer/queue/queue.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { type FakeEnv, fakeEnv, seededRandom, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';
import { coded, gate, pod, QUEUES } from '../rig/informer-rig.ts';

interface Rig {
  readonly env: FakeEnv;
  readonly source: FakeSource;
  readonly store: Indexer;
  readonly queue: Queue<KubeObject>;
  readonly controller: Controller;
  /** Processed deltas: `added web/a`, `replacedAll`. */
  readonly done: string[];
  readonly stop: AbortController;
  readonly run: () => Promise<void>;
}

function rig(kind: 'ordered' | 'delta' = 'ordered', config: Partial<ControllerConfig<KubeObject>> = {}): Rig {
  const env = fakeEnv();
  const source = new FakeSource();
  const store = new Indexer();
  const key = keyOf;
  const queue: Queue<KubeObject> =
    kind === 'ordered' ? new OrderedFifo({ key, env }) : new DeltaFifo({ key, env, knownObjects: store });
  const done: string[] = [];
  const process: ProcessFn<KubeObject> = (deltas) => note(deltas, done, store);
  const controller = new Controller({ env, source, queue, process, ...config });
  const stop = new AbortController();
  return { env, source, store, queue, controller, done, stop, run: () => controller.run(stop.signal) };
}

function note(deltas: Deltas<KubeObject>, done: string[], store: Indexer): void {
  for (const delta of deltas) {
    if (delta.type === 'replacedAll') {
      done.push(`replacedAll ${delta.keys.join(' ')}`.trimEnd());
      store.replace(delta.objects, delta.resourceVersion);
    } else if ('key' in delta) {
      done.push(`${delta.type} ${delta.key}`);
      if (delta.type === 'deleted') store.deleteKey(delta.key);
      else if (delta.type !== 'poisoned') store.set(delta.key, delta.object);
    }
  }
}

describe.each(QUEUES)('a controller, queue %s', (kind) => {
  test('CTL-01, CTL-06 (Example): the reflector fills the queue, the loop empties it, and both end with the signal', async () => {
    const { source, store, controller, stop, run } = rig(kind);
    expect([controller.hasStarted, controller.hasSynced, controller.lastSyncResourceVersion]).toEqual([
      false,
      false,
      '',
    ]);
    for (const name of 'abc') source.create(pod(`web/${name}`));
    const running = run();
    await settle();
    expect([controller.hasStarted, controller.hasSynced, controller.lastSyncResourceVersion]).toEqual([
      true,
      true,
      '4',
    ]);
    expect(store.keys()).toEqual(['web/a', 'web/b', 'web/c']);
    for (const name of 'abc') source.delete(`web/${name}`);
    await settle();
    expect([store.size, controller.lastSyncResourceVersion]).toEqual([0, '7']);
    stop.abort();
    await running;
    expect(source.openWatches).toBe(0);
  });

  test('CTL-01: run resolves only after the entry that is being processed and the reflector have ended, and closes the queue', async () => {
    const working = gate();
    const { source, queue, controller, stop, run, env } = rig(kind, { process: () => working.opened });
    source.create(pod('web/a'));
    let ended = false;
    const running = run().then(() => {
      ended = true;
    });
    await settle();
    stop.abort();
    await settle();
    expect([ended, source.openWatches]).toEqual([false, 0]);
    working.open();
    await running;
    await expect(queue.pop(() => {})).rejects.toThrow(coded('QUEUE_CLOSED'));
    expect([env.clock.sleeping, controller.hasStarted]).toEqual([0, true]);
  });

  test('CTL-02: the stop is checked before every entry, and queued entries are dropped', async () => {
    const done: string[] = [];
    const { source, stop, run } = rig(kind, {
      process: (deltas) => {
        done.push(deltas[0].type);
        if (done.length === 2) stop.abort();
      },
    });
    const running = run();
    for (let i = 0; i < 10; i += 1) source.create(pod(`web/${i}`));
    await running;
    expect(done).toHaveLength(2);
  });

  test('CTL-03, CTL-05: an entry that cannot be processed is reported and dropped, and the loop continues after a second', async () => {
    const errors: unknown[] = [];
    const { env, source, done, store, stop, run } = rig(kind, {
      onProcessError: (error) => errors.push(error),
      process: (deltas) => {
        if ('key' in deltas[0] && deltas[0].key === 'web/bad') throw new Error('cannot be read');
        note(deltas, done, store);
      },
    });
    const running = run();
    await settle();
    source.create(pod('web/bad'));
    source.create(pod('web/good'));
    await settle();
    expect([(errors[0] as Error).message, done.filter((line) => line.startsWith('added'))]).toEqual([
      'cannot be read',
      [],
    ]);
    await env.clock.advance(999);
    expect(store.size).toBe(0);
    await env.clock.advance(1);
    expect(store.keys()).toEqual(['web/good']);
    stop.abort();
    await running;
    expect(errors).toHaveLength(1);
  });

  test('CTL-05, DFI-14: the hook gets the entry that failed, which is not queued again; its keys are enough to try later', async () => {
    const failed: string[] = [];
    let broken = true;
    const { env, source, done, store, stop, run } = rig(kind, {
      onProcessError: (_, entry) => {
        for (const delta of entry ?? []) if ('key' in delta) failed.push(`${delta.type} ${delta.key}`);
      },
      process: (deltas) => {
        if (broken && deltas.some((delta) => 'key' in delta && delta.key === 'web/bad')) throw new Error('not now');
        note(deltas, done, store);
      },
    });
    const running = run();
    await settle();
    source.create(pod('web/bad'));
    await settle();
    source.update(pod('web/bad', { i: 2 }));
    await env.clock.advance(1_000);
    expect(failed).toEqual(['added web/bad', 'updated web/bad']);
    broken = false;
    await env.clock.advance(60_000);
    expect([done.filter((line) => line.endsWith('web/bad')), store.size]).toEqual([[], 0]);
    source.update(pod('web/bad', { i: 3 }));
    await settle();
    expect(store.keys()).toEqual(['web/bad']);
    stop.abort();
    await running;
  });

  test('CTL-05: an error that is not about an entry has none, not even the one before it', async () => {
    const entries: unknown[] = [];
    let failing = false;
    const { source, store, stop, run } = rig(kind, {
      room: () => {
        if (failing) throw new Error('no room');
        return undefined;
      },
      onProcessError: (_, entry) => {
        failing = false;
        entries.push(entry);
      },
    });
    source.create(pod('web/a'));
    const running = run();
    await settle();
    expect(store.keys()).toEqual(['web/a']);
    failing = true;
    source.update(pod('web/a', { i: 2 }));
    await settle();
    expect(entries).toEqual([undefined]);
    stop.abort();
    await running;
  });

  test('CTL-03, CTL-05: the pause after an error does not hold up a stop, and an error hook that throws is logged', async () => {
    const { env, source, stop, run } = rig(kind, {
      process: () => {
        throw new Error('always');
      },
      onProcessError: () => {
        throw new Error('in the hook');
      },
    });
    source.create(pod('web/a'));
    const running = run();
    await settle();
    expect(env.clock.sleeping).toBeGreaterThan(0);
    stop.abort();
    await running;
    expect(env.clock.sleeping).toBe(0);
    expect(env.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['error'])).toEqual([
      'in the hook',
      'always',
    ]);
  });

  test('CTL-05: without a hook a processing error is an error in the log', async () => {
    const { env, source, stop, run } = rig(kind, {
      process: () => Promise.reject(new Error('later')),
      name: 'mine',
    });
    source.create(pod('web/a'));
    const running = run();
    await settle();
    const [line] = env.lines.filter(({ level }) => level === 'error');
    const entry = kind === 'ordered' ? 'replacedAll' : 'replaced web/a';
    expect(line?.fields).toEqual({ name: 'mine', error: 'later', entry });
    stop.abort();
    await running;
  });

  test('CTL-01 (TestHammerController): concurrent random load ends without a deadlock, and with the correct state', async () => {
    const { env, source, store, controller, stop, run } = rig(kind);
    const random = seededRandom(1);
    expect(controller.hasSynced).toBe(false);
    const running = run();
    await settle();
    expect(controller.hasSynced).toBe(true);
    const writers = Array.from({ length: 100 }, async () => {
      for (let i = 0; i < 20; i += 1) {
        await env.sleep(random() * 1_000);
        const key = `web/${Math.floor(random() * 20)}`;
        if (random() < 0.3) source.delete(key);
        else source.update(pod(key, { i }));
        if (random() < 0.01) source.cut();
      }
    });
    await env.clock.advance(30_000);
    await Promise.all(writers);
    await env.clock.advance(60_000);
    expect(store.list().sort(byName)).toEqual(source.objects.sort(byName));
    stop.abort();
    await running;
    expect([env.clock.sleeping, source.openWatches]).toEqual([0, 0]);
  });
});

describe('configuration', () => {
  test('CTL-01: running twice is a mistake of the caller', async () => {
    const { stop, run, controller } = rig();
    const running = run();
    await expect(controller.run(stop.signal)).rejects.toMatchObject({
      code: 'ILLEGAL_STATE',
      message: expect.stringContaining('a Controller runs once') as unknown,
    });
    stop.abort();
    await running;
  });

  test('CTL-01: a signal that is aborted already ends the run before anything is asked', async () => {
    const { source, controller, queue } = rig();
    await controller.run(AbortSignal.abort());
    expect(source.calls).toEqual([]);
    await expect(queue.pop(() => {})).rejects.toThrow(coded('QUEUE_CLOSED'));
  });

  test('CTL-01: options of the reflector are passed on, and a later change of the configuration has no effect', async () => {
    const errors: unknown[] = [];
    const env = fakeEnv();
    const source = new FakeSource({ watchList: false });
    const queue = new OrderedFifo<KubeObject>({ key: keyOf, env });
    const process = vi.fn<ProcessFn<KubeObject>>();
    const config: ControllerConfig<KubeObject> = {
      env,
      source,
      queue,
      process,
      resyncMs: 5_000,
      pageSize: 2,
      typeDescription: 'pods',
      minWatchTimeoutMs: 600_000,
      onWatchError: (error) => errors.push(error),
    };
    const controller = new Controller(config);
    Object.assign(config, { process: () => errors.push('changed') });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    source.failNext('list', new Error('no'));
    const stop = new AbortController();
    const running = controller.run(stop.signal);
    await env.clock.advance(800);
    expect(errors.map((error) => (error as Error).message)).toEqual(['failed to list pods: no']);
    expect(source.calls.map(({ verb, options }) => `${verb} ${options.limit ?? options.timeoutSeconds}`)).toEqual([
      'list 2',
      'list 2',
      'list 2',
      'watch 600',
    ]);
    await env.clock.advance(5_000);
    expect(process.mock.calls.map(([deltas]) => deltas[0].type)).toEqual(['replacedAll', 'syncAll']);
    stop.abort();
    await running;
  });

  test('CTL-04: batches are used when the queue can and a function for them was given, otherwise entries go one by one', async () => {
    const sizes = async (kind: 'ordered' | 'delta', withBatch: boolean): Promise<number> => {
      let largest = 0;
      const count: ProcessFn<KubeObject> = (deltas) => {
        if (kind === 'ordered') largest = Math.max(largest, deltas.length);
        else largest = Math.max(largest, new Set(deltas.map((delta) => ('key' in delta ? delta.key : ''))).size);
      };
      const { queue, stop, run } = rig(kind, { process: count, ...(withBatch ? { processBatch: count } : {}) });
      for (let i = 0; i < 20; i += 1) queue.add(pod(`web/${i}`));
      const running = run();
      await settle();
      stop.abort();
      await running;
      return largest;
    };
    expect([await sizes('ordered', true), await sizes('ordered', false), await sizes('delta', true)]).toEqual([
      20, 1, 1,
    ]);
  });

  test('CTL-02, G14: the loop waits for room before each entry, and a stop ends that wait', async () => {
    const full = gate();
    let asked = 0;
    const { source, done, stop, run } = rig('ordered', {
      room: () => {
        asked += 1;
        return asked <= 1 ? full.opened : undefined;
      },
    });
    source.create(pod('web/a'));
    const running = run();
    await settle();
    expect(done).toEqual([]);
    full.open();
    await settle();
    expect(done).toEqual(['replacedAll web/a']);
    stop.abort();
    await running;
    const stuck = rig('ordered', { room: () => new Promise(() => {}) });
    const ending = stuck.run();
    await settle();
    stuck.stop.abort();
    await ending;
  });
});

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}

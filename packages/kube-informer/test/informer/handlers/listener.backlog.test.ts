import { plainEventMaker } from '../../../src/informer/handlers/event-maker.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { type Bulk, bulkOfAdds } from '../../../src/informer/handlers/bulk.ts';
import type { Handler, InformerEvent } from '../../../src/informer/handlers/handlers.ts';
import { type BacklogPolicy, Listener } from '../../../src/informer/handlers/processor-listener.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { keyFor } from '../../store/rig/objects.ts';
import { name, objs } from '../rig/delta-lines.ts';
import { add, gone, update } from '../rig/events.ts';

interface Rig {
  readonly listener: Listener<KubeObject>;
  readonly env: FakeEnv;
  readonly recorder: HandlerRecorder;
  /** The objects in the cache, for a handler that has to start again. */
  readonly cache: string[];
  readonly push: (...events: readonly InformerEvent<KubeObject>[]) => void;
  readonly warnings: () => string[];
}

/** A handler that takes `ms` for every event and fell behind `limit` events. */
function rig(policy: BacklogPolicy, limit: number, ms: number, more: Partial<Handler<KubeObject>> = {}): Rig {
  const env = fakeEnv();
  const recorder = new HandlerRecorder();
  const cache: string[] = [];
  const slow =
    <E>(tell: (event: E) => void) =>
    (event: E): Promise<void> => {
      tell(event);
      return env.sleep(ms);
    };
  const handler: Handler<KubeObject> = {
    add: slow(recorder.add),
    update: slow(recorder.update),
    delete: slow(recorder.delete),
    overflow: recorder.overflow,
    ...more,
  };
  const snapshot = (): Bulk<KubeObject> =>
    bulkOfAdds(plainEventMaker(), objs(...cache).map(keyFor), objs(...cache), true);
  const listener = new Listener<KubeObject>(handler, snapshot, {
    name: 'slow',
    policy,
    limit,
    errorPauseMs: 1_000,
    env,
  });
  return {
    listener,
    env,
    recorder,
    cache,
    push: (...events) => {
      for (const event of events) listener.push(event);
    },
    warnings: () => env.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
  };
}

describe('G14: coalesce', () => {
  test('G14, F82, H3: beyond the limit the newest state per object is delivered, with correct adds and deletes', async () => {
    const { push, recorder, env, listener } = rig('coalesce', 2, 100);
    push(add('a@1'));
    await settle();
    push(update('a@1', 'a@2'), update('a@2', 'a@3'), add('b@4'), gone('a@5'), add('a@6'), gone('b@7'), add('c@8'));
    expect(listener.pending).toBe(3);
    await env.clock.advance(1_000);
    expect(recorder.lines).toEqual(['add a@1', 'delete a', 'add a@6', 'add c@8']);
    expect(recorder.violations).toEqual([]);
  });

  test('F81: a callback that never settles holds two events per object at most', async () => {
    const { push, listener } = rig('coalesce', 4, 0, { add: () => new Promise(() => {}) });
    push(add('a@1'));
    await settle();
    for (let i = 2; i < 10_000; i += 1) push(update(`a@${i - 1}`, `a@${i}`), add(`b@${i}`), gone(`b@${i}`));
    expect(listener.pending).toBeLessThanOrEqual(4);
  });

  test('PRO-14: only a slow callback with more than the limit behind it is worth a line, once per crossing', async () => {
    const { push, env, warnings } = rig('coalesce', 2, 100);
    push(add('a@1'), add('b@2'), add('c@3'));
    await env.clock.advance(400);
    expect(warnings()).toEqual([]);
    push(add('d@1'), add('e@2'), add('f@3'), add('g@4'), add('h@5'));
    await env.clock.advance(100);
    expect(warnings()).toHaveLength(1);
    push(add('i@6'), add('j@7'));
    await env.clock.advance(1_000);
    expect(warnings()).toHaveLength(1);
    push(add('k@1'), add('l@2'), add('m@3'), add('n@4'));
    await env.clock.advance(1_000);
    expect(warnings()).toHaveLength(2);
    expect(env.lines[0]?.fields).toMatchObject({ handler: 'slow', callbackMs: 100, waiting: 4 });
  });

  test('PRO-14: a full queue behind quick callbacks is not', async () => {
    const { push, env, warnings } = rig('coalesce', 2, 99);
    for (let i = 1; i < 20; i += 1) push(add(`pod-${i}@${i}`));
    await env.clock.advance(5_000);
    expect(warnings()).toEqual([]);
  });

  test('PRO-14, F81: a callback that hangs is named when its queue crosses the limit', async () => {
    const { push, env, warnings } = rig('coalesce', 2, 0, { add: () => new Promise(() => {}) });
    push(add('a@1'));
    await env.clock.advance(100);
    push(add('b@2'), add('c@3'));
    expect(warnings()).toEqual([]);
    push(add('d@4'));
    expect(warnings()).toHaveLength(1);
  });
});

describe('G14: block', () => {
  test('G14: there is room until the limit; beyond it the informer waits until half of the limit is left', async () => {
    const { push, listener, env, recorder, warnings } = rig('block', 4, 100);
    for (let i = 1; i <= 5; i += 1) push(add(`pod-${i}@${i}`));
    await settle();
    expect([listener.pending, listener.room()]).toEqual([4, undefined]);
    push(add('pod-6@6'));
    let free = false;
    void listener.room()?.then(() => (free = true));
    expect(warnings()).toEqual(['a handler is slow; the informer waits for it']);
    await env.clock.advance(300);
    expect([listener.pending, free]).toEqual([2, false]);
    await env.clock.advance(100);
    expect([listener.pending, free]).toEqual([1, true]);
    await env.clock.advance(1_000);
    expect(recorder.events).toHaveLength(6);
  });

  test('G14: nothing is merged, however much comes', async () => {
    const { push, env, recorder } = rig('block', 1, 10);
    push(add('a@1'), update('a@1', 'a@2'), update('a@2', 'a@3'), gone('a@4'));
    await env.clock.advance(100);
    expect(recorder.lines).toEqual(['add a@1', 'update a@1→2', 'update a@2→3', 'delete a']);
  });

  test('G14, INF-11: a stop lets the informer continue, also when the callback hangs', async () => {
    const { push, listener } = rig('block', 1, 0, { add: () => new Promise(() => {}) });
    push(add('a@1'), add('b@2'), add('c@3'));
    const waiting = listener.room();
    expect(waiting).toBeDefined();
    listener.stop();
    await waiting;
    expect(listener.room()).toBeUndefined();
  });

  test.each(['coalesce', 'detach'] as const)('G14: with %s the sender never waits', async (policy) => {
    const { push, listener } = rig(policy, 1, 100);
    push(add('a@1'), add('b@2'), add('c@3'));
    expect(listener.room()).toBeUndefined();
  });
});

describe('G14: detach', () => {
  test('G14: a handler that falls behind gets overflow, then everything as initial adds, then what comes after', async () => {
    const { push, env, recorder, cache, listener, warnings } = rig('detach', 2, 100);
    push(add('a@1'));
    await settle();
    cache.push('a@2', 'c@4');
    push(update('a@1', 'a@2'), add('b@3'), add('c@4'));
    expect([listener.pending, warnings().length]).toEqual([0, 1]);
    push(gone('b@5'));
    await env.clock.advance(100);
    expect(recorder.overflows).toBe(1);
    push(update('a@2', 'a@6'));
    await env.clock.advance(1_000);
    expect(recorder.lines).toEqual(['add a@1', 'add a@2 initial', 'add c@4 initial', 'update a@2→6']);
    expect(recorder.violations).toEqual([]);
  });

  test('G14: what happens while overflow runs is in the snapshot, delivered once', async () => {
    const { push, env, recorder, cache } = rig('detach', 1, 10, { overflow: () => env.sleep(500) });
    push(add('a@1'), add('b@2'), add('c@3'));
    await env.clock.advance(100);
    cache.push('a@1', 'd@9');
    push(add('d@9'));
    await env.clock.advance(1_000);
    push(gone('d@10'));
    await env.clock.advance(1_000);
    expect(recorder.lines).toEqual(['add a@1 initial', 'add d@9 initial', 'delete d']);
  });

  test('G13, G14: overflow may fail or be missing; everything is sent again all the same', async () => {
    for (const overflow of [() => Promise.reject(new Error('boom')), undefined]) {
      const { push, env, recorder, cache, listener } = rig('detach', 1, 0, { overflow } as Partial<
        Handler<KubeObject>
      >);
      cache.push('a@1');
      push(add('a@1'), add('b@2'));
      await env.clock.advance(10);
      expect(recorder.lines).toEqual(['add a@1 initial']);
      expect(listener.log.failures).toBe(overflow === undefined ? 0 : 1);
    }
  });

  test('G15, SYN-02: dropping the initial adds does not make a handler synced; sending everything again does', async () => {
    const { push, env, listener, cache, recorder } = rig('detach', 1, 100);
    cache.push('a@1', 'b@2', 'c@3');
    listener.pushBulk(bulkOfAdds(plainEventMaker(), ['a', 'b', 'c'], objs('a@1', 'b@2', 'c@3'), true), 3);
    listener.tracker.upstreamSynced();
    await settle();
    push(update('a@1', 'a@4'), update('b@2', 'b@5'));
    cache.splice(0, 2, 'a@4', 'b@5');
    await env.clock.advance(300);
    expect([recorder.overflows, listener.tracker.hasSynced]).toEqual([1, false]);
    await env.clock.advance(100);
    expect(listener.tracker.hasSynced).toBe(true);
    expect([...recorder.view.values()].map(name)).toEqual(['a@4', 'b@5', 'c@3']);
  });

  test('G15: a handler that finds an empty cache after an overflow stays synced', async () => {
    const { push, env, listener } = rig('detach', 1, 0);
    push(add('a@1', true), add('b@2', true));
    listener.tracker.upstreamSynced();
    expect(listener.tracker.hasSynced).toBe(false);
    await env.clock.advance(10);
    expect([listener.tracker.hasSynced, listener.tracker.waiting]).toEqual([true, 0]);
  });

  test('PRO-11, G15: one that is stopped in overflow gets nothing more, and is not synced by that', async () => {
    const made: Rig = rig('detach', 1, 0, { overflow: () => made.listener.stop() });
    const { push, env, recorder, cache, listener } = made;
    cache.push('a@1');
    push(add('a@1', true), add('b@2', true));
    listener.tracker.upstreamSynced();
    await env.clock.advance(10);
    await listener.idle();
    expect([recorder.lines, listener.tracker.hasSynced]).toEqual([[], false]);
  });
});

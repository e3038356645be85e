import { plainEventMaker } from '../../../src/informer/handlers/event-maker.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { bulkOfAdds } from '../../../src/informer/handlers/bulk.ts';
import type { Handler, InformerEvent } from '../../../src/informer/handlers/handlers.ts';
import { Listener, type ListenerOptions } from '../../../src/informer/handlers/processor-listener.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { objs } from '../rig/delta-lines.ts';
import { add, gone, update } from '../rig/events.ts';

/** One listener on a clock that stands still. */
function rig(
  handler: Handler<KubeObject>,
  options: Partial<ListenerOptions> = {},
): { listener: Listener<KubeObject>; env: FakeEnv; push: (...events: readonly InformerEvent<KubeObject>[]) => void } {
  const env = fakeEnv();
  const listener = new Listener<KubeObject>(handler, () => bulkOfAdds(plainEventMaker<KubeObject>(), [], [], true), {
    name: 'mine',
    policy: 'coalesce',
    limit: 1_024,
    errorPauseMs: 1_000,
    env,
    ...options,
  });
  const push = (...events: readonly InformerEvent<KubeObject>[]): void => {
    for (const event of events) listener.push(event);
  };
  return { listener, env, push };
}

/** A handler that calls one function for everything. */
function each(call: (event: InformerEvent<KubeObject>) => void | Promise<void>): Handler<KubeObject> {
  return { add: call, update: call, delete: call };
}

describe('PRO-08: one callback at a time, in order', () => {
  test('PRO-07, G12: pushing never calls; the turn that pushed ends first', async () => {
    const recorder = new HandlerRecorder();
    const { push } = rig(recorder);
    push(add('a@1'), update('a@1', 'a@2'), gone('a@3'));
    expect(recorder.lines).toEqual([]);
    await settle();
    expect(recorder.lines).toEqual(['add a@1', 'update a@1→2', 'delete a']);
  });

  test('PRO-08, Trap 10: a returned promise is awaited before the next event', async () => {
    const order: string[] = [];
    const { push, env } = rig(
      each(async (event) => {
        order.push(`start ${event.type}`);
        await env.sleep(event.type === 'add' ? 500 : 10);
        order.push(`end ${event.type}`);
      }),
    );
    push(add('a@1'), update('a@1', 'a@2'), gone('a@3'));
    await env.clock.advance(1_000);
    expect(order).toEqual(['start add', 'end add', 'start update', 'end update', 'start delete', 'end delete']);
  });

  test('PRO-14: calls are counted; all calls with a promise are timed, and a part of the others', async () => {
    const env = fakeEnv();
    let slowMs = 3;
    const { listener, push } = rig(
      {
        add: () => env.clock.freeze(slowMs),
        update: async () => env.clock.freeze(7),
      },
      { env },
    );
    push(add('a@1'));
    await settle();
    slowMs = 50;
    push(...Array.from({ length: 15 }, (_, at) => add(`s${at}@1`)));
    await settle();
    push(update('a@1', 'a@2'));
    await settle();
    expect(listener.log.calls).toBe(17);
    expect(listener.log.slowest.map(({ key, ms }) => [key, ms])).toEqual([
      ['a', 7],
      ['a', 3],
    ]);
  });

  test('PRO-08, EVH-04: events without a callback are passed over, and the rest is delivered', async () => {
    const seen: string[] = [];
    const { push, listener } = rig({ delete: ({ key }) => void seen.push(key) });
    push(add('a@1', true), update('a@1', 'a@2'), gone('a@3'));
    listener.tracker.upstreamSynced();
    await settle();
    expect([seen, listener.tracker.hasSynced]).toEqual([['a'], true]);
  });

  test('Trap 17: a long row of quick callbacks leaves turns for others', async () => {
    let yields = 0;
    const fake = fakeEnv();
    const env = { ...fake, yield: () => Promise.resolve(void (yields += 1)) };
    const { push } = rig(
      each(() => fake.clock.freeze(0.1)),
      { env, limit: 100_000 },
    );
    for (let i = 1; i <= 10_000; i += 1) push(add(`pod-${i}@${i}`));
    await settle();
    // 10,000 times 0.1 ms is a second; a slice is 10 ms, looked at every 32nd step.
    expect(yields).toBeGreaterThan(60);
  });
});

describe('PRO-09: a callback that fails', () => {
  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    [
      'rejects later',
      async () => {
        await Promise.resolve();
        throw new Error('boom');
      },
    ],
  ])(
    'PRO-09, F79, F80, TestEventPanics: one that %s is named, skipped, and followed by the next after a second',
    async (_, fail) => {
      const times: number[] = [];
      const { push, env, listener } = rig({
        add: () => {
          times.push(env.now());
          return fail();
        },
        delete: () => void times.push(env.now()),
      });
      push(add('a@1'), add('b@2'), gone('a@3'));
      await settle();
      await env.clock.advance(5_000);
      expect(times).toEqual([0, 1_000, 2_000]);
      expect(listener.log.failures).toBe(2);
      expect(env.lines).toMatchObject([
        { level: 'error', fields: { handler: 'mine', event: 'add', key: 'a', error: 'boom', pauseMs: 1_000 } },
        { level: 'error', fields: { key: 'b' } },
      ]);
    },
  );

  test('PRO-09: the pause can be chosen', async () => {
    const times: number[] = [];
    const { push, env } = rig(
      each(() => {
        times.push(env.now());
        throw new Error('boom');
      }),
      { errorPauseMs: 50 },
    );
    push(add('a@1'), add('b@2'));
    await env.clock.advance(200);
    expect(times).toEqual([0, 50]);
  });

  test('PRO-10, SYN-01, Trap 10: an initial add that fails counts as delivered, before the pause', async () => {
    const { push, listener } = rig(each(() => Promise.reject(new Error('boom'))));
    push(add('a@1', true));
    listener.tracker.upstreamSynced();
    await settle();
    expect(listener.tracker.hasSynced).toBe(true);
  });

  test('F84: one that tried to change a shared object gets a hint in the log', async () => {
    const frozen = Object.freeze({ ...add('a@1'), object: Object.freeze({ metadata: { name: 'a' } }) });
    const { push, env } = rig({
      add: ({ object }) => {
        (object as { kind?: string }).kind = 'Changed';
      },
    });
    push(frozen);
    await settle();
    expect(env.lines[0]?.fields['hint']).toContain('structuredClone');
  });

  test('F80: a rejection after the stop is still caught', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    let fail: (error: Error) => void = () => {};
    const { push, listener, env } = rig(each(() => new Promise((_, reject) => (fail = reject))));
    push(add('a@1'), add('b@2'));
    await settle();
    listener.stop();
    fail(new Error('too late'));
    await listener.idle();
    await settle();
    await settle();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(env.lines).toMatchObject([{ level: 'error', fields: { error: 'too late' } }]);
    expect(env.clock.sleeping).toBe(0);
  });
});

describe('SYN-01: what counts as delivered', () => {
  test('SYN-01, SYN-02, Trap 10: initial adds count when they are pushed and again when their callback has settled', async () => {
    const { push, env, listener } = rig(each(() => env.sleep(100)));
    listener.pushBulk(bulkOfAdds(plainEventMaker(), ['a', 'b'], objs('a@1', 'b@2'), true), 2);
    push(add('c@3', true), add('d@4'));
    expect(listener.tracker.waiting).toBe(3);
    listener.tracker.upstreamSynced();
    await env.clock.advance(299);
    expect([listener.tracker.waiting, listener.tracker.hasSynced]).toEqual([1, false]);
    await env.clock.advance(1);
    expect([listener.tracker.waiting, listener.tracker.hasSynced, listener.pending]).toEqual([0, true, 0]);
  });

  test('SYN-01, H3: an initial add that disappears with its delete counts as delivered', async () => {
    const { push, env, listener } = rig(
      each(() => env.sleep(100)),
      { limit: 1 },
    );
    push(add('a@1', true));
    await settle();
    push(add('b@2', true), add('c@3', true), gone('b@4'));
    listener.tracker.upstreamSynced();
    await env.clock.advance(200);
    expect(listener.tracker.hasSynced).toBe(true);
  });
});

describe('PRO-11: stopping', () => {
  test('PRO-11: drops what waits, lets the running callback finish, and starts none', async () => {
    const seen: string[] = [];
    const { push, env, listener } = rig(
      each(async ({ key }) => {
        seen.push(`start ${key}`);
        await env.sleep(100);
        seen.push(`end ${key}`);
      }),
    );
    push(add('a@1'), add('b@2'));
    await settle();
    listener.stop();
    listener.stop();
    push(add('c@3'));
    listener.pushBulk(bulkOfAdds(plainEventMaker(), ['d'], objs('d@4'), true), 1);
    expect([listener.isStopped, listener.pending]).toEqual([true, 0]);
    let idle = false;
    void listener.idle().then(() => (idle = true));
    await settle();
    expect(idle).toBe(false);
    await env.clock.advance(1_000);
    expect([seen, idle]).toEqual([['start a', 'end a'], true]);
  });

  test('PRO-13, INF-12: one that never ran is idle at once', async () => {
    const { listener } = rig({});
    await listener.idle();
    listener.stop();
    await listener.idle();
  });

  test('PRO-11: ends the pause after a failure', async () => {
    const { push, listener, env } = rig(each(() => Promise.reject(new Error('boom'))));
    push(add('a@1'), add('b@2'));
    await settle();
    expect(env.clock.sleeping).toBe(1);
    listener.stop();
    await listener.idle();
    expect([env.clock.sleeping, listener.log.failures]).toEqual([0, 1]);
  });

  test('G15, INF-16, Trap 19: a handler that was stopped before its last initial add is not synced by that', async () => {
    const { push, env, listener } = rig(each(() => env.sleep(100)));
    push(add('a@1', true), add('b@2', true));
    listener.tracker.upstreamSynced();
    await settle();
    listener.stop();
    await env.clock.advance(1_000);
    expect(listener.tracker.hasSynced).toBe(false);
  });

  test('G15: a handler that was stopped in its last initial callback is synced', async () => {
    const { push, env, listener } = rig(each(() => env.sleep(100)));
    push(add('a@1', true));
    listener.tracker.upstreamSynced();
    await settle();
    listener.stop();
    await env.clock.advance(100);
    expect(listener.tracker.hasSynced).toBe(true);
  });
});

describe('F83: callbacks that turn back to us', () => {
  test('F83: one that stops its own listener is the last one called', async () => {
    const seen: string[] = [];
    const { push, listener } = rig(
      each(({ key }) => {
        seen.push(key);
        listener.stop();
      }),
    );
    push(add('a@1'), add('b@2'));
    await listener.idle();
    expect(seen).toEqual(['a']);
  });

  test('F83: one that causes new events gets them after the waiting ones', async () => {
    const seen: string[] = [];
    const { push } = rig(
      each(({ key }) => {
        seen.push(key);
        if (key === 'a') push(add('c@3'));
      }),
    );
    push(add('a@1'), add('b@2'));
    await settle();
    expect(seen).toEqual(['a', 'b', 'c']);
  });
});

test('G13: how long the running callback has been running is readable', async () => {
  const { push, env, listener } = rig(each(() => env.sleep(500)));
  expect(listener.busyForMs).toBeUndefined();
  push(add('a@1'));
  await env.clock.advance(300);
  expect(listener.busyForMs).toBe(300);
  await env.clock.advance(200);
  expect(listener.busyForMs).toBeUndefined();
});

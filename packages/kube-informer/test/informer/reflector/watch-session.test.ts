import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { WatchSession } from '../../../src/informer/reflector/watch-session.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  ScriptedSource,
  type Step,
  type Stream,
  watch,
  watchCloses,
  watchFails,
  watchThrows,
} from '../rig/scripted-source.ts';

interface Rig {
  readonly session: WatchSession<KubeObject>;
  readonly stream: Stream | undefined;
  readonly parent: AbortController;
  readonly env: FakeEnv;
}

function rig(step: Step = watch(), parent: AbortController = new AbortController()): Rig {
  const env = fakeEnv();
  const source = new ScriptedSource([step], () => env.now());
  const session = new WatchSession<KubeObject>(
    source,
    { resourceVersion: '10', timeoutSeconds: 300 },
    parent.signal,
    env,
  );
  return { session, stream: source.streams[0], parent, env };
}

describe('reading', () => {
  test('events, then the end', async () => {
    const { session } = rig(watchCloses(added('a', 1)));
    expect(await session.next()).toEqual({ done: false, value: added('a', 1) });
    expect(await session.next()).toEqual({ done: true, value: undefined });
    session.close();
  });

  test('LW-02: a source that fails, or throws, is a stream that rejects', async () => {
    const bug = new Error('no');
    for (const step of [watchFails(bug), watchThrows(bug)]) {
      const { session } = rig(step);
      await expect(session.next()).rejects.toBe(bug);
      session.close();
    }
  });

  test('WCH-13: an interruption answers the pending read at once, and every later one', async () => {
    const { session, stream } = rig();
    const pending = session.next();
    session.interrupt('reason 1');
    session.interrupt('reason 2');
    expect(await pending).toEqual({ done: true, value: { reason: 'reason 1' } });
    stream?.push(added('late', 1));
    expect(await session.next()).toEqual({ done: true, value: { reason: 'reason 1' } });
    expect(session.isInterrupted).toBe(true);
    session.close();
  });

  test('WCH-13: a stop is an interruption with its reason; a read that fails later is ignored', async () => {
    const { session, stream, parent } = rig();
    const pending = session.next();
    parent.abort('stop');
    expect(await pending).toEqual({ done: true, value: { reason: 'stop' } });
    stream?.fail(new Error('late'));
    await settle();
    session.close();
  });

  test('WCH-13: a stop is an interruption, also for a source that ends when its signal aborts', async () => {
    const parent = new AbortController();
    const source = new FakeSource<KubeObject>();
    const session = new WatchSession<KubeObject>(source, {}, parent.signal, fakeEnv());
    const pending = session.next();
    parent.abort('stop');
    expect(await pending).toEqual({ done: true, value: { reason: 'stop' } });
    session.close();
  });

  test('WCH-13: a wait for other work ends with the work, with an interruption, and with the session', async () => {
    const never = new Promise(() => {});
    for (const end of ['interrupt', 'close'] as const) {
      const { session } = rig();
      await session.orInterrupted(Promise.resolve());
      await session.orInterrupted(Promise.reject(new Error('failed')));
      const waiting = session.orInterrupted(never);
      session[end]('reason');
      await waiting;
      await session.orInterrupted(never);
      session.close();
    }
  });

  test('an already stopped parent: interrupted from the start', async () => {
    const parent = new AbortController();
    parent.abort('stop');
    const { session } = rig(watch(), parent);
    expect(await session.next()).toEqual({ done: true, value: { reason: 'stop' } });
    expect(session.signal.aborted).toBe(true);
    session.close();
  });
});

describe('closing', () => {
  test('WCH-12: it lets the stream go once, aborts the request, and takes its listeners off the parent', async () => {
    const { session, stream, parent } = rig();
    expect(getEventListeners(parent.signal, 'abort').length).toBeGreaterThan(0);
    const pending = session.next();
    session.close();
    session.close();
    expect(await pending).toEqual({ done: true, value: undefined });
    await settle();
    expect(stream).toMatchObject({ returned: 1 });
    expect(session.signal.aborted).toBe(true);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
    session.interrupt('too late');
    expect(session.isInterrupted).toBe(false);
  });

  test('WCH-12: thousands of sessions leave nothing on a long-lived signal', () => {
    const parent = new AbortController();
    for (let i = 0; i < 2_000; i += 1) rig(watch(), parent).session.close();
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });
});

describe('deadlines', () => {
  test('WCH-16: the lifetime asked for and half a minute; without one there is no deadline', () => {
    const { session, env } = rig();
    expect(session.deadlineAt).toBe(330_000);
    const endless = new WatchSession<KubeObject>(
      new ScriptedSource([watch()], () => 0),
      {},
      new AbortController().signal,
      env,
    );
    expect(endless.deadlineAt).toBe(Number.POSITIVE_INFINITY);
    session.close();
    endless.close();
  });

  test('G17: the watchdog checks at the requested time, and yields a turn before it interrupts', async () => {
    const { session, env } = rig();
    const looks: number[] = [];
    let isOverdue = false;
    const running = session.watchdog(
      () => 1_000,
      () => {
        looks.push(env.now());
        return isOverdue ? 'overdue' : undefined;
      },
    );
    await env.clock.advance(2_500);
    expect(looks).toEqual([1_000, 2_000]);
    isOverdue = true;
    await env.clock.advance(500);
    await running;
    expect(looks).toEqual([1_000, 2_000, 3_000, 3_000]);
    expect(await session.next()).toEqual({ done: true, value: { reason: 'overdue' } });
    session.close();
  });

  test('F65: what arrives in that turn saves the stream', async () => {
    const { session, env } = rig();
    let answers = ['overdue', undefined];
    const running = session.watchdog(
      () => 1_000,
      () => answers.shift(),
    );
    await env.clock.advance(1_000);
    expect(session.isInterrupted).toBe(false);
    answers = [];
    session.close();
    await running;
    expect(env.clock.sleeping).toBe(0);
  });

  test('F64: a look that is long overdue is one look, not many, and never a busy loop', async () => {
    const { session, env } = rig();
    let looks = 0;
    const running = session.watchdog(
      () => -5_000,
      () => void (looks += 1),
    );
    env.clock.freeze(60_000);
    await env.clock.advance(0);
    expect(looks).toBe(1);
    session.close();
    await running;
  });
});

import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { type Handler, deliverToHandlers } from '../../../src/informer/handlers/handlers.ts';
import { filtered } from '../../../src/informer/handlers/filtered.ts';
import { handlerName } from '../../../src/informer/handlers/handler-name.ts';
import { isMutationAttempt } from '../../../src/informer/handlers/mutation-attempt.ts';
import { deepFreeze } from '../../../src/core/object/freeze.ts';
import { KubeError } from '../../../src/core/errors.ts';
import { HandlerQueue } from '../../../src/informer/handlers/handler-queue.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { obj } from '../rig/delta-lines.ts';
import { add, gone, resync, update } from '../rig/events.ts';

/** A recorder behind a filter that accepts versions below 10, and what the filter was asked. */
function rig(): { recorder: HandlerRecorder; handler: Handler<KubeObject>; asked: string[] } {
  const recorder = new HandlerRecorder();
  const asked: string[] = [];
  const accepts = (object: KubeObject): boolean => {
    const version = object.metadata?.resourceVersion ?? '';
    asked.push(version);
    return Number(version) < 10;
  };
  return { recorder, handler: filtered(accepts, recorder), asked };
}

describe('EVH-04: callbacks are optional', () => {
  test('EVH-01, EVH-04, EVH-06: each event goes to its callback as one object, with key, flags and states', () => {
    const recorder = new HandlerRecorder();
    const events = [add('web/a@1', true), update('web/a@1', 'web/a@2', { replaced: true }), gone('web/a@3', true)];
    for (const event of events) void deliverToHandlers(recorder, event);
    expect(recorder.events).toEqual(events);
    expect(recorder.lines).toEqual(['add web/a@1 initial', 'update web/a@1→2 replaced', 'delete web/a unknown']);
  });

  test('EVH-04: an event without a callback is ignored', () => {
    for (const event of [add('a@1'), update('a@1', 'a@2'), gone('a@3')])
      expect(deliverToHandlers({}, event)).toBeUndefined();
  });

  test.each(['add', 'update', 'delete'] as const)('EVH-04: a handler with only %s receives only that', (only) => {
    const seen: string[] = [];
    const handler: Handler<KubeObject> = { [only]: ({ type }: { type: string }) => void seen.push(type) };
    for (const event of [add('a@1'), update('a@1', 'a@2'), gone('a@3')]) void deliverToHandlers(handler, event);
    expect(seen).toEqual([only]);
  });

  test('EVH-04: callbacks are called as methods, and their results are returned', async () => {
    class Counter {
      count = 0;
      add(): Promise<void> {
        this.count += 1;
        return Promise.resolve();
      }
    }
    const counter = new Counter();
    const returned = deliverToHandlers(counter, add('a@1'));
    expect(returned).toBeInstanceOf(Promise);
    await returned;
    expect(counter.count).toBe(1);
  });

  test('EVH-03, EVH-06: a delete carries key, last state and whether its event was missed', () => {
    const recorder = new HandlerRecorder();
    void deliverToHandlers(recorder, gone('web/a@3'));
    void deliverToHandlers(recorder, gone('web/b@4', true));
    expect(recorder.events).toEqual([
      { type: 'delete', key: 'web/a', object: obj('web/a@3'), finalStateUnknown: false },
      { type: 'delete', key: 'web/b', object: obj('web/b@4'), finalStateUnknown: true },
    ]);
  });
});

describe('EVH-05: a filtering handler', () => {
  test.each([
    ['an accepted add passes and keeps its flag', add('a@1', true), ['add a@1 initial']],
    ['another add does not', add('a@10'), []],
    ['an accepted delete passes', gone('a@1'), ['delete a']],
    ['also one that was found by a list', gone('a@1', true), ['delete a unknown']],
    ['another delete does not', gone('a@10'), []],
    ['an update inside is an update', update('a@1', 'a@2'), ['update a@1→2']],
    ['also a resync', resync('a@1'), ['update a@1→1 resync']],
    ['an update that enters is an add, never initial', update('a@10', 'a@2'), ['add a@2']],
    ['an update that leaves is a delete of the state that was inside', update('a@1', 'a@10'), ['delete a']],
    ['an update outside is nothing', update('a@10', 'a@11'), []],
  ])('EVH-05: %s', (_, event, expected) => {
    const { recorder, handler } = rig();
    void deliverToHandlers(handler, event);
    expect(recorder.lines).toEqual(expected);
  });

  test('EVH-05: the filter is asked about the new state first, then about the old one', () => {
    const { handler, asked } = rig();
    void deliverToHandlers(handler, update('a@1', 'a@2'));
    expect(asked).toEqual(['2', '1']);
  });

  test('EVH-05: an object that stops matching is deleted with its old state, and finalStateUnknown is false', () => {
    const { recorder, handler } = rig();
    void deliverToHandlers(handler, update('a@1', 'a@10'));
    expect(recorder.events).toEqual([{ type: 'delete', key: 'a', object: obj('a@1'), finalStateUnknown: false }]);
  });

  test('EVH-05: behind a filter the handler still gets a legal sequence of events', () => {
    const { recorder, handler } = rig();
    for (const event of [
      add('a@1'),
      update('a@1', 'a@12'),
      update('a@12', 'a@13'),
      update('a@13', 'a@4'),
      update('a@4', 'a@5'),
      gone('a@6'),
    ])
      void deliverToHandlers(handler, event);
    expect(recorder.lines).toEqual(['add a@1', 'delete a', 'add a@4', 'update a@4→5', 'delete a']);
    expect(recorder.violations).toEqual([]);
  });

  test('EVH-05, G5: a delete whose last state no longer matches is not lost, and one of an object that never matched is not sent', () => {
    const { recorder, handler } = rig();
    for (const event of [add('a@1'), add('b@10'), gone('a@11'), gone('b@2')]) void deliverToHandlers(handler, event);
    expect(recorder.lines).toEqual(['add a@1', 'delete a']);
    expect(recorder.violations).toEqual([]);
  });

  test('EVH-05, G5: also not when the update before the delete was merged away', () => {
    const { recorder, handler } = rig();
    const queue = new HandlerQueue<KubeObject>(1);
    for (const event of [add('a@1'), add('b@12')]) void deliverToHandlers(handler, event);
    const later = [update('a@1', 'a@12'), update('b@12', 'b@3'), gone('a@13'), gone('b@4'), add('c@5')];
    for (const event of later) queue.push(event);
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) void deliverToHandlers(handler, event);
    expect(recorder.lines).toEqual(['add a@1', 'delete a', 'add c@5']);
    expect(recorder.violations).toEqual([]);
  });

  test('EVH-05: an overflow clears its memory, because everything is sent again', async () => {
    const { recorder, handler } = rig();
    void deliverToHandlers(handler, add('a@1'));
    await handler.overflow?.();
    void deliverToHandlers(handler, update('a@10', 'a@11'));
    void deliverToHandlers(handler, gone('a@12'));
    expect(recorder.lines).toEqual(['add a@1']);
  });

  test('EVH-05: registered with two informers, it remembers for each of them', async () => {
    const recorder = new HandlerRecorder();
    const handler = filtered<KubeObject>(
      (object) => object.metadata?.labels?.['app'] === 'web',
      filtered(() => true, recorder),
    );
    const sources = [new FakeSource(), new FakeSource()];
    const informers = sources.map((source) => new SharedInformer(source, { env: fakeEnv() }).start());
    for (const informer of informers) informer.on(handler);
    sources[0]?.create({ metadata: { name: 'a', labels: { app: 'web' } } });
    sources[1]?.create({ metadata: { name: 'a' } });
    await Promise.all(informers.map((informer) => informer.synced()));
    await settle();
    sources[1]?.delete('a');
    await settle();
    sources[0]?.delete('a');
    await settle();
    expect(recorder.lines).toEqual([expect.stringContaining('add a'), 'delete a']);
    await Promise.all(informers.map((informer) => informer.stop()));
  });

  test('EVH-05, G14: overflow is passed on, promises are handed back, and missing callbacks are missing behind it too', async () => {
    const recorder = new HandlerRecorder();
    await filtered(() => true, recorder).overflow?.();
    expect(recorder.overflows).toBe(1);
    const empty = filtered<KubeObject>(() => true, {});
    for (const event of [add('a@1'), update('a@1', 'a@2'), gone('a@3')])
      expect(deliverToHandlers(empty, event)).toBeUndefined();
    expect(empty.overflow?.()).toBeUndefined();
    const failing = filtered<KubeObject>(() => true, { update: () => Promise.reject(new Error('boom')) });
    await expect(deliverToHandlers(failing, update('a@1', 'a@2'))).rejects.toThrow('boom');
  });
});

class PodAuditor {
  add(): void {}
}
class Derived extends PodAuditor {}
function onPod(): void {}
const onGone = (): void => {};

describe('EVH-07, TestNameForHandler', () => {
  test.each<[string, Handler<never>, string]>([
    ['an object of a class', new PodAuditor(), 'PodAuditor'],
    ['an object of a derived class', new Derived(), 'Derived'],
    ['no callbacks', {}, 'handler'],
    ['callbacks written in place', { add: () => {}, update() {}, delete: () => {} }, 'handler'],
    ['one function of its own name', { add: onPod }, 'onPod'],
    ['the same function for everything', { add: onPod, update: onPod, delete: onPod }, 'onPod'],
    ['two functions', { add: onPod, delete: onGone }, 'onPod+onGone'],
    ['one of its own name among others', { add: () => {}, delete: onGone }, 'onGone'],
    ['a bound method', { add: onPod.bind(null) }, 'bound onPod'],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { add: onPod }), 'onPod'],
    ['an object of a class without a name', new (class {})(), 'handler'],
  ])('EVH-07: %s', (_, handler, expected) => {
    expect(handlerName(handler)).toBe(expected);
  });
});

describe('F84: an attempt to change a shared object', () => {
  const shared = (): { metadata: { labels?: Record<string, string> } } =>
    deepFreeze({ metadata: { labels: { a: 'b' } } });
  test.each<[string, () => unknown]>([
    ['changing a field', () => ((shared().metadata.labels as Record<string, string>)['a'] = 'c')],
    ['adding one', () => ((shared() as { spec?: unknown }).spec = {})],
    ['deleting one', () => delete shared().metadata.labels],
    ['defining one', () => Object.defineProperty(shared(), 'spec', { value: 1 })],
    ['adding to a list', () => (deepFreeze([1]) as number[]).push(2)],
    [
      'what the detector finds',
      () => {
        throw new KubeError('CACHE_MUTATED', 'changed');
      },
    ],
  ])('F84: %s is recognised', (_, attempt) => {
    let error: unknown;
    try {
      attempt();
    } catch (thrown) {
      error = thrown;
    }
    expect(isMutationAttempt(error)).toBe(true);
  });

  test('F84: an ordinary error is not taken for a mutation attempt', () => {
    for (const error of [new Error('boom'), new TypeError("Cannot read properties of undefined (reading 'x')"), 'text'])
      expect(isMutationAttempt(error)).toBe(false);
  });
});

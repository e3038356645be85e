import { plainEventMaker } from '../../../src/informer/handlers/event-maker.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { HandlerQueue } from '../../../src/informer/handlers/handler-queue.ts';
import { bulkOf, bulkOfAdds, bulkOfStore } from '../../../src/informer/handlers/bulk.ts';
import { type InformerEvent, deliverToHandlers } from '../../../src/informer/handlers/handlers.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { name, obj, objs } from '../rig/delta-lines.ts';
import { add, gone, resync, update } from '../rig/events.ts';

/** A queue that merges from the first event beyond `limit`, and who draws from it. */
function rig(limit = 0): {
  queue: HandlerQueue<KubeObject>;
  dropped: string[];
  drawn: (count?: number) => string[];
} {
  const dropped: string[] = [];
  const queue = new HandlerQueue<KubeObject>(limit, (event) => void dropped.push(`${event.type} ${event.key}`));
  const drawn = (count = Number.POSITIVE_INFINITY): string[] => {
    const recorder = new HandlerRecorder();
    for (let i = 0; i < count; i += 1) {
      const event = queue.shift();
      if (event === undefined) break;
      void deliverToHandlers(recorder, event);
    }
    return recorder.lines;
  };
  return { queue, dropped, drawn };
}

test('H1: until the limit, every state comes as it was, in order', () => {
  const { queue, drawn } = rig(4);
  for (const event of [add('a@1'), update('a@1', 'a@2'), update('a@2', 'a@3'), gone('a@4')]) queue.push(event);
  expect([queue.isMerging, queue.length, queue.held]).toEqual([false, 4, 4]);
  expect(drawn()).toEqual(['add a@1', 'update a@1→2', 'update a@2→3', 'delete a']);
});

describe('H1, H2, H3: two waiting events of one object', () => {
  test.each<[string, readonly InformerEvent<KubeObject>[], readonly string[]]>([
    ['an add and its update are an add of the newest state', [add('a@1'), update('a@1', 'a@2')], ['add a@2']],
    ['an initial add stays initial', [add('a@1', true), update('a@1', 'a@2')], ['add a@2 initial']],
    ['an add that was not delivered disappears with its delete', [add('a@1'), gone('a@2')], []],
    [
      'two updates are one, from the oldest to the newest',
      [update('a@1', 'a@2'), update('a@2', 'a@3'), update('a@3', 'a@9')],
      ['update a@1→9'],
    ],
    ['an update and a delete are the delete', [update('a@1', 'a@2'), gone('a@3')], ['delete a']],
    ['a delete keeps how it was found', [update('a@1', 'a@2'), gone('a@3', true)], ['delete a unknown']],
    ['a delete and an add stay both', [gone('a@2'), add('a@3')], ['delete a', 'add a@3']],
    [
      'a delete, an add and its update are a delete and an add of the newest state',
      [gone('a@2'), add('a@3'), update('a@3', 'a@4')],
      ['delete a', 'add a@4'],
    ],
    ['a delete, an add and a delete are the first delete', [gone('a@2'), add('a@3'), gone('a@4')], ['delete a']],
    [
      'many lives are one delete and the last add',
      [gone('a@2'), add('a@3'), gone('a@4'), add('a@5'), gone('a@6'), add('a@7')],
      ['delete a', 'add a@7'],
    ],
    [
      'a changed UID is not lost',
      [update('a@1', 'a@2', { replaced: true }), update('a@2', 'a@3')],
      ['update a@1→3 replaced'],
    ],
    [
      'nor one that comes second',
      [update('a@1', 'a@2'), update('a@2', 'a@3', { replaced: true })],
      ['update a@1→3 replaced'],
    ],
    [
      'a resync of something that will be told anyway is dropped',
      [update('a@1', 'a@2'), resync('a@2')],
      ['update a@1→2'],
    ],
    ['a resync of an add that waits is dropped', [add('a@1'), resync('a@1')], ['add a@1']],
    ['two resyncs are one', [resync('a@1'), resync('a@1')], ['update a@1→1 resync']],
    ['a resync and a change are a change', [resync('a@1'), update('a@1', 'a@2')], ['update a@1→2']],
    ['a resync and a delete are the delete', [resync('a@1'), gone('a@2')], ['delete a']],
  ])('H1, H2, H3, H4, F61: %s', (_, events, expected) => {
    const { queue, drawn } = rig();
    for (const event of events) queue.push(event);
    expect(queue.length).toBe(expected.length);
    expect(drawn()).toEqual(expected);
  });
});

test('H1: objects come in the order in which they first had something waiting', () => {
  const { queue, drawn } = rig(2);
  for (const event of [add('b@1'), add('a@2'), update('b@1', 'b@3'), add('c@4'), update('a@2', 'a@5')])
    queue.push(event);
  expect(queue.isMerging).toBe(true);
  expect(drawn()).toEqual(['add b@3', 'add a@5', 'add c@4']);
});

test('H1: a delete that was drawn leaves the add behind it in its place', () => {
  const { queue, drawn } = rig();
  for (const event of [gone('a@2'), add('a@3'), add('b@4')]) queue.push(event);
  expect(drawn(1)).toEqual(['delete a']);
  queue.push(update('a@3', 'a@5'));
  expect(drawn()).toEqual(['add a@5', 'add b@4']);
});

test('H2: what was drawn is the state the next update starts from', () => {
  const { queue, drawn } = rig();
  queue.push(add('a@1'));
  expect(drawn(1)).toEqual(['add a@1']);
  queue.push(update('a@1', 'a@2'));
  queue.push(update('a@2', 'a@3'));
  expect(drawn()).toEqual(['update a@1→3']);
});

describe('merging ends when nothing waits', () => {
  test('H1: once drawn empty, every state counts again', () => {
    const { queue, drawn } = rig(1);
    queue.push(add('a@1'));
    queue.push(add('b@2'));
    expect(queue.isMerging).toBe(true);
    drawn();
    expect(queue.isMerging).toBe(false);
    queue.push(update('a@1', 'a@3'));
    expect(drawn()).toEqual(['update a@1→3']);
  });

  test('H1, H3: also when adds and deletes cancelled each other, while it merges or when it begins to', () => {
    const { queue, drawn } = rig(2);
    for (const event of [add('a@1'), add('b@2'), add('c@3'), gone('a@4'), gone('b@5'), gone('c@6')]) queue.push(event);
    expect([queue.length, queue.isMerging]).toEqual([0, false]);
    queue.push(add('d@7'));
    queue.push(update('d@7', 'd@8'));
    expect(drawn()).toEqual(['add d@7', 'update d@7→8']);
    const other = rig(1);
    other.queue.push(add('a@1'));
    other.queue.push(gone('a@2'));
    expect([other.queue.length, other.queue.isMerging]).toEqual([0, false]);
    other.queue.push(add('b@3'));
    expect(other.drawn()).toEqual(['add b@3']);
  });
});

describe('a snapshot', () => {
  const texts = ['a@1', 'b@2', 'c@3'];
  const snapshot = bulkOfAdds(plainEventMaker<KubeObject>(), ['a', 'b', 'c'], objs(...texts), true);

  test('G14: held as one position, made one by one, before everything that comes after it', () => {
    const { queue, drawn } = rig();
    queue.pushBulk(snapshot);
    expect([queue.length, queue.held]).toEqual([3, 0]);
    queue.push(update('b@2', 'b@4'));
    queue.push(gone('a@5'));
    expect([queue.length, queue.held]).toEqual([5, 2]);
    expect(drawn()).toEqual(['add a@1 initial', 'add b@2 initial', 'add c@3 initial', 'update b@2→4', 'delete a']);
    expect(queue.length).toBe(0);
  });

  test('H3, SYN-01: behind other events it is spelled out and merged like them; initial adds that vanish are counted', () => {
    const { queue, drawn, dropped } = rig(2);
    queue.push(gone('z@1'));
    queue.pushBulk(snapshot);
    queue.push(gone('b@4'));
    queue.pushBulk(bulkOf([update('c@3', 'c@5'), add('z@6')]));
    expect(queue.held).toBe(queue.length);
    expect(drawn()).toEqual(['delete z', 'add z@6', 'add a@1 initial', 'add c@5 initial']);
    expect(dropped).toEqual(['add b']);
  });

  test('G14: an empty snapshot adds nothing', () => {
    const { queue, drawn } = rig();
    queue.pushBulk(bulkOf([]));
    expect([queue.length, drawn()]).toEqual([0, []]);
    queue.push(add('a@1'));
    expect(drawn()).toEqual(['add a@1']);
  });

  test('INF-09: everything in a store right now is initial; what is written later is not part of it', () => {
    const store = new Indexer<KubeObject>();
    for (const text of texts) store.add(obj(text));
    const bulk = bulkOfStore(plainEventMaker<KubeObject>(), store);
    store.add(obj('d@4'));
    store.update(obj('a@9'));
    const events = Array.from({ length: bulk.size }, (_, i) => bulk.at(i));
    expect(
      events.map((event) => [event.type, event.key, name(event.object), event.type === 'add' && event.initial]),
    ).toEqual(texts.map((text) => ['add', text[0], text, true]));
  });
});

test('G14: clearing reports every event it drops, the rest of a snapshot included, and leaves an exact queue', () => {
  const { queue, dropped, drawn } = rig(1);
  queue.pushBulk(bulkOfAdds(plainEventMaker<KubeObject>(), ['a', 'b'], objs('a@1', 'b@2'), true));
  for (const event of [add('c@3'), add('d@4'), update('c@3', 'c@5')]) queue.push(event);
  drawn(1);
  queue.clear();
  expect(dropped).toEqual(['add b', 'add c', 'add d']);
  expect([queue.length, queue.held, queue.isMerging]).toEqual([0, 0, false]);
});

test('F82, H4, G14: an hour of events for ten objects and a handler that draws one in a thousand', () => {
  const { queue } = rig(16);
  const recorder = new HandlerRecorder();
  const newest = new Map<string, string>();
  let most = 0;
  for (let i = 1; i <= 200_000; i += 1) {
    const key = `pod-${(i * 7) % 10}`;
    const before = newest.get(key);
    const after = `${key}@${i}`;
    if (before === undefined) queue.push(add(after));
    else if (i % 31 === 0) queue.push(gone(after));
    else queue.push(update(before, after));
    if (before !== undefined && i % 31 === 0) newest.delete(key);
    else newest.set(key, after);
    most = Math.max(most, queue.length);
    const event = i % 1_000 === 0 ? queue.shift() : undefined;
    if (event !== undefined) void deliverToHandlers(recorder, event);
  }
  for (let event = queue.shift(); event !== undefined; event = queue.shift()) void deliverToHandlers(recorder, event);
  expect(most).toBeLessThanOrEqual(20);
  expect(recorder.violations).toEqual([]);
  expect(new Map([...recorder.view].map(([key, object]) => [key, name(object)]))).toEqual(newest);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Fifo } from '../../src/store/fifo.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { keyFor, pod, versionOf } from './rig/objects.ts';

function rig(): { fifo: Fifo; pop: () => Promise<string>; handled: (readonly [string, boolean])[] } {
  const fifo = new Fifo();
  const handled: (readonly [string, boolean])[] = [];
  /** Pops one object and returns its key and state. */
  const pop = async (): Promise<string> => {
    const object = await fifo.pop((each, initial) => void handled.push([keyFor(each), initial]));
    return `${keyFor(object)}@${versionOf(object)}`;
  };
  return { fifo, pop, handled };
}

test('OTH-01: objects come out in the order they went in', async () => {
  const { fifo, pop } = rig();
  const keys = Array.from({ length: 50 }, (_, i) => `web/${(i * 7) % 50}`);
  for (const key of keys) fifo.add(pod(key, '1'));
  const out: string[] = [];
  while (fifo.length > 0) out.push(await pop());
  expect(out).toEqual(keys.map((key) => `${key}@1`));
});

test('OTH-01: two writes of one object are one piece of work, in the newest state', async () => {
  const { fifo, pop } = rig();
  fifo.add(pod('web/a', '1'));
  fifo.update(pod('web/a', '2'));
  expect(fifo.length).toBe(1);
  expect(await pop()).toBe('web/a@2');
  expect(fifo.get('web/a')).toBeUndefined();
  expect(fifo.length).toBe(0);
});

test('OTH-01: a replace supersedes what was queued', async () => {
  const { fifo, pop } = rig();
  fifo.add(pod('web/a', '1'));
  fifo.add(pod('web/gone', '1'));
  fifo.replace([pod('web/b', '5'), pod('web/a', '6')], '6');
  expect([await pop(), await pop()]).toEqual(['web/b@5', 'web/a@6']);
  expect(fifo.length).toBe(0);
});

test('OTH-01: a queued object keeps its place when it changes, a popped one goes to the end', async () => {
  const { fifo, pop } = rig();
  fifo.add(pod('web/a', '10'));
  fifo.add(pod('web/b', '1'));
  fifo.add(pod('web/a', '11'));
  fifo.add(pod('web/a', '13'));
  fifo.add(pod('web/c', '30'));
  expect(await pop()).toBe('web/a@13');
  fifo.add(pod('web/a', '14'));
  expect([await pop(), await pop(), await pop()]).toEqual(['web/b@1', 'web/c@30', 'web/a@14']);
});

test('OTH-01: an object deleted and added again goes to the end', async () => {
  const { fifo, pop } = rig();
  fifo.add(pod('web/a', '1'));
  fifo.add(pod('web/b', '1'));
  fifo.delete(pod('web/a'));
  fifo.add(pod('web/a', '2'));
  expect([await pop(), await pop()]).toEqual(['web/b@1', 'web/a@2']);
});

test('OTH-01: a deleted object is never processed', async () => {
  const { fifo, pop, handled } = rig();
  fifo.add(pod('web/a', '1'));
  fifo.add(pod('web/b', '1'));
  fifo.delete(pod('web/a'));
  await pop();
  expect(handled).toEqual([['web/b', false]]);
  expect(fifo.length).toBe(0);
});

describe('hasSynced', () => {
  const two = [pod('web/a', '1'), pod('web/b', '1')];
  const cases: readonly [string, (fifo: Fifo, pop: () => Promise<unknown>) => unknown, boolean][] = [
    ['nothing happened', () => {}, false],
    ['an object was added', (fifo) => fifo.add(pod('web/a')), true],
    ['an object was updated', (fifo) => fifo.update(pod('web/a')), true],
    ['an object was deleted', (fifo) => fifo.delete(pod('web/a')), true],
    ['the first list was empty', (fifo) => fifo.replace([], '1'), true],
    ['two were listed', (fifo) => fifo.replace(two, '1'), false],
    [
      'two were listed, one processed',
      async (fifo, pop) => {
        fifo.replace(two, '1');
        await pop();
      },
      false,
    ],
    [
      'two were listed, both processed',
      async (fifo, pop) => {
        fifo.replace(two, '1');
        await pop();
        await pop();
      },
      true,
    ],
    [
      'two were listed, one processed and one deleted',
      async (fifo, pop) => {
        fifo.replace(two, '1');
        await pop();
        fifo.delete(pod('web/b'));
      },
      true,
    ],
    [
      'one was listed twice in one list and processed once',
      async (fifo, pop) => {
        fifo.replace([pod('web/a', '1'), pod('web/a', '2')], '1');
        await pop();
      },
      true,
    ],
    [
      'a second list came before the first was processed, and one of its three is left',
      async (fifo, pop) => {
        fifo.replace(two, '1');
        fifo.replace([...two, pod('web/c', '2')], '2');
        await pop();
        await pop();
      },
      false,
    ],
    [
      'a second, shorter list came before the first was processed, and was processed',
      async (fifo, pop) => {
        fifo.replace(two, '1');
        fifo.replace([pod('web/c', '2')], '2');
        await pop();
      },
      true,
    ],
  ];
  test.each(cases)('OTH-01, DFI-08: when %s', async (_when, act, synced) => {
    const { fifo, pop } = rig();
    await act(fifo, pop);
    expect(fifo.hasSynced).toBe(synced);
  });

  test('OTH-01, DFI-08: a later list does not make it unsynced, and its objects are not initial', async () => {
    const { fifo, pop, handled } = rig();
    fifo.replace([], '1');
    fifo.replace(two, '2');
    expect(fifo.hasSynced).toBe(true);
    await pop();
    expect(handled).toEqual([['web/a', false]]);
  });

  test('OTH-01: synced is not visible before the last initial object was processed', async () => {
    const { fifo } = rig();
    fifo.replace([pod('web/a')], '1');
    const during: boolean[] = [];
    let finish = (): void => {};
    const popped = fifo.pop(async () => {
      during.push(fifo.hasSynced);
      await new Promise<void>((resolve) => (finish = resolve));
    });
    await settle();
    during.push(fifo.hasSynced);
    finish();
    await popped;
    expect([...during, fifo.hasSynced]).toEqual([false, false, true]);
  });

  test('OTH-01, DFI-10: every object of the first list is initial, the last one too, and later ones are not', async () => {
    const { fifo, pop, handled } = rig();
    fifo.replace(two, '1');
    fifo.add(pod('web/c'));
    for (let i = 0; i < 3; i += 1) await pop();
    expect(handled).toEqual([
      ['web/a', true],
      ['web/b', true],
      ['web/c', false],
    ]);
  });

  test('OTH-01, DFI-10: an object added later is not initial, even if the first list is still being processed', async () => {
    const { fifo, pop, handled } = rig();
    fifo.replace([pod('web/a')], '1');
    let finish = (): void => {};
    const first = fifo.pop(() => new Promise<void>((resolve) => (finish = resolve)));
    fifo.add(pod('web/a'));
    await pop();
    expect([handled, fifo.hasSynced]).toEqual([[['web/a', false]], false]);
    finish();
    await first;
    expect(fifo.hasSynced).toBe(true);
  });
});

test('OTH-01: the error of a failing processor rejects the pop, and the object is dropped and counts as processed', async () => {
  const { fifo, pop } = rig();
  fifo.replace([pod('web/a', '1')], '1');
  await expect(fifo.pop(() => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  expect([fifo.length, fifo.hasSynced]).toEqual([0, true]);
  fifo.add(pod('web/b', '1'));
  expect(await pop()).toBe('web/b@1');
});

test('OTH-01: pop waits for work, and waiting pops are served in order', async () => {
  const { fifo, pop } = rig();
  const waiting = [pop(), pop(), pop()];
  let done = 0;
  for (const each of waiting) void each.then(() => (done += 1));
  await settle();
  expect(done).toBe(0);
  fifo.add(pod('web/a', '1'));
  await settle();
  expect(done).toBe(1);
  fifo.replace([pod('web/b', '1'), pod('web/c', '1')], '2');
  expect(await Promise.all(waiting)).toEqual(['web/a@1', 'web/b@1', 'web/c@1']);
});

test('OTH-01, DFI-09: closing releases all waiting pops', async () => {
  const { fifo, pop } = rig();
  const waiting = [pop(), pop(), pop()];
  const results = Promise.allSettled(waiting);
  await settle();
  fifo.close();
  for (const result of await results) {
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'KubeError', code: 'QUEUE_CLOSED' } });
  }
  expect(fifo.isClosed).toBe(true);
});

test('OTH-01, DFI-09: a closed queue gives what it has, takes writes, and refuses only when empty', async () => {
  const { fifo, pop } = rig();
  fifo.add(pod('web/a', '1'));
  fifo.close();
  fifo.close();
  fifo.add(pod('web/b', '1'));
  expect([await pop(), await pop()]).toEqual(['web/a@1', 'web/b@1']);
  await expect(pop()).rejects.toMatchObject({ code: 'QUEUE_CLOSED' });
});

test('OTH-01: whatever is written and popped, it behaves like a list with one place per key', async () => {
  const key = fc.constantFrom('web/a', 'web/b', 'web/c', 'web/d');
  const op = fc.oneof(
    { weight: 5, arbitrary: fc.record({ type: fc.constantFrom('add' as const, 'delete' as const), key }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('replace' as const), keys: fc.array(key) }) },
    { weight: 4, arbitrary: fc.constant({ type: 'pop' as const }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 60 }), async (ops) => {
      const { fifo, pop } = rig();
      let model: { key: string; object: KubeObject }[] = [];
      let initial: Set<string> | undefined;
      const write = (object: KubeObject): void => {
        const held = model.find((each) => each.key === keyFor(object));
        if (held === undefined) model.push({ key: keyFor(object), object });
        else held.object = object;
      };
      for (const [turn, step] of ops.entries()) {
        if (step.type === 'add') {
          const object = pod(step.key, String(turn));
          fifo.add(object);
          write(object);
          initial ??= new Set();
        } else if (step.type === 'delete') {
          fifo.delete(pod(step.key));
          model = model.filter((each) => each.key !== step.key);
          initial ??= new Set();
          initial.delete(step.key);
        } else if (step.type === 'replace') {
          const objects = step.keys.map((each, at) => pod(each, `${turn}${at}`));
          fifo.replace(objects, '1');
          model = [];
          objects.forEach(write);
          if (initial === undefined || initial.size > 0) initial = new Set(step.keys);
        } else if (model.length > 0) {
          const first = model.shift();
          expect(await pop()).toBe(`${first?.key}@${versionOf(first?.object)}`);
          initial?.delete(first?.key ?? '');
        }
        expect(fifo.list()).toEqual(model.map((each) => each.object));
        expect(fifo.hasSynced).toBe(initial?.size === 0);
      }
    }),
  );
});

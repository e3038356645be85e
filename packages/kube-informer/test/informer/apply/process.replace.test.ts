import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { DeltaFifo } from '../../../src/informer/queue/delta-fifo.ts';
import type { Delta, Deltas } from '../../../src/informer/queue/delta.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import type { Queue } from '../../../src/informer/queue/queue.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { name, objs, versionOf } from '../rig/delta-lines.ts';
import {
  all,
  gone,
  type ProcessRig,
  processRig,
  type ProcessRigOptions,
  set,
  unluckyIndex,
} from '../rig/process-rig.ts';

async function rig(texts: readonly string[] = [], options: ProcessRigOptions = {}): Promise<ProcessRig> {
  const made = processRig(options);
  for (const text of texts) await made.apply(set('added', text));
  made.heard();
  return made;
}

test('CTL-09, G7: a list is compared with the cache: first all deletes, then adds and updates in the order of the list', async () => {
  const { apply, heard, held, store } = await rig(['web/a@1', 'web/b@2', 'web/c@3', 'web/d@4']);
  await apply(all('9', ['web/z@5', 'web/c@6', 'web/a@1', 'web/y@7']));
  expect(heard()).toEqual([
    'delete web/b unknown',
    'delete web/d unknown',
    'add web/z@5',
    'update web/c@3→6',
    'add web/y@7',
  ]);
  expect([held(), store.resourceVersion]).toEqual([['web/z@5', 'web/c@6', 'web/a@1', 'web/y@7'], '9']);
});

test('CTL-09, EVH-03: what a list misses is deleted with the state the cache held when the list was applied', async () => {
  const { apply, recorder, store } = await rig(['web/a@1']);
  await apply(set('updated', 'web/a@2'));
  const last = store.get('web/a');
  await apply(all('9', []));
  expect(recorder.events.at(-1)).toEqual({ type: 'delete', key: 'web/a', object: last, finalStateUnknown: true });
});

test('G18, F73: unchanged objects stay the same objects and are not announced', async () => {
  const { apply, heard, store } = await rig(['web/a@1', 'web/b@2']);
  const before = store.list();
  await apply(all('9', ['web/a@1', 'web/b@2']));
  expect(heard()).toEqual([]);
  expect(store.list().every((object, i) => object === before[i])).toBe(true);
});

describe('TestReplaceEvents', () => {
  const kinds: readonly [string, (store: ProcessRig['store']) => Queue<KubeObject>][] = [
    ['atomic', () => new OrderedFifo<KubeObject>({ key: keyOf, env: fakeEnv() })],
    [
      'spelled out',
      (store) => new OrderedFifo<KubeObject>({ key: keyOf, env: fakeEnv(), atomic: false, knownObjects: store }),
    ],
    ['grouped', (store) => new DeltaFifo<KubeObject>({ key: keyOf, env: fakeEnv(), knownObjects: store })],
  ];
  const scenarios: readonly [string, readonly string[], readonly string[], readonly string[]][] = [
    ['an empty cache', [], ['web/a@1', 'web/b@2'], ['add web/a@1 initial', 'add web/b@2 initial']],
    ['everything gone', ['web/a@1', 'web/b@2'], [], ['delete web/a unknown', 'delete web/b unknown']],
    [
      'one gone, one changed, one new, one as before',
      ['web/a@1', 'web/b@2', 'web/c@3'],
      ['web/b@5', 'web/c@3', 'web/d@6'],
      ['delete web/a unknown', 'update web/b@2→5', 'add web/d@6'],
    ],
  ];
  test.each(kinds.flatMap(([kind, make]) => scenarios.map(([what, ...rest]) => [kind, what, make, ...rest] as const)))(
    'CTL-07, CTL-09, RFI-03, RFI-15: %s, %s: the same events and the same cache, which is written before the events are sent',
    async (kind, _, make, before, list, expected) => {
      const cacheAtDeletes: string[] = [];
      const { store, process, heard, held } = processRig({
        onEvent(event, at) {
          if (event.type === 'delete') cacheAtDeletes.push(...at.list().map(name), at.has(event.key) ? 'too late' : '');
          else expect(versionOf(at.get(event.key))).toBe(versionOf(event.object));
        },
      });
      const queue = make(store);
      const drain = async (): Promise<void> => {
        while (queue.pending > 0) await queue.pop(process.process);
      };
      if (before.length > 0) {
        await queue.replace(objs(...before), '4');
        await drain();
        heard();
      }
      await queue.replace(objs(...list), '9');
      await drain();
      const events = heard();
      expect(kind === 'grouped' ? events.toSorted() : events).toEqual(
        kind === 'grouped' ? [...expected].toSorted() : expected,
      );
      expect(held().toSorted()).toEqual([...list].toSorted());
      expect(cacheAtDeletes).not.toContain('too late');
    },
  );
});

test('CTL-06, CTL-09, TestResetWatch: what a broken watch missed arrives with the next list, not as initial', async () => {
  for (const atomic of [true, false]) {
    const { store, process, heard } = processRig();
    const queue = new OrderedFifo<KubeObject>({
      key: keyOf,
      env: fakeEnv(),
      atomic,
      ...(atomic ? {} : { knownObjects: store }),
    });
    const drain = async (): Promise<void> => {
      while (queue.pending > 0) await queue.pop(process.process);
    };
    await queue.replace(objs('web/a@1'), '1');
    await drain();
    await queue.replace(objs('web/a@5', 'web/b@6'), '7');
    await drain();
    expect(heard()).toEqual(['add web/a@1 initial', 'update web/a@1→5', 'add web/b@6']);
  }
});

describe('G9: one poisoned object of a list', () => {
  const indexers = { unlucky: unluckyIndex };

  test('G9, F87: an index that fails poisons its key, keeps the old state and touches no other', async () => {
    const { apply, heard, held, process, store } = await rig(['web/a@1', 'web/b@2'], { indexers });
    await apply(all('20', ['web/a@13', 'web/b@14', 'web/c@15']));
    expect(heard()).toEqual(['update web/b@2→14', 'add web/c@15']);
    expect(held().toSorted()).toEqual(['web/a@1', 'web/b@14', 'web/c@15']);
    expect([...process.poisoned.keys()]).toEqual(['web/a']);
    expect(store.indexKeys('unlucky', '1')).toEqual(['web/a']);
  });

  test('G9: an unknown object with a failing index is left out, also of the first list, and named', async () => {
    const counts: number[] = [];
    const first = await rig([], {
      indexers,
      initial: true,
      audience: { bulk: (bulk, initialAdds) => void counts.push(bulk.size, initialAdds) },
    });
    await first.apply(all('20', ['web/a@13', 'web/b@14']));
    expect([first.held(), counts, [...first.process.poisoned.keys()]]).toEqual([['web/b@14'], [1, 1], ['web/a']]);
    const later = await rig(['web/z@1'], { indexers });
    await later.apply(all('20', ['web/a@13', 'web/b@14', 'web/z@1']));
    expect(later.heard()).toEqual(['add web/b@14']);
  });

  test('G9, F62: an object the transform failed for is alive: kept if it was there, named in any case', async () => {
    const { apply, heard, held, process, env } = await rig(['web/a@1']);
    const error = new Error('unlucky');
    await apply(
      all('20', ['web/c@3'], {
        poisoned: { 'web/a@5': error, 'web/b@6': error },
      }),
    );
    expect([heard(), held().toSorted()]).toEqual([['add web/c@3'], ['web/a@1', 'web/c@3']]);
    expect([...process.poisoned]).toEqual([
      ['web/a', { error, state: expect.stringMatching(/@5$/) }],
      ['web/b', { error, state: expect.stringMatching(/@6$/) }],
    ]);
    expect(env.lines.map(({ level, fields }) => [level, fields['key']])).toEqual([
      ['error', 'web/a'],
      ['error', 'web/b'],
    ]);
  });

  test('G9: a key that the next list brings in a good state, or does not bring at all, is no longer poisoned', async () => {
    const { apply, heard, process } = await rig(['web/a@1', 'web/b@1'], { indexers });
    await apply(all('20', ['web/a@13', 'web/b@13']));
    expect([...process.poisoned.keys()]).toEqual(['web/a', 'web/b']);
    await apply(all('30', ['web/a@21']));
    expect([...process.poisoned.keys()]).toEqual([]);
    expect(heard()).toEqual(['delete web/b unknown', 'update web/a@1→21']);
  });

  test('G9: an index that fails for the old state as well leaves nothing to keep, and the rest of the list still counts', async () => {
    let broken = false;
    const moody = (object: KubeObject): string[] => {
      if (broken && object.metadata?.name === 'a') throw new Error('moody');
      return [];
    };
    const { apply, heard, held, process } = await rig(['web/a@1', 'web/b@2'], { indexers: { moody } });
    broken = true;
    await apply(all('20', ['web/a@1', 'web/b@3']));
    expect(heard()).toEqual(['delete web/a unknown', 'update web/b@2→3']);
    expect([held(), [...process.poisoned.keys()]]).toEqual([['web/b@3'], ['web/a']]);
  });
});

test('SYN-01: the audience learns how many initial adds a list brings, split identities excepted', async () => {
  const counts: [number, number][] = [];
  const audience = {
    bulk: (bulk: { size: number }, initialAdds: number) => void counts.push([bulk.size, initialAdds]),
  };
  const empty = await rig([], { initial: true, audience });
  await empty.apply(all('9', ['web/a@1', 'web/b@2']));
  const filled = await rig(['web/a@1#first', 'web/gone@1'], { initial: true, uidChange: 'split', audience });
  await filled.apply(all('9', ['web/a@5#second', 'web/b@2', 'web/c@3']));
  const later = await rig(['web/a@1'], { audience });
  await later.apply(all('9', ['web/a@1', 'web/b@2']));
  const emptied = await rig([], { audience });
  await emptied.apply(all('9', ['web/a@1', 'web/b@2']));
  expect(counts).toEqual([
    [2, 2],
    [5, 2],
    [1, 0],
    [2, 0],
  ]);
});

test('G3: a list of a new epoch is reported before its differences, and its older states are applied', async () => {
  const order: string[] = [];
  const { apply, held } = await rig(['web/a@50', 'web/b@51', 'web/c@52'], {
    onEvent: (event) => void order.push(`${event.type} ${event.key}`),
    audience: { epochReset: () => void order.push('epochReset') },
  });
  order.length = 0;
  await apply(all('40', ['web/a@7', 'web/b@51'], { newEpoch: true }));
  expect(order).toEqual(['epochReset', 'delete web/c', 'update web/a']);
  expect(held()).toEqual(['web/a@7', 'web/b@51']);
});

describe('Trap 17: a large list', () => {
  const COUNT = 20_000;
  const texts = Array.from({ length: COUNT }, (_, i) => `web/${i}@2`);

  test('Trap 17, G7: is compared in slices and becomes visible in one turn', async () => {
    const clock = fakeEnv();
    let yields = 0;
    const sizes = new Set<number>();
    const env = {
      ...clock,
      // Every look at the clock finds it a little later, as if the work took time.
      now: () => {
        clock.clock.freeze(0.5);
        return clock.clock.now();
      },
      yield: () => {
        yields += 1;
        sizes.add(store.size);
        return Promise.resolve();
      },
    };
    const { apply, store, heard } = await rig(['web/0@1', 'web/old@1'], { env });
    await apply(all('9', texts));
    expect(yields).toBeGreaterThan(20);
    expect([...sizes]).toEqual([2]);
    expect(store.size).toBe(COUNT);
    expect(heard().slice(0, 3)).toEqual(['delete web/old unknown', 'update web/0@1→2', 'add web/1@2']);
  });

  test('Trap 17: takes one turn when it takes no time', async () => {
    const { process, store } = await rig();
    const delta = all('9', texts) as Delta<KubeObject>;
    const running = process.process([delta] as unknown as Deltas<KubeObject>, true);
    expect(store.size).toBe(COUNT);
    await running;
  });
});

test('G5: an add that is still queued when a list misses the object is followed by its delete', async () => {
  const { apply, heard } = await rig();
  await apply(set('added', 'web/a@1'), gone('web/a@1', true));
  await apply(set('added', 'web/b@2'));
  await apply(all('9', []));
  expect(heard()).toEqual(['add web/a@1', 'delete web/a unknown', 'add web/b@2', 'delete web/b unknown']);
});

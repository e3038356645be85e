import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { DeltaFifo } from '../../../src/informer/queue/delta-fifo.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import type { ProcessFn, Queue } from '../../../src/informer/queue/queue.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { line, name, obj } from '../rig/delta-lines.ts';

type Op =
  | { readonly type: 'add' | 'update' | 'delete'; readonly key: string }
  | { readonly type: 'replace'; readonly keys: readonly string[] }
  | { readonly type: 'resync' | 'pop' | 'popBatch' };

const key = fc.constantFrom('a', 'b', 'web/a', 'web/b', '__proto__');
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('add' as const, 'update' as const), key }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('replace' as const), keys: fc.uniqueArray(key, { maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'resync' as const }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('pop' as const, 'popBatch' as const) }) },
);

/** A consumer that applies every delta; the queue knows its objects. */
class Consumer {
  readonly held = new Map<string, KubeObject>();
  readonly entries: string[][] = [];
  readonly flags: boolean[] = [];

  readonly process: ProcessFn<KubeObject> = (deltas, initial) => {
    this.entries.push(deltas.map(line));
    this.flags.push(initial);
    for (const delta of deltas) {
      if (delta.type === 'replacedAll') {
        this.held.clear();
        for (const object of delta.objects) this.held.set(keyOf(object), object);
      } else if (delta.type === 'deleted') {
        this.held.delete(delta.key);
      } else if ('object' in delta) {
        this.held.set(delta.key, delta.object);
      }
    }
  };
}

/** Applies a history to a queue; versions rise with every step, as a server's do. */
async function play(
  queue: Queue<KubeObject>,
  consumer: Consumer,
  ops: readonly Op[],
  model?: Model,
): Promise<Map<string, KubeObject>> {
  const truth = new Map<string, KubeObject>();
  let version = 0;
  for (const each of ops) {
    version += 1;
    const at = (which: string): KubeObject => obj(`${which}@${version}`);
    if (each.type === 'add' || each.type === 'update') {
      truth.set(each.key, at(each.key));
      queue[each.type](at(each.key));
      model?.write(each.type === 'add' ? 'added' : 'updated', each.key, name(at(each.key)));
    } else if (each.type === 'delete') {
      truth.delete(each.key);
      queue.delete(at(each.key));
      model?.delete(each.key, name(at(each.key)), consumer.held);
    } else if (each.type === 'replace') {
      truth.clear();
      for (const which of each.keys) truth.set(which, at(which));
      await queue.replace(each.keys.map(at), String(version));
      model?.replace(each.keys, version, consumer.held);
    } else if (each.type === 'resync') {
      queue.resync();
      model?.resync(consumer.held);
    } else if (queue.pending > 0) {
      if (each.type === 'popBatch' && queue.popBatch !== undefined)
        await queue.popBatch(consumer.process, consumer.process);
      else await queue.pop(consumer.process);
      model?.pop();
      if (model !== undefined) expect(consumer.entries).toEqual(model.popped);
    }
    expect(queue.pending).toBe(model?.pending ?? queue.pending);
  }
  while (queue.pending > 0) {
    await queue.pop(consumer.process);
    model?.pop();
  }
  return truth;
}

/** A queue as slow and plain as it can be. */
interface Model {
  readonly pending: number;
  readonly popped: string[][];
  write(type: string, key: string, object: string): void;
  delete(key: string, object: string, held: ReadonlyMap<string, KubeObject>): void;
  replace(keys: readonly string[], version: number, held: ReadonlyMap<string, KubeObject>): void;
  resync(held: ReadonlyMap<string, KubeObject>): void;
  pop(): void;
}

/** Grouped by key: an array of [key, lines]. */
class GroupedModel implements Model {
  groups: [string, string[]][] = [];
  popped: string[][] = [];

  get pending(): number {
    return this.groups.length;
  }

  #append(which: string, text: string): void {
    const group = this.groups.find(([each]) => each === which);
    if (group === undefined) this.groups.push([which, [text]]);
    else if (text.startsWith('deleted') && group[1].at(-1)?.startsWith('deleted')) {
      if (group[1].at(-1)?.endsWith(' unknown')) group[1].splice(-1, 1, text);
    } else group[1].push(text);
  }

  write(type: string, which: string, object: string): void {
    this.#append(which, `${type} ${object}`);
  }

  delete(which: string, object: string, held: ReadonlyMap<string, KubeObject>): void {
    if (held.has(which) || this.groups.some(([each]) => each === which))
      this.#append(which, `deleted ${which} ${object}`);
  }

  replace(keys: readonly string[], version: number, held: ReadonlyMap<string, KubeObject>): void {
    for (const which of keys) this.#append(which, `replaced ${which}@${version}`);
    const queued = this.groups.map(([which]) => which);
    for (const [which, lines] of this.groups) {
      if (keys.includes(which)) continue;
      const newest = lines.at(-1)?.replace(' unknown', '').split(' ').at(-1);
      this.#append(which, `deleted ${which} ${newest} unknown`);
    }
    for (const [which, object] of held) {
      if (!queued.includes(which)) this.#append(which, `deleted ${which} ${name(object)} unknown`);
    }
  }

  resync(held: ReadonlyMap<string, KubeObject>): void {
    const queued = this.groups.map(([which]) => which);
    for (const [which, object] of held) if (!queued.includes(which)) this.#append(which, `sync ${name(object)}`);
  }

  pop(): void {
    const group = this.groups.shift();
    if (group !== undefined) this.popped.push(group[1]);
  }
}

/** One line after the other: [key, line]. */
class FlatModel implements Model {
  lines: [string, string][] = [];
  popped: string[][] = [];

  get pending(): number {
    return this.lines.length;
  }

  #last(which: string): string | undefined {
    return this.lines.findLast(([each]) => each === which)?.[1];
  }

  write(type: string, which: string, object: string): void {
    this.lines.push([which, `${type} ${object}`]);
  }

  delete(which: string, object: string): void {
    this.lines.push([which, `deleted ${which} ${object}`]);
  }

  replace(keys: readonly string[], version: number, held: ReadonlyMap<string, KubeObject>): void {
    const queued = [...new Set(this.lines.map(([which]) => which))];
    for (const which of queued) {
      const last = this.#last(which) ?? '';
      if (keys.includes(which) || last.startsWith('deleted')) continue;
      this.lines.push([which, `deleted ${which} ${last.split(' ').at(-1)} unknown`]);
    }
    for (const [which, object] of held) {
      if (!queued.includes(which) && !keys.includes(which))
        this.lines.push([which, `deleted ${which} ${name(object)} unknown`]);
    }
    for (const which of keys) this.lines.push([which, `replaced ${which}@${version}`]);
  }

  resync(held: ReadonlyMap<string, KubeObject>): void {
    for (const [which, object] of held)
      if (this.#last(which) === undefined) this.lines.push([which, `sync ${name(object)}`]);
  }

  pop(): void {
    const next = this.lines.shift();
    if (next !== undefined) this.popped.push([next[1]]);
  }
}

function rig(kind: string): { queue: Queue<KubeObject>; consumer: Consumer } {
  const consumer = new Consumer();
  const knownObjects = { keys: () => consumer.held.keys(), get: (which: string) => consumer.held.get(which) };
  const options = { key: keyOf, env: fakeEnv() };
  if (kind === 'delta') return { queue: new DeltaFifo({ ...options, knownObjects }), consumer };
  if (kind === 'spelled out') return { queue: new OrderedFifo({ ...options, atomic: false, knownObjects }), consumer };
  return { queue: new OrderedFifo(options), consumer };
}

/** The models pop one entry at a time. */
const single = fc.array(
  op.filter((each) => each.type !== 'popBatch'),
  { maxLength: 40 },
);

test('DFI-01..11, Q1, Q2, Q3: the grouping queue does what a naive one does, whatever the history', async () => {
  await fc.assert(
    fc.asyncProperty(single, async (ops) => {
      const { queue, consumer } = rig('delta');
      const model = new GroupedModel();
      await play(queue, consumer, ops, model);
      expect(consumer.entries).toEqual(model.popped);
    }),
    { numRuns: 400 },
  );
});

test('RFI-01..05, O1: the ordered queue, spelled out, does what a naive one does, whatever the history', async () => {
  await fc.assert(
    fc.asyncProperty(single, async (ops) => {
      const { queue, consumer } = rig('spelled out');
      const model = new FlatModel();
      await play(queue, consumer, ops, model);
      expect(consumer.entries).toEqual(model.popped);
    }),
    { numRuns: 400 },
  );
});

describe.each(['delta', 'spelled out', 'atomic'])('%s', (kind) => {
  test('G5, Q3, Trap 13: a consumer that applies everything queued ends with exactly what the server has', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 40 }), async (ops) => {
        const { queue, consumer } = rig(kind);
        const truth = await play(queue, consumer, ops);
        expect(new Map([...consumer.held].map(([which, object]) => [which, name(object)]))).toEqual(
          new Map([...truth].map(([which, object]) => [which, name(object)])),
        );
      }),
      { numRuns: 400 },
    );
  });

  test('Q4, O4, DFI-10: the initial flag is a prefix, and sync comes exactly at its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 30 }), async (ops) => {
        const { queue, consumer } = rig(kind);
        let openedAfter: number | undefined;
        queue.synced.onOpen(() => (openedAfter = consumer.entries.length));
        await play(queue, consumer, ops);
        const initial = consumer.flags.filter(Boolean).length;
        expect(consumer.flags.slice(0, initial)).not.toContain(false);
        const first = ops.find(({ type }) => type !== 'pop' && type !== 'popBatch' && type !== 'resync');
        expect(queue.hasSynced).toBe(first !== undefined);
        if (first !== undefined) expect(openedAfter).toBe(initial);
      }),
      { numRuns: 300 },
    );
  });
});

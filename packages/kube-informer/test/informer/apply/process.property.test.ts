import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { isOlder } from '../../../src/core/object/resource-version.ts';
import { DeltaFifo } from '../../../src/informer/queue/delta-fifo.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import type { Queue } from '../../../src/informer/queue/queue.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { name, obj, versionOf } from '../rig/delta-lines.ts';
import { type ProcessRig, processRig, type ProcessRigOptions } from '../rig/process-rig.ts';

/** A change on the server, and how much of it reaches the queue. */
type Step =
  | { readonly type: 'write' | 'delete' | 'recreate'; readonly key: string; readonly lost: boolean }
  | { readonly type: 'stale'; readonly key: string }
  | { readonly type: 'list' | 'resync' | 'bookmark' | 'pop' };

const key = fc.constantFrom('a', 'b', 'web/a', 'web/b');
const lost = fc.nat({ max: 3 }).map((n) => n === 0);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('write' as const), key, lost }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), key, lost }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('recreate' as const), key, lost }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stale' as const), key }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('list' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('resync' as const, 'bookmark' as const) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('pop' as const) }) },
);

/** A server with one rising version; a queue is fed what is not lost. */
class World {
  readonly objects = new Map<string, KubeObject>();
  /** The newest state given to the queue for each object that must exist. */
  readonly given = new Map<string, KubeObject>();
  readonly queue: Queue<KubeObject>;
  version = 0;
  uid = 0;

  constructor(queue: Queue<KubeObject>) {
    this.queue = queue;
  }

  async take(next: Step): Promise<void> {
    switch (next.type) {
      case 'write':
        return this.#write(next.key, this.objects.get(next.key)?.metadata?.uid, next.lost);
      case 'recreate':
        return this.#write(next.key, undefined, next.lost);
      case 'delete':
        return this.#delete(next.key, next.lost);
      case 'stale':
        return this.#repeatOlder(next.key);
      case 'list':
        return this.list();
      case 'resync':
        return this.queue.resync();
      case 'bookmark':
        return this.queue.bookmark(String(this.version));
      case 'pop':
        return undefined;
    }
  }

  async list(): Promise<void> {
    this.given.clear();
    for (const [which, object] of this.objects) this.given.set(which, object);
    await this.queue.replace([...this.objects.values()], String(this.version));
  }

  #write(which: string, uid: string | undefined, isLost: boolean): void {
    const known = this.objects.has(which) && uid !== undefined;
    this.version += 1;
    const object = obj(`${which}@${this.version}#${uid ?? `u${(this.uid += 1)}`}`);
    this.objects.set(which, object);
    if (isLost) return;
    this.given.set(which, object);
    if (known) this.queue.update(object);
    else this.queue.add(object);
  }

  #delete(which: string, isLost: boolean): void {
    const before = this.objects.get(which);
    if (before === undefined) return;
    this.version += 1;
    this.objects.delete(which);
    if (isLost) return;
    this.given.delete(which);
    this.queue.delete({ metadata: { ...before.metadata, resourceVersion: String(this.version) } });
  }

  /** A late or repeated frame about an object that is alive. */
  #repeatOlder(which: string): void {
    const current = this.given.get(which);
    const version = Number(versionOf(current) ?? 0) - 1;
    if (current !== undefined && version > 0)
      this.queue.update({ metadata: { ...current.metadata, resourceVersion: String(version) } });
  }
}

function rig(kind: string, options: ProcessRigOptions): { made: ProcessRig; world: World; pop: () => Promise<void> } {
  const backwards: string[] = [];
  const made = processRig({
    ...options,
    onEvent(event, store) {
      if (event.type === 'update' && isOlder(versionOf(event.object), versionOf(event.old))) backwards.push(event.key);
      expect(backwards).toEqual([]);
      // G12, unless the key has moved on inside the same batch, which holds each key once.
      if (event.type !== 'delete') expect(store.get(event.key)).toBe(event.object);
    },
  });
  const common = { key: keyOf, env: fakeEnv() };
  const queue: Queue<KubeObject> =
    kind === 'delta'
      ? new DeltaFifo({ ...common, knownObjects: made.store })
      : new OrderedFifo({
          ...common,
          atomic: kind !== 'spelled out',
          ...(kind === 'spelled out' ? { knownObjects: made.store } : {}),
        });
  const { process } = made;
  const pop = async (): Promise<void> => {
    if (queue.pending === 0) return;
    if (kind === 'batches' && queue.popBatch !== undefined) await queue.popBatch(process.processBatch, process.process);
    else await queue.pop(process.process);
  };
  return { made, world: new World(queue), pop };
}

describe.each(['atomic', 'batches', 'spelled out', 'delta'])('%s', (kind) => {
  test.each(['flag', 'split'] as const)(
    'G1, G5, G11, G12, I5, I13, TestUpdate: whatever is lost, late or repeated, every announced sequence is legal, and after a list all agree (%s)',
    async (uidChange) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
          const { made, world, pop } = rig(kind, { uidChange });
          for (const next of steps) {
            await world.take(next);
            if (next.type === 'pop') await pop();
          }
          await world.list();
          while (world.queue.pending > 0) await pop();
          const truth = new Map([...world.objects].map(([which, object]) => [which, name(object)]));
          const cached = new Map([...made.store.entries()].map(([which, object]) => [which, name(object)]));
          const received = new Map([...made.recorder.view].map(([which, object]) => [which, name(object)]));
          expect(made.recorder.violations).toEqual([]);
          expect(cached).toEqual(truth);
          expect(received).toEqual(truth);
        }),
        { numRuns: 250 },
      );
    },
  );

  test('G18, I6: outside a resync no state of an object is announced twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
        const { made, world, pop } = rig(kind, {});
        for (const next of steps) {
          await world.take(next);
          if (next.type === 'pop') await pop();
        }
        while (world.queue.pending > 0) await pop();
        const received = made.recorder.events
          .filter((event) => event.type !== 'delete' && !(event.type === 'update' && event.resync))
          .map((event) => `${event.key}@${versionOf(event.object)}`);
        expect(new Set(received).size).toBe(received.length);
      }),
      { numRuns: 250 },
    );
  });
});

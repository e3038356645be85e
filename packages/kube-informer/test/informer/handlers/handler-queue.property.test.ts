import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { HandlerQueue } from '../../../src/informer/handlers/handler-queue.ts';
import { bulkOf } from '../../../src/informer/handlers/bulk.ts';
import { type InformerEvent, deliverToHandlers } from '../../../src/informer/handlers/handlers.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { name } from '../rig/delta-lines.ts';

/** A change of one object; a change that does not fit its state is read as the nearest one that does. */
interface Happening {
  readonly key: string;
  readonly what: 'change' | 'end' | 'resync' | 'uid';
  readonly initial: boolean;
}
type Step =
  | { readonly type: 'push'; readonly happening: Happening }
  | { readonly type: 'bulk'; readonly happenings: readonly Happening[] }
  | { readonly type: 'draw'; readonly count: number };

const happening: fc.Arbitrary<Happening> = fc.record({
  key: fc.constantFrom('a', 'b', 'c', '__proto__'),
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('change' as const) },
    { weight: 4, arbitrary: fc.constant('end' as const) },
    { weight: 1, arbitrary: fc.constant('resync' as const) },
    { weight: 1, arbitrary: fc.constant('uid' as const) },
  ),
  initial: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('push' as const), happening }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('bulk' as const), happenings: fc.array(happening, { maxLength: 6 }) }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('draw' as const), count: fc.integer({ min: 1, max: 4 }) }) },
);

/** Objects that know which life of their name they belong to: a delete ends one, a changed uid does not. */
interface Lived extends KubeObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string };
  readonly life: number;
}

/** Turns happenings into a legal sequence of events: per object add, update*, delete, and again. */
class World {
  readonly alive = new Map<string, Lived>();
  readonly pushed: InformerEvent<Lived>[] = [];
  #version = 0;
  #life = 0;
  #uid = 0;

  event({ key, what, initial }: Happening): InformerEvent<Lived> {
    const event = this.#next(key, what, initial);
    if (event.type === 'delete') this.alive.delete(key);
    else this.alive.set(key, event.object);
    this.pushed.push(event);
    return event;
  }

  #next(key: string, what: Happening['what'], initial: boolean): InformerEvent<Lived> {
    const old = this.alive.get(key);
    this.#version += 1;
    const resourceVersion = String(this.#version);
    if (old === undefined) {
      const metadata = { name: key, resourceVersion, uid: `u${(this.#uid += 1)}` };
      return { type: 'add', key, object: { metadata, life: (this.#life += 1) }, initial };
    }
    if (what === 'resync') return { type: 'update', key, object: old, old, replaced: false, resync: true };
    const replaced = what === 'uid';
    const uid = replaced ? `u${(this.#uid += 1)}` : old.metadata.uid;
    const object = { metadata: { name: key, resourceVersion, uid }, life: old.life };
    if (what === 'end') return { type: 'delete', key, object, finalStateUnknown: initial };
    return { type: 'update', key, object, old, replaced, resync: false };
  }
}

interface Run {
  readonly world: World;
  readonly drawn: InformerEvent<Lived>[];
  readonly dropped: InformerEvent<Lived>[];
  /** Whether the queue ever held more than its limit. */
  readonly merged: boolean;
}

function rig(limit: number, steps: readonly Step[], check: (queue: HandlerQueue<Lived>, world: World) => void): Run {
  const world = new World();
  const drawn: InformerEvent<Lived>[] = [];
  const dropped: InformerEvent<Lived>[] = [];
  const queue = new HandlerQueue<Lived>(limit, (event) => void dropped.push(event));
  let merged = false;
  const draw = (count: number): void => {
    for (let i = 0; i < count; i += 1) {
      const event = queue.shift();
      if (event !== undefined) drawn.push(event);
    }
  };
  for (const each of steps) {
    if (each.type === 'push') queue.push(world.event(each.happening));
    else if (each.type === 'bulk') queue.pushBulk(bulkOf(each.happenings.map((one) => world.event(one))));
    else draw(each.count);
    merged ||= queue.isMerging || dropped.length > 0;
    check(queue, world);
  }
  draw(queue.length);
  expect(queue.shift()).toBeUndefined();
  return { world, drawn, dropped, merged };
}

const run = { limit: fc.nat({ max: 5 }), steps: fc.array(step, { maxLength: 60 }) };

/** The objects that a handler knows after `events`. */
function believed(events: readonly InformerEvent<Lived>[]): HandlerRecorder<Lived> {
  const recorder = new HandlerRecorder<Lived>();
  for (const event of events) void deliverToHandlers(recorder, event);
  return recorder;
}

const print = (view: ReadonlyMap<string, Lived>): string[] => [...view.values()].map(name).toSorted();

test('H1, H2, I5: however events are merged, every object has a legal sequence of events, and `old` is what was delivered last', () => {
  fc.assert(
    fc.property(run.limit, run.steps, (limit, steps) => {
      const { drawn } = rig(limit, steps, () => {});
      expect(believed(drawn).violations).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('H3, I13: merged events lead to the same final state as all of them', () => {
  fc.assert(
    fc.property(run.limit, run.steps, (limit, steps) => {
      const { world, drawn } = rig(limit, steps, () => {});
      expect(print(believed(drawn).view)).toEqual(print(believed(world.pushed).view));
      expect(print(believed(drawn).view)).toEqual(print(world.alive));
    }),
    { numRuns: 2_000 },
  );
});

test('H3, G5, G6, F61: the delete of a delivered object is always delivered, and a changed UID is always marked', () => {
  fc.assert(
    fc.property(run.limit, run.steps, (limit, steps) => {
      for (const event of rig(limit, steps, () => {}).drawn) {
        if (event.type !== 'update') continue;
        // Two lives in one update would be a delete that no handler received.
        expect(event.object.life).toBe(event.old.life);
        if (event.object.metadata.uid !== event.old.metadata.uid) expect(event.replaced).toBe(true);
        if (event.resync) expect(event.object).toBe(event.old);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('H4, G14, F82: merged, at most two events per object are held; exact, at most the limit', () => {
  fc.assert(
    fc.property(run.limit, run.steps, (limit, steps) => {
      rig(limit, steps, (queue, world) => {
        const keys = new Set(world.pushed.map((event) => event.key)).size;
        expect(queue.held).toBeLessThanOrEqual(queue.isMerging ? 2 * keys : limit);
        expect(queue.length).toBeGreaterThanOrEqual(queue.held);
        if (queue.length === 0) expect(queue.isMerging).toBe(false);
      });
    }),
    { numRuns: 1_000 },
  );
});

test('H1: as long as nothing is merged, exactly what was pushed is drawn, in order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 60 }), run.steps, (limit, steps) => {
      const { world, drawn, merged } = rig(limit, steps, () => {});
      if (!merged) expect(drawn).toEqual(world.pushed);
    }),
    { numRuns: 1_000 },
  );
});

test('SYN-01: every initial add is either drawn as one or reported as dropped', () => {
  fc.assert(
    fc.property(run.limit, run.steps, (limit, steps) => {
      const { world, drawn, dropped } = rig(limit, steps, () => {});
      const initial = (events: readonly InformerEvent<Lived>[]): number =>
        events.filter((event) => event.type === 'add' && event.initial).length;
      expect(initial(drawn) + initial(dropped)).toBe(initial(world.pushed));
    }),
    { numRuns: 2_000 },
  );
});

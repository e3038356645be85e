import { inspect, isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PackedState } from '../../../src/store/packed/slab.ts';
import { codec, type Pod, pod, rig } from './packed-objects-rig.ts';

describe('what readers see', () => {
  test('PKD-01, PKD-25: a view behaves as the plain object does', () => {
    const { objects, build } = rig();
    const truth = pod(1);
    const view = objects.see(build(truth));
    expect(isDeepStrictEqual(view, truth)).toBe(true);
    expect(Object.keys(view)).toEqual(Object.keys(truth));
    expect(JSON.stringify(view)).toBe(JSON.stringify(truth));
    expect(isDeepStrictEqual({ ...view }, truth)).toBe(true);
    expect(structuredClone(view)).toEqual(truth);
    expect((Object.create(view) as Pod).status.phase).toBe('Running');
    const heir = Object.create(view) as { status: unknown };
    heir.status = 'mine';
    expect([heir.status, view.status.phase]).toEqual(['mine', 'Running']);
    expect(Object.freeze(objects.see(build(truth))).spec.nodeName).toBe('node-1');
    const changed = objects.see(build(truth)) as { status: unknown };
    changed.status = 1;
    expect(Object.getOwnPropertyDescriptor(changed, 'status')).toMatchObject({ value: 1, enumerable: true });
  });

  test('PKD-25: console.log prints a view as the plain object, at any depth of another one', () => {
    const { objects, build } = rig();
    const truth = pod(1);
    const view = objects.see(build(truth));
    for (const options of [{}, { depth: 0 }, { depth: 9, compact: false }]) {
      expect(inspect(view, options)).toBe(inspect(truth, options));
      expect(inspect([{ event: view }], options)).toBe(inspect([{ event: truth }], options));
    }
    expect(Reflect.ownKeys({ ...view })).toEqual(Reflect.ownKeys(truth));
  });

  test('PKD-25: nothing is decoded before it is read', () => {
    const { objects, build } = rig();
    const state = build(pod(1));
    const decoded: string[] = [];
    Object.assign(state, {
      codec: {
        ...codec,
        decodeField: (name: string, ...rest: [Uint8Array, number, number]) => (
          decoded.push(name),
          codec.decodeField(name, ...rest)
        ),
      },
    });
    const view = objects.see(state);
    expect(decoded).toEqual([]);
    expect([view.status.phase, view.status.phase]).toEqual(['Running', 'Running']);
    expect(decoded).toEqual(['status']);
  });

  test('PKD-12: one state shows one object while it is held, and another state another one', () => {
    const { objects, build } = rig();
    const [state, other] = [build(pod(1)), build(pod(1))];
    const view = objects.see(state);
    expect(objects.see(state)).toBe(view);
    expect(objects.see(other)).not.toBe(view);
  });

  test('MUD-01, PKD-13: with freeze, what is decoded is frozen, managedFields when they are read', () => {
    const { objects, build } = rig({ freeze: true });
    const view = objects.see(build(pod(1)));
    expect(() => Object.assign(view.spec, { nodeName: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(view, { spec: {} })).toThrow(TypeError);
    const { managedFields } = view.metadata as { managedFields: object[] };
    expect([Object.isFrozen(managedFields), Object.isFrozen(managedFields[0])]).toEqual([true, true]);
  });
});

describe('what is held', () => {
  test('PKD-11, PKD-13, PKD-22, PKD-23: states say the same after packing, compaction and a stop', async () => {
    const { objects, env, build, run } = rig();
    const states = Array.from({ length: 3_000 }, (_, i) => build(pod(i)));
    for (const state of states) objects.keep(state);
    const early = objects.see(states[5] as PackedState);
    const stop = run();
    await env.clock.advance(10_000);
    const packed = objects.usage();
    expect(packed.young).toBe(0);
    // Slabs that were emptied count as pinned until they are collected.
    expect(packed.held - packed.pinned).toBeLessThan(packed.wire / 3);
    // Two of three are let go: their slabs are compacted.
    states.forEach((state, i) => i % 3 !== 0 && objects.drop(state));
    build(pod(9_999));
    await env.clock.advance(20_000);
    const compacted = objects.usage();
    expect(compacted.held - compacted.young - compacted.pinned).toBeLessThan(((packed.held - packed.pinned) * 2) / 3);
    await stop();
    for (const [i, state] of states.entries()) {
      objects.verify(state);
      expect(objects.resourceVersion(state)).toBe(String(i + 1));
      expect(isDeepStrictEqual(objects.see(state), pod(i))).toBe(true);
    }
    expect(isDeepStrictEqual(early, pod(5))).toBe(true);
  });

  test('PKD-22: damaged bytes are found', async () => {
    const { objects, env, build, run } = rig();
    const states = Array.from({ length: 600 }, (_, i) => build(pod(i)));
    for (const state of states) objects.keep(state);
    const stop = run();
    await env.clock.advance(10_000);
    await stop();
    const state = states[7] as PackedState;
    expect(state.slab.dictionary).toBeDefined();
    state.slab.bytes[state.end - 3] = ((state.slab.bytes[state.end - 3] as number) + 1) & 0xff;
    expect(() => objects.verify(state)).toThrow(expect.objectContaining({ code: 'LIST_INVALID' }));
  });

  test('PKD-23: what has been there for some seconds is packed, although more arrives', async () => {
    const { objects, env, build, run } = rig();
    const stop = run();
    const states = Array.from({ length: 1_000 }, (_, i) => build(pod(i)));
    for (const state of states) objects.keep(state);
    for (let i = 0; i < 10; i += 1) {
      await env.clock.advance(1_000);
      objects.keep(build(pod(5_000 + i)));
    }
    await stop();
    expect(states.filter(({ slab }) => slab.dictionary === undefined)).toEqual([]);
  });

  test('PKD-23: while much arrives, states stay raw for some rounds and not longer', async () => {
    const { objects, env, build, run } = rig();
    const stop = run();
    const first = Array.from({ length: 100 }, (_, i) => build(pod(i)));
    for (const state of first) objects.keep(state);
    const rawOf = (): number => first.filter(({ slab }) => slab.dictionary === undefined).length;
    const after: number[] = [];
    for (let round = 1; round <= 10; round += 1) {
      for (let i = 0; i < 400; i += 1) objects.keep(build(pod(round * 1_000 + i)));
      await env.clock.advance(2_000);
      after.push(rawOf());
    }
    await stop();
    expect(after.slice(0, 6)).toEqual([100, 100, 100, 100, 100, 100]);
    expect(after.at(-1)).toBe(0);
  });

  test('PKD-23: a relist of unchanged objects takes no memory, before and after packing', async () => {
    const { objects, env, build, run } = rig();
    const held = new Map<string, PackedState>();
    objects.follow(({ name }) => held.get(name as string));
    objects.prepare(['spec', 'nodeName']);
    for (let i = 0; i < 1_000; i += 1) held.set(`pod-${i}`, build(pod(i)));
    for (const state of held.values()) objects.keep(state);
    const stop = run();
    for (const isPacked of [false, true]) {
      const before = objects.usage();
      expect(before.young === 0).toBe(isPacked);
      for (let i = 0; i < 1_000; i += 1) {
        const again = build(pod(i));
        expect(again).toBe(held.get(`pod-${i}`));
        expect([objects.name(again), objects.read(again, ['spec', 'nodeName'])]).toEqual([
          `pod-${i}`,
          [`node-${i % 10}`],
        ]);
        // The next generation of the cache takes it, and the last one lets it go.
        objects.keep(again);
        objects.drop(again);
      }
      expect(objects.usage()).toEqual(before);
      await env.clock.advance(10_000);
    }
    expect(build(pod(1, 5_000))).not.toBe(held.get('pod-1'));
    await stop();
  });

  test('PKD-14: of the same version, other bytes are another state', () => {
    const { objects, build } = rig();
    const one = build(pod(1));
    objects.keep(one);
    objects.follow(() => one);
    expect(build(pod(1))).toBe(one);
    const other = build({ ...pod(1), status: { phase: 'Failed' } });
    expect([other === one, objects.see(other).status.phase, objects.see(one).status.phase]).toEqual([
      false,
      'Failed',
      'Running',
    ]);
    expect(build({ ...pod(1), kind: 'Job' })).not.toBe(one);
  });

  test('PKD-13: a state that the cache lets go and takes again is counted and packed as any other', async () => {
    const { objects, env, build, run } = rig();
    const states = Array.from({ length: 600 }, (_, i) => build(pod(i)));
    for (const state of states) objects.keep(state);
    const { wire, held } = objects.usage();
    const stop = run();
    for (const isPacked of [false, true]) {
      for (const state of states) objects.drop(state);
      expect(objects.usage().wire).toBe(0);
      for (const state of states) objects.keep(state);
      expect(objects.usage().wire).toBe(wire);
      await env.clock.advance(30_000);
      const now = objects.usage();
      expect([now.young, now.held - now.pinned < held / 1.5], String(isPacked)).toEqual([0, true]);
      states.forEach((state, i) => expect(objects.see(state)).toEqual(pod(i)));
    }
    await stop();
  });

  test('PKD-14: equal bytes are equal, and of others the content decides', async () => {
    const { objects, env, build, run } = rig();
    const [one, same, other] = [build(pod(1)), build(pod(1)), build(pod(2))];
    const { spec, ...rest } = pod(1);
    const turned = build({ spec, ...rest });
    const check = (): boolean[] => [one, same, turned, other].map((state) => objects.hasSameContent(one, state));
    expect(check()).toEqual([true, true, true, false]);
    for (let i = 0; i < 600; i += 1) objects.keep(build(pod(i)));
    const stop = run();
    await env.clock.advance(10_000);
    await stop();
    expect(one.slab.dictionary).toBeDefined();
    expect(check()).toEqual([true, true, true, false]);
  });
});

describe('decoded sections', () => {
  test('PKD-24: a section counts when it is decoded, and a state that outgrows the budget is let go', () => {
    const { objects, budget, build } = rig({ maxBytes: 4_000 });
    const state = build(pod(1));
    objects.keep(state);
    const view = objects.see(state);
    expect(view.status.phase).toBe('Running');
    const one = budget.used;
    expect([one > 0, one < 2_500]).toEqual([true, true]);
    expect(view.spec.nodeName).toBe('node-1');
    expect(budget.used).toBeGreaterThan(one * 1.9);
    expect(view.metadata?.name).toBe('pod-1');
    expect([budget.used, objects.usage().views]).toEqual([0, 0]);
    expect(objects.see(state)).toBe(view);
  });

  test('PKD-24: are kept within the budget, and let go when they are not read', async () => {
    const { objects, env, budget, build, run } = rig({ maxBytes: 60_000 });
    const states = Array.from({ length: 100 }, (_, i) => build(pod(i)));
    for (const state of states) objects.keep(state);
    const stop = run();
    for (const state of states) expect(objects.see(state).spec.nodeName).toContain('node');
    expect(objects.usage().views).toBeGreaterThan(30_000);
    expect(budget.used).toBeLessThanOrEqual(60_000);
    expect(objects.usage().views).toBe(budget.used);
    const kept = states[0] as PackedState;
    await env.clock.advance(40_000);
    void objects.see(kept).spec;
    await env.clock.advance(40_000);
    expect(budget.used).toBe(kept.viewBytes);
    objects.drop(kept);
    expect(budget.used).toBe(0);
    await stop();
    expect(env.clock.sleeping).toBe(0);
  });

  test('PKD-24: a cache that is left alone sets no timers', async () => {
    const { env, build, run } = rig();
    const stop = run();
    build(pod(1));
    await env.clock.advance(20_000);
    expect(env.clock.sleeping).toBe(0);
    await stop();
  });
});

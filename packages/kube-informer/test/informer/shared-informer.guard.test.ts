import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { KubeError } from '../../src/core/errors.ts';
import { keyOf } from '../../src/core/object/key.ts';
import type { InformerEvent } from '../../src/informer/handlers/handlers.ts';
import { deepFreeze } from '../../src/core/object/freeze.ts';
import { MutationDetector } from '../../src/informer/apply/mutation-guard.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { type Pod, pod, QUEUES, rig } from './rig/informer-rig.ts';

afterEach(() => vi.unstubAllEnvs());

interface Open {
  spec: Record<string, unknown>;
}
/** How careless code sees a cached object. */
const open = (object: Pod | undefined): Open => object as unknown as Open;

test.each(['exact', 'merged', 'initial', 'relist'] as const)(
  'G10, G13: a handler that writes to an event fails alone: %s',
  async (how) => {
    const { informer, source, env } = rig({ freeze: false });
    const seen: string[] = [];
    const vandal = (event: InformerEvent<Pod>): void => {
      Object.assign(event as { object: unknown }, { object: undefined, old: undefined });
    };
    const witness = (event: InformerEvent<Pod>): void =>
      void seen.push(`${event.type} ${event.object?.metadata?.resourceVersion}`);
    const options = { errorPauseMs: 0, ...(how === 'merged' ? { limit: 1 } : {}) };
    if (how !== 'initial') {
      informer.on({ add: vandal, update: vandal, delete: vandal }, options);
      informer.on({ add: witness, update: witness, delete: witness }, options);
    }
    source.create(pod('web/a'));
    informer.start();
    await informer.synced();
    if (how === 'initial') {
      informer.on({ add: vandal }, options);
      informer.on({ add: witness }, options);
    }
    await settle();
    if (how === 'relist') {
      source.loseNext(2);
      source.update(pod('web/a'));
      source.create(pod('web/b'));
      source.expireHistory();
      source.cut();
    } else if (how !== 'initial') {
      for (let i = 0; i < 5; i += 1) source.update(pod('web/a'));
      source.delete('web/a');
    }
    await env.clock.advance(60_000);
    await informer.stop();
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((line) => line.includes('undefined'))).toEqual([]);
    expect(env.lines.some(({ message }) => message.includes('a handler failed'))).toBe(true);
  },
);

describe('frozen objects', () => {
  test.each(QUEUES)(
    'F84, G10, Trap 20: a handler that changes an object fails there and then, with a hint, and the cache keeps its state, queue %s',
    async (queue) => {
      const { informer, source, start, heard, logged } = rig({ queue });
      informer.on({
        add: ({ object }) => {
          open(object).spec['node'] = 'mine';
        },
      });
      source.create(pod('web/a', { node: 'n1', deep: { list: [{ n: 1 }] } }));
      await start();
      expect(informer.get('web/a')?.spec).toEqual({ node: 'n1', deep: { list: [{ n: 1 }] } });
      const [line] = logged('error', 'a handler failed');
      expect(line?.fields['hint']).toMatch(/change a copy \(structuredClone\)/);
      const { deep } = open(informer.get('web/a')).spec as { deep: { list: object[] } };
      expect(Object.isFrozen(deep.list[0])).toBe(true);
      source.update(pod('web/a', { node: 'n2' }));
      await settle();
      const update = heard.events[1];
      expect(Object.isFrozen(update?.type === 'update' ? update.old : undefined)).toBe(true);
      await informer.stop();
    },
  );

  test('G10, MUD-03: objects are frozen whatever NODE_ENV says, unless the option is false', async () => {
    const frozen = async (freeze?: boolean): Promise<boolean> => {
      const { informer, source, start } = rig(freeze === undefined ? {} : { freeze });
      source.create(pod('web/a', { n: 1 }));
      await start();
      await informer.stop();
      return Object.isFrozen(informer.get('web/a')?.spec);
    };
    const seen: Record<string, boolean> = {};
    for (const mode of ['test', 'development', 'production', '']) {
      vi.stubEnv('NODE_ENV', mode);
      seen[mode] = await frozen();
    }
    expect(seen).toEqual({ test: true, development: true, production: true, '': true });
    expect([await frozen(true), await frozen(false)]).toEqual([true, false]);
  });

  test('G10, TRF-01: freezing is the last step, so a transform may still change the object', async () => {
    const { informer, source, start } = rig({
      transform: (object) => {
        open(object).spec['by'] = 'transform';
        return object;
      },
    });
    source.create(pod('web/a', {}));
    await start();
    expect(informer.get('web/a')?.spec).toEqual({ by: 'transform' });
    expect(Object.isFrozen(informer.get('web/a'))).toBe(true);
    await informer.stop();
  });

  test('G10: freezing ends with cycles, skips bytes, and reaches everything else', () => {
    const cyclic: Record<string, unknown> = { bytes: new Uint8Array(2), list: [[{}]] };
    cyclic['self'] = cyclic;
    deepFreeze(cyclic);
    expect([Object.isFrozen(cyclic), Object.isFrozen((cyclic['list'] as object[][])[0]?.[0])]).toEqual([true, true]);
    expect(Object.isFrozen(cyclic['bytes'])).toBe(false);
    const deep: Record<string, unknown> = {};
    let inner = deep;
    for (let i = 0; i < 20_000; i += 1) inner = inner['inner'] = {} as Record<string, unknown>;
    deepFreeze(deep);
    expect(Object.isFrozen(inner)).toBe(true);
    expect([deepFreeze(1), deepFreeze(null), deepFreeze('x')]).toEqual([1, null, 'x']);
  });
});

describe('the mutation detector', () => {
  test.each(QUEUES)(
    'MUD-02, MUD-03, INF-20, F84 (TestMutationDetector): a change made by a consumer is found within a second, named once, with both texts, queue %s',
    async (queue) => {
      const found: [KubeError, string][] = [];
      const { informer, source, clock, start, relist } = rig({
        queue,
        freeze: false,
        detectMutations: true,
        onMutation: (error, key) => found.push([error, key]),
      });
      source.create(pod('web/a', { node: 'n1' }));
      await start();
      source.create(pod('web/b', { node: 'n1' }));
      await clock.advance(5_000);
      expect(found).toEqual([]);
      open(informer.get('web/a')).spec['node'] = 'changed';
      open(informer.get('web/b')).spec['more'] = true;
      await clock.advance(1_000);
      expect(found.map(([{ code }, key]) => `${code} ${key}`)).toEqual(['CACHE_MUTATED web/a', 'CACHE_MUTATED web/b']);
      // Where, and nothing of what is there: a message goes to logs, and values may be secret.
      expect(found[0]?.[0].message).toBe('cached object web/a was changed by user code at spec.node');
      await clock.advance(10_000);
      expect(found).toHaveLength(2);
      source.loseNext(1);
      source.create(pod('web/c', { node: 'n1' }));
      await relist();
      delete open(informer.get('web/c')).spec['node'];
      await clock.advance(1_000);
      expect(found.map(([, key]) => key)).toContain('web/c');
      await informer.stop();
    },
  );

  test('MUD-01: it is off, unless the environment or the option turns it on; then it warns that it holds copies', async () => {
    const runs = async (detectMutations?: boolean): Promise<number> => {
      const { informer, start, logged } = rig(detectMutations === undefined ? {} : { detectMutations });
      await start();
      await informer.stop();
      return logged('warn', 'mutation detector is on').length;
    };
    expect([await runs(), await runs(false), await runs(true)]).toEqual([0, 0, 1]);
    vi.stubEnv('KUBE_CACHE_MUTATION_DETECTOR', 'true');
    expect([await runs(), await runs(false)]).toEqual([1, 0]);
    vi.stubEnv('KUBE_CACHE_MUTATION_DETECTOR', '1');
    expect(await runs()).toBe(0);
  });

  test('MUD-02: states are watched for two to four minutes, then forgotten', () => {
    const env = fakeEnv();
    const found: string[] = [];
    const detector = new MutationDetector<Pod>(env, keyOf, (_, key) => found.push(key));
    const add = (key: string): Pod => {
      const object = pod(key, { n: 1 });
      detector.add(object);
      return object;
    };
    const pass = (ms: number): void => {
      env.clock.freeze(ms);
      detector.compare();
    };
    const [early, late] = [add('web/early'), add('web/late')];
    pass(120_000); // exactly two minutes are not more than two minutes
    pass(120_000); // now the states of the first four minutes are put aside, and still watched
    open(early).spec['n'] = 2;
    pass(1_000);
    expect(found).toEqual(['web/early']);
    add('web/new');
    pass(120_000);
    open(late).spec['n'] = 2;
    pass(1_000);
    expect(found).toEqual(['web/early']);
  });

  test('MUD-03, I14: a change is named by its place, whatever it is, and its value stays private', () => {
    const report: string[] = [];
    const detector = new MutationDetector<Pod>(fakeEnv(), keyOf, (error) => report.push(error.message));
    type Loose = { spec: { deep?: [object, { token: string }]; self?: unknown }; metadata: { name: string } };
    const changes: [string, (object: Loose) => void][] = [
      ['spec.deep.1.token', ({ spec }) => Object.assign(spec.deep?.[1] ?? {}, { token: 'secret' })],
      ['spec', ({ spec }) => Object.assign(spec, { self: spec })], // a circle has no text to look into
      ['spec.deep', ({ spec }) => delete spec.deep],
      ['metadata.name', ({ metadata }) => Object.assign(metadata, { name: 'other' })],
    ];
    for (const [place, change] of changes) {
      const object = pod('web/a', { deep: [{}, { token: 'hidden' }] });
      detector.add(object);
      change(object as unknown as Loose);
      detector.compare();
      expect(report.splice(0)).toEqual([`cached object web/a was changed by user code at ${place}`]);
    }
  });

  test('MUD-02, S34: an object that cannot be printed is not checked, and does no harm', () => {
    const found: string[] = [];
    const detector = new MutationDetector<Pod>(fakeEnv(), keyOf, (_, key) => found.push(key));
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 200_000; i += 1) deep = { deep };
    for (const spec of [cyclic, deep, { big: 1n }]) detector.add(pod('web/a', spec));
    cyclic['more'] = 1;
    detector.compare();
    expect(found).toEqual([]);
  });

  test('MUD-03: without a handler a mutation is an error in the log; a handler that throws is logged', async () => {
    const quiet = rig({ freeze: false, detectMutations: true });
    const throwing = rig({
      freeze: false,
      detectMutations: true,
      onMutation: () => {
        throw new Error('fail hard');
      },
    });
    for (const { source, start, informer, clock } of [quiet, throwing]) {
      source.create(pod('web/a', {}));
      await start();
      open(informer.get('web/a')).spec['x'] = 1;
      await clock.advance(2_000);
      source.create(pod('web/b'));
      await settle();
      expect(informer.store.size).toBe(2);
      await informer.stop();
    }
    expect(quiet.logged('error', 'cached object web/a was changed by user code')).toHaveLength(1);
    expect(throwing.logged('error', 'a callback failed')[0]?.fields).toEqual({
      callback: 'onMutation',
      error: 'fail hard',
    });
  });
});

describe.each(QUEUES)('hostile objects, queue %s', (queue) => {
  const everything = { queue, freeze: true, detectMutations: true } as const;

  /** Sends one object through a list and one update through the watch, and gives back what the cache holds. */
  async function through(text: string): Promise<{ cached: unknown; mutations: unknown[]; violations: string[] }> {
    const mutations: unknown[] = [];
    const { informer, source, clock, start, heard } = rig({
      ...everything,
      onMutation: (error) => mutations.push(error),
    });
    source.create({ ...pod('web/a'), ...(JSON.parse(text) as object) });
    await start();
    source.update({ ...pod('web/a'), ...(JSON.parse(text) as object) });
    await clock.advance(2_000);
    await informer.stop();
    const { metadata: _, ...cached } = informer.get('web/a') as Pod;
    return { cached, mutations, violations: heard.violations };
  }

  test('S30: keys called __proto__ and constructor pass unchanged, and Object.prototype stays as it is', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    const text =
      '{"spec":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"}}';
    const { cached, mutations, violations } = await through(text);
    expect(JSON.stringify(cached)).toBe(text);
    const { spec } = cached as { spec: object };
    expect(Object.hasOwn(spec, '__proto__')).toBe(true);
    expect(Object.isFrozen(Object.getOwnPropertyDescriptor(spec, '__proto__')?.value)).toBe(true);
    expect([mutations, violations, ({} as { polluted?: boolean }).polluted]).toEqual([[], [], undefined]);
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect(Object.isFrozen(Object.prototype)).toBe(false);
  });

  test('S35: numbers that JSON changes when parsing are kept as parsed, and are not mutations', async () => {
    const { cached, mutations } = await through(
      '{"spec":{"huge":1e400,"zero":-0,"big":9223372036854775807,"twice":1,"twice":2}}',
    );
    const { spec } = cached as { spec: Record<string, number> };
    expect(spec['huge']).toBe(Number.POSITIVE_INFINITY);
    expect(Object.is(spec['zero'], -0)).toBe(true);
    expect([spec['big'], spec['twice'], mutations]).toEqual([9223372036854775808, 2, []]);
  });

  test('S34: an object nested ten thousand deep is frozen and watched without a stack', async () => {
    let deep: Record<string, unknown> = {};
    const leaf = deep;
    for (let i = 0; i < 10_000; i += 1) deep = { deep };
    const { informer, source, clock, start } = rig(everything);
    source.create(pod('web/a', deep));
    await start();
    source.update(pod('web/a', { deep }));
    await clock.advance(1_000);
    expect([informer.store.size, Object.isFrozen(leaf), informer.health().poisoned]).toEqual([1, true, []]);
    await informer.stop();
  });

  test('S32: the longest names, the largest annotations and ten thousand labels are ordinary objects', async () => {
    const name = 'n'.repeat(253);
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`label-${i}`, 'x'.repeat(63)]));
    const meta = { labels, annotations: { note: 'y'.repeat(256 * 1_024) } };
    const { informer, source, clock, start, heard } = rig(everything);
    source.create(pod(`web/${name}`, { blob: 'z'.repeat(1_500_000) }, meta));
    await start();
    source.update(pod(`web/${name}`, { blob: 'small' }, meta));
    await clock.advance(1_000);
    expect(informer.get(`web/${name}`)?.metadata?.labels?.['label-9999']).toBe('x'.repeat(63));
    expect([heard.events.length, heard.violations]).toEqual([2, []]);
    await informer.stop();
  });

  test('F78: objects of another realm, or cloned from a worker, are objects like any other', async () => {
    const { informer, source, clock, start, heard } = rig(everything);
    const foreign = runInNewContext(
      '({ metadata: { namespace: "web", name: "a" }, spec: { list: [{ n: 1 }] } })',
    ) as Pod;
    source.create(foreign);
    source.create(structuredClone(pod('web/b', { list: [1] })));
    await start();
    source.send({
      type: 'MODIFIED',
      object: runInNewContext(
        '({ metadata: { namespace: "web", name: "a", uid: "uid-1", resourceVersion: "9" }, spec: {} })',
      ) as Pod,
    });
    await clock.advance(1_000);
    expect(heard.lines).toEqual(['add web/a@2 initial', 'add web/b@3 initial', 'update web/a@2→9']);
    expect(Object.isFrozen(informer.get('web/b')?.spec?.['list'])).toBe(true);
    await informer.stop();
  });
});

import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Metrics } from '../../src/core/metrics.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { Reflector } from '../../src/informer/reflector/reflector.ts';
import type { ReflectorOptions } from '../../src/informer/reflector/reflector-options.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { type FakeEnv, fakeEnv } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { type Pod, pod, QUEUES, type Rig, rig, type RigOptions } from '../informer/rig/informer-rig.ts';
import { type Misbehaviour, MISBEHAVIOURS, PROMISES, type UserCodeNames, wouldEndTheProcess } from './misbehaviours.ts';

type Options = SharedInformerOptions<Pod, string>;

interface Case {
  /** Code that must answer at once also misbehaves by returning a promise. */
  readonly answers?: true;
  readonly options: (bad: Misbehaviour) => RigOptions<string>;
  /** Makes the informer call the code. */
  readonly trigger?: (made: Rig<string>) => unknown;
  /** Returns the number of reports of the failure. */
  readonly reports: (made: Rig<string>) => number;
}

const callbackFailed = ({ logged }: Rig<string>): number =>
  logged('error', 'a callback failed; nothing else is affected').length;
const poisoned = ({ informer }: Rig<string>): number => informer.health().poisoned.length;
const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
afterAll(() => stderr.mockRestore());
const onStderr = (text: string): number => stderr.mock.calls.filter(([line]) => String(line).includes(text)).length;
const failFirstList = ({ source }: Rig<string>): void => source.failNext('list', new Error('no'));
/** The code misbehaves for one object only. */
const onlyFor = (name: string, bad: Misbehaviour, good: (object: Pod) => unknown) => (object: Pod) =>
  (object.metadata?.name === name ? bad() : good(object)) as never;
const badMetrics = (bad: Misbehaviour): Metrics => ({ counter: bad, gauge: bad, histogram: bad });
const badSeries = (bad: Misbehaviour): Metrics => ({
  counter: () => ({ inc: bad }),
  gauge: () => ({ set: bad }),
  histogram: () => ({ observe: bad }),
});
const metricFailed = ({ logged }: Rig<string>): number => logged('warn', 'a metric could not be written').length;
const badLog = (bad: Misbehaviour): FakeEnv => ({ ...fakeEnv(), log: bad });

/** Every option of SharedInformer that carries code: a new one does not compile before it has a case. */
const CASES = {
  onWatchError: [
    {
      options: (bad) => ({ onWatchError: bad, serverStreams: false }),
      trigger: failFirstList,
      reports: callbackFailed,
    },
  ],
  env: [
    {
      options: (bad) => ({ env: badLog(bad), serverStreams: false }),
      trigger: failFirstList,
      reports: () => onStderr('the log of this Env fails'),
    },
  ],
  metrics: [
    { answers: true, options: (bad) => ({ metrics: badMetrics(bad) }), reports: metricFailed },
    { options: (bad) => ({ metrics: badSeries(bad) }), reports: metricFailed },
  ],
  transform: [
    { answers: true, options: (bad) => ({ transform: onlyFor('bad', bad, (object) => object) }), reports: poisoned },
    {
      answers: true,
      options: (bad) => ({ transform: onlyFor('bad', bad, (object) => object), freeze: false }),
      reports: poisoned,
    },
  ],
  indexers: [
    { answers: true, options: (bad) => ({ indexers: { node: onlyFor('bad', bad, () => ['n']) } }), reports: poisoned },
  ],
  onMutation: [
    {
      options: (bad) => ({ onMutation: bad, detectMutations: true, freeze: false }),
      trigger: async ({ informer, clock }) => {
        Object.assign(informer.get('web/a')?.metadata as object, { labels: { changed: 'yes' } });
        await clock.advance(1_000);
      },
      reports: callbackFailed,
    },
  ],
  onEpochReset: [
    {
      options: (bad) => ({ onEpochReset: bad, startVersion: 100 }),
      trigger: async ({ source, clock }) => {
        source.restore([source.get('web/a') as Pod], 50);
        source.cut();
        await clock.advance(60_000);
      },
      reports: callbackFailed,
    },
  ],
} satisfies Record<UserCodeNames<Options>, readonly Case[]>;

beforeEach(() => void stderr.mockClear());

const each = Object.entries<readonly Case[]>(CASES).flatMap(([name, cases]) =>
  cases.flatMap((one, i) =>
    Object.entries({ ...MISBEHAVIOURS, ...(one.answers === true ? PROMISES : {}) }).map(
      ([does, bad]) => [cases.length === 1 ? name : `${name} (${i + 1})`, does, one, bad] as const,
    ),
  ),
);

describe.each(QUEUES)('SharedInformer, queue %s', (queue) => {
  test.each(each)('U1, U4, G9, G13: %s that %s is reported, and later events arrive', async (_, __, one, bad) => {
    const deaths = wouldEndTheProcess();
    const made = rig<string>({ queue, ...one.options(bad) });
    const { informer, source, clock, heard } = made;
    source.create(pod('web/a'));
    source.create(pod('web/bad'));
    if (one.trigger === failFirstList) failFirstList(made);
    await made.start();
    await clock.advance(5_000);
    if (one.trigger !== failFirstList) await one.trigger?.(made);
    source.create(pod('web/later'));
    source.update(pod('web/bad', { changed: true }));
    await clock.advance(5_000);
    expect(heard.lines.map((line) => line.split('@')[0])).toContain('add web/later');
    expect(informer.state.kind).toBe('synced');
    expect(one.reports(made)).toBeGreaterThan(0);
    await informer.stop();
    expect(clock.sleeping).toBe(0);
    expect(await deaths()).toBe(0);
  });
});

interface ReflectorCase {
  readonly answers?: true;
  readonly options: (bad: Misbehaviour) => ReflectorOptions<KubeObject>;
  readonly reports: (env: FakeEnv) => number;
}

const lines = (env: FakeEnv, text: string): number => env.lines.filter(({ message }) => message.includes(text)).length;

/** Every option of Reflector that carries code. */
const REFLECTOR_CASES = {
  onWatchError: { options: (bad) => ({ onWatchError: bad }), reports: (env) => lines(env, 'a callback failed') },
  env: { options: (bad) => ({ env: badLog(bad) }), reports: () => onStderr('the log of this Env fails') },
  metrics: {
    answers: true,
    options: (bad) => ({ metrics: badMetrics(bad) }),
    reports: (env) => lines(env, 'a metric could not be written'),
  },
  shouldResync: {
    answers: true,
    options: (bad) => ({ resyncMs: 1_000, shouldResync: bad }),
    reports: (env) => lines(env, 'shouldResync failed; the resync takes place'),
  },
  key: {
    answers: true,
    options(bad) {
      let calls = 0;
      // Without a key there is nothing to poison: the list fails, is reported and done in another way.
      return { key: ({ metadata }) => ((calls += 1) <= 2 ? bad() : `${metadata?.namespace}/${metadata?.name}`) };
    },
    reports: (env) => env.lines.filter(({ fields }) => String(fields?.['error']).includes('the key function')).length,
  },
} satisfies Record<UserCodeNames<ReflectorOptions<KubeObject>>, ReflectorCase>;

const eachReflector = Object.entries<ReflectorCase>(REFLECTOR_CASES).flatMap(([name, one]) =>
  Object.entries({
    ...MISBEHAVIOURS,
    // A promise of true would be a good answer, if it were not a promise.
    ...(one.answers === true ? PROMISES : {}),
  }).map(([does, bad]) => [name, does, one, bad] as const),
);

test.each(eachReflector)(
  'U1, U4: Reflector: %s that %s is reported, and the loop continues',
  async (_, __, one, bad) => {
    const deaths = wouldEndTheProcess();
    const env = fakeEnv();
    const source = new FakeSource({ watchList: true });
    source.create(pod('web/a'));
    source.failNext('watch', new Error('no'));
    source.failNext('list', new Error('no'));
    const sink = new Indexer();
    const options = { env, name: 'pods', ...one.options(bad) };
    const reflector = new Reflector<KubeObject>(source, sink, options);
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    const { clock } = options.env as FakeEnv;
    await clock.advance(300_000);
    source.create(pod('web/later'));
    await clock.advance(5_000);
    expect(sink.keys().toSorted()).toEqual(['web/a', 'web/later']);
    expect(one.reports(env)).toBeGreaterThan(0);
    stop.abort();
    await clock.advance(0);
    await running;
    expect(await deaths()).toBe(0);
  },
);

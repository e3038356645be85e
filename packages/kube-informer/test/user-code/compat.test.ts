import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { CallbackInformer, type CallbackInformerOptions } from '../../src/compat/callback-informer.ts';
import type { Informer } from '../../src/compat/shapes.ts';
import { errorMessageOf } from '../../src/core/errors.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { type FakeEnv, fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource, statusFailure } from '../../src/testing/fake-source.ts';
import { named } from '../cluster/rig/cluster.rig.ts';
import { MISBEHAVIOURS, type UserCodeNames, wouldEndTheProcess } from './misbehaviours.ts';

type Verb = Parameters<Informer<KubeObject>['on']>[0] | 'add' | 'update' | 'delete' | 'change';
const VERBS = { add: 2, update: 1, delete: 1, change: 4, connect: 1, error: 1 } satisfies Record<Verb, number>;
const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
afterAll(() => stderr.mockRestore());
beforeEach(() => void stderr.mockClear());

function rig(options: Partial<CallbackInformerOptions<KubeObject>> = {}) {
  const env = fakeEnv();
  const source = new FakeSource();
  const informer = new CallbackInformer<KubeObject>({
    name: 'pods',
    env,
    open: async (connected) => ({
      source: {
        list: (query, signal) => source.list(query, signal),
        watch: (query, signal) => (connected(), source.watch(query, signal)),
      },
      close: async () => {},
    }),
    ...options,
  });
  const heard: string[] = [];
  return { env, source, informer, heard };
}

const verbs = Object.keys(VERBS) as Verb[];
const each = verbs.flatMap((verb) => Object.entries(MISBEHAVIOURS).map(([does, bad]) => [verb, does, bad] as const));

test.each(each)("U1: compat: on('%s') that %s is reported, and the next callback is called", async (verb, _, bad) => {
  const deaths = wouldEndTheProcess();
  const { env, source, informer, heard } = rig();
  const on = informer.on.bind(informer) as (verb: string, callback: (argument?: KubeObject) => void) => void;
  on(verb, bad);
  for (const one of verbs) on(one, (object) => heard.push(`${one} ${object?.metadata?.name ?? ''}`));
  source.create(named('web/a'));
  await informer.start();
  source.update(named('web/a', { labels: { x: 'y' } }));
  source.delete('web/a');
  for (let i = 0; i < 2; i += 1) source.failNext('watch', statusFailure(500, 'InternalError', 'broken'));
  source.cut();
  await env.clock.advance(120_000);
  source.create(named('web/later'));
  await settle();
  expect(heard).toContain(
    verb === 'connect' || verb === 'error' ? 'add later' : `${verb === 'change' ? 'change' : 'add'} later`,
  );
  const failures = env.lines.filter(({ message }) => message.startsWith('a callback failed'));
  expect(failures.length).toBeGreaterThanOrEqual(VERBS[verb]);
  expect(failures[0]?.fields).toMatchObject({ callback: `on('${verb}')` });
  await informer.stop();
  expect(await deaths()).toBe(0);
});

const OPTIONS = {
  /** `start` rejects; with `autoStart` the `error` callbacks are called. */
  async open(bad) {
    const { informer } = rig({ open: bad });
    const outcome = await informer.start().then(() => 'started', (error: unknown) => `failed: ${errorMessageOf(error)}`); // prettier-ignore
    expect(outcome).toMatch(/^failed: /);
    const errors: unknown[] = [];
    const { informer: automatic } = rig({ open: bad, autoStart: true });
    automatic.on('error', (error) => errors.push(error));
    await settle();
    expect(errors).toMatchObject([{ name: 'KubeError', message: expect.any(String) }]);
  },
  async env(bad) {
    const env: FakeEnv = { ...fakeEnv(), log: bad };
    const { informer, source, heard } = rig({ env });
    informer.on('add', ({ metadata }) => heard.push(metadata?.name ?? ''));
    informer.on('add', () => {
      throw new Error('which would be logged');
    });
    await informer.start();
    source.create(named('web/later'));
    await settle();
    expect(heard).toEqual(['later']);
    expect(stderr.mock.calls.join('\n')).toContain('the log of this Env fails');
    await informer.stop();
  },
} satisfies Record<UserCodeNames<CallbackInformerOptions<KubeObject>>, (bad: never) => Promise<void>>;

const eachOption = Object.entries(OPTIONS).flatMap(([name, play]) =>
  Object.entries(MISBEHAVIOURS).map(([does, bad]) => [name, does, play, bad] as const),
);
test.each(eachOption)('U1: compat: option %s that %s is reported', async (_, __, play, bad) => {
  const deaths = wouldEndTheProcess();
  await play(bad as never);
  expect(await deaths()).toBe(0);
});

import { expect, onTestFinished, test } from 'vitest';
import { CallbackInformer } from '../../src/compat/callback-informer.ts';
import type { InformerError } from '../../src/compat/shapes.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource, statusFailure } from '../../src/testing/fake-source.ts';

const pod = (name: string, more: object = {}): KubeObject => ({ metadata: { namespace: 'web', name, ...more } });

function rig() {
  const env = fakeEnv();
  const source = new FakeSource();
  const opened = { now: 0, ever: 0 };
  const failures: unknown[] = [];
  const informer = new CallbackInformer<KubeObject>({
    name: 'pods',
    env,
    open: async (connected) => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      opened.now += 1;
      opened.ever += 1;
      return {
        source: {
          list: (options, signal) => source.list(options, signal),
          watch: (options, signal) => {
            connected();
            return source.watch(options, signal);
          },
        },
        close: async () => void (opened.now -= 1),
      };
    },
  });
  onTestFinished(() => informer.stop());
  const heard: string[] = [];
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, ({ metadata }) => heard.push(`${verb} ${metadata?.name}`));
  const errors: InformerError[] = [];
  informer.on('error', (error: InformerError) => errors.push(error));
  /** Events received since the last call. */
  const news = (): string[] => heard.splice(0);
  return { env, source, informer, news, errors, opened, failures };
}

test('start resolves when the callbacks have the complete cache; then changes are reported as they come', async () => {
  const { informer, source, news } = rig();
  source.create(pod('a'));
  await informer.start();
  expect(news()).toEqual(['add a']);
  expect(informer.get('a', 'web')?.metadata?.name).toBe('a');
  expect(informer.get('a')).toBeUndefined();
  source.create(pod('b'));
  source.update(pod('a', { labels: { x: 'y' } }));
  source.delete('web/b');
  await settle();
  expect(news()).toEqual(['add b', 'update a', 'delete b']);
  expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['a']);
  expect(informer.list('web')).toHaveLength(1);
  expect(informer.list('elsewhere')).toEqual([]);
  expect(informer.latestResourceVersion()).toBe(source.resourceVersion);
  expect(informer.state).toEqual({ kind: 'synced' });
});

test('a failing server is reported to `error` with its status code, and does not end the informer', async () => {
  const { informer, source, news, errors, env } = rig();
  source.create(pod('a'));
  await informer.start();
  for (let i = 0; i < 3; i += 1) source.failNext('watch', statusFailure(500, 'InternalError', 'broken'));
  source.cut();
  source.create(pod('b'));
  await env.clock.advance(120_000);
  expect(errors.filter(({ statusCode }) => statusCode === 500)).toHaveLength(3);
  expect(news()).toEqual(['add a', 'add b']);
  expect(informer.state).toEqual({ kind: 'synced' });
});

test('a first list that fails does not resolve start before the cache is complete', async () => {
  const { informer, source, news, errors, env } = rig();
  source.create(pod('a'));
  for (const verb of ['watch', 'list'] as const)
    source.failNext(verb, statusFailure(503, 'ServiceUnavailable', 'later'));
  let started = false;
  const start = informer.start().then(() => (started = true));
  await settle();
  expect(started).toBe(false);
  expect(errors.length).toBeGreaterThan(0);
  expect(informer.state).toMatchObject({ kind: 'starting', problem: { reason: 'server-error' } });
  await env.clock.advance(60_000);
  await start;
  expect(news()).toEqual(['add a']);
});

test('expired history, a server without streaming lists and a stop are not errors', async () => {
  const { informer, source, news, errors, env } = rig();
  source.failNext('watch', statusFailure(422, 'Invalid', 'sendInitialEvents'));
  await informer.start();
  source.create(pod('a'));
  source.expireHistory();
  source.cut();
  await env.clock.advance(60_000);
  expect(news()).toEqual(['add a']);
  const unexpected = errors.filter(({ statusCode }) => statusCode !== undefined);
  errors.length = 0;
  await informer.stop();
  await settle();
  expect([...unexpected, ...errors]).toEqual([]);
});

test('programs that start again on every error continue to work: start on a running informer does nothing', async () => {
  const { informer, source, news, opened, env } = rig();
  informer.on('error', () => void informer.start());
  await informer.start();
  source.failNext('watch', statusFailure(500, 'InternalError', 'broken'));
  source.cut();
  source.create(pod('a'));
  await env.clock.advance(60_000);
  expect(news()).toEqual(['add a']);
  expect(opened).toEqual({ now: 1, ever: 1 });
  expect(source.openWatches).toBe(1);
});

test('after a stop the cache can still be read, nothing is reported, and the next start reports only differences', async () => {
  const { informer, source, news, opened } = rig();
  for (const name of ['same', 'changed', 'deleted', 'replaced']) source.create(pod(name));
  await informer.start();
  news();
  await informer.stop();
  expect(opened.now).toBe(0);
  expect(source.openWatches).toBe(0);
  source.update(pod('changed', { labels: { x: 'y' } }));
  source.delete('web/deleted');
  source.delete('web/replaced');
  source.create(pod('replaced'));
  source.create(pod('new'));
  await settle();
  expect(news()).toEqual([]);
  expect(informer.list()).toHaveLength(4);
  expect(informer.state).toEqual({ kind: 'idle' });
  await informer.start();
  expect(news().toSorted()).toEqual(['add new', 'add replaced', 'delete deleted', 'delete replaced', 'update changed']);
  expect(informer.list()).toHaveLength(4);
  source.delete('web/same');
  await settle();
  expect(news()).toEqual(['delete same']);
});

test('a stop while it connects leaves nothing open, resolves start, and a start right after is another run', async () => {
  const { informer, source, news, opened } = rig();
  source.create(pod('a'));
  const first = informer.start();
  const stopped = informer.stop();
  const second = informer.start();
  await Promise.all([first, stopped, second]);
  expect(news()).toEqual(['add a']);
  expect(opened).toEqual({ now: 1, ever: 2 });
  await informer.stop();
  expect(opened.now).toBe(0);
});

test('a callback that throws or rejects is logged and does not affect others; a slow one delays no other', async () => {
  const { informer, source, news, env } = rig();
  informer.on('add', () => {
    throw new Error('thrown');
  });
  // Callbacks are written `async` all the same, and JavaScript lets them.
  for (const pending of [() => Promise.reject(new Error('rejected')), () => new Promise<void>(() => {})])
    informer.on('add', pending as () => void);
  const after: string[] = [];
  informer.on('add', ({ metadata }) => after.push(metadata?.name ?? ''));
  source.create(pod('a'));
  await informer.start();
  source.create(pod('b'));
  await settle();
  expect(news()).toEqual(['add a', 'add b']);
  expect(after).toEqual(['a', 'b']);
  const logged = env.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields?.['error']);
  expect(logged).toEqual(['thrown', 'rejected', 'thrown', 'rejected']);
});

test('`change` is all three, `off` removes one, a late callback gets only later events, unknown verbs are refused', async () => {
  const { informer, source } = rig();
  const changes: string[] = [];
  const onChange = ({ metadata }: KubeObject): number => changes.push(metadata?.name ?? '');
  informer.on('change', onChange);
  source.create(pod('a'));
  await informer.start();
  source.update(pod('a', { labels: { x: 'y' } }));
  await settle();
  expect(changes).toEqual(['a', 'a']);
  const late: string[] = [];
  informer.on('delete', ({ metadata }) => late.push(metadata?.name ?? ''));
  informer.off('change', onChange);
  informer.off('change', onChange);
  source.delete('web/a');
  await settle();
  expect(changes).toEqual(['a', 'a']);
  expect(late).toEqual(['a']);
  expect(() => informer.on('remove' as 'add', onChange)).toThrow(/verb.*add, update, delete, connect, error/);
});

test('`connect` comes with every watch that is opened', async () => {
  const { informer, source, env } = rig();
  let connects = 0;
  informer.on('connect', () => void (connects += 1));
  await informer.start();
  expect(connects).toBe(1);
  source.cut();
  await env.clock.advance(60_000);
  expect(connects).toBe(2);
});

test('a configuration that is wrong rejects start, and the next start tries again', async () => {
  const { informer, failures, source, news } = rig();
  failures.push(new Error('no current cluster'));
  await expect(informer.start()).rejects.toThrow('no current cluster');
  source.create(pod('a'));
  await informer.start();
  expect(news()).toEqual(['add a']);
});

test('objects are the program’s to change, as they always were', async () => {
  const { informer, source } = rig();
  source.create(pod('a'));
  await informer.start();
  const [object] = informer.list() as { kind?: string }[];
  if (object !== undefined) object.kind = 'Pod';
  expect(informer.get('a', 'web')?.kind).toBe('Pod');
});

test('another object under the same name is a delete and an add, because callbacks get no old object', async () => {
  const { informer, source, news, env } = rig();
  source.create(pod('a'));
  await informer.start();
  news();
  source.cut();
  source.delete('web/a');
  source.create(pod('a'));
  source.expireHistory();
  await env.clock.advance(60_000);
  expect(news()).toEqual(['delete a', 'add a']);
});

test('failures are logged without an `error` callback, and reported to it otherwise', async () => {
  const { informer, source, env, errors } = rig();
  const failing = async (): Promise<number> => {
    env.lines.length = 0;
    for (const verb of ['watch', 'list'] as const) source.failNext(verb, statusFailure(403, 'Forbidden', 'no'));
    source.expireHistory();
    source.cut();
    await env.clock.advance(120_000);
    return env.lines.filter(({ message }) => message.startsWith('list or watch failed')).length;
  };
  await informer.start();
  expect(await failing()).toBe(0);
  expect(errors.length).toBeGreaterThan(0);
  await informer.stop();
  const silent = new CallbackInformer<KubeObject>({
    name: 'pods',
    env,
    open: async () => ({ source, close: async () => {} }),
  });
  onTestFinished(() => silent.stop());
  await silent.start();
  expect(await failing()).toBeGreaterThan(0);
});

test('every state is reported, however many come at once', async () => {
  const { informer, source, env } = rig();
  const seen: string[] = [];
  informer.on('update', ({ metadata }) => seen.push(metadata?.labels?.['n'] ?? ''));
  source.create(pod('a'));
  await informer.start();
  const states = Array.from({ length: 3_000 }, (_, n) => String(n));
  for (const n of states) source.update(pod('a', { labels: { n } }));
  await env.clock.advance(1_000);
  await expect.poll(() => seen.length).toBe(states.length);
  expect(seen).toEqual(states);
});

test('a stop in the middle of the first list loses nothing: the next start tells the rest', async () => {
  const { informer, source, news } = rig();
  for (const name of ['a', 'b', 'c']) source.create(pod(name));
  const stopAtFirst = (): void => {
    informer.off('add', stopAtFirst);
    void informer.stop();
  };
  informer.on('add', stopAtFirst);
  await informer.start();
  await settle();
  expect(news()).toHaveLength(1);
  await informer.start();
  expect(news()).toHaveLength(2);
  expect(informer.list()).toHaveLength(3);
});

test('a stop and a start in one turn: the run that ended says nothing and the new one reads its own cache', async () => {
  const { informer, source, news } = rig();
  source.create(pod('a'));
  await informer.start();
  news();
  source.create(pod('b'));
  const stopped = informer.stop();
  const started = informer.start();
  source.create(pod('c'));
  await Promise.all([stopped, started]);
  await settle();
  expect(news().toSorted()).toEqual(['add b', 'add c']);
  source.delete('web/a');
  await settle();
  expect(news()).toEqual(['delete a']);
  expect(informer.list()).toHaveLength(2);
});

test('a callback may remove itself, and the next one is called all the same', async () => {
  const { informer, source } = rig();
  const called: string[] = [];
  const once = (): void => {
    called.push('once');
    informer.off('add', once);
  };
  informer.on('add', once);
  informer.on('add', () => called.push('always'));
  source.create(pod('a'));
  source.create(pod('b'));
  await informer.start();
  expect(called).toEqual(['once', 'always', 'always']);
});

test('an error inside a watch is reported as well', async () => {
  const { informer, source, errors, env } = rig();
  await informer.start();
  source.send({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', code: 500, reason: 'InternalError' } });
  await env.clock.advance(60_000);
  expect(errors).toMatchObject([{ statusCode: 500 }]);
});

test('a delete is reported once, in whichever run it was seen; one of an object that was never reported is not', async () => {
  const { informer, source, news } = rig();
  for (const name of ['a', 'b', 'c']) source.create(pod(name));
  const stopAtFirst = (): void => {
    informer.off('add', stopAtFirst);
    void informer.stop();
  };
  informer.on('add', stopAtFirst);
  await informer.start();
  await settle();
  const [first = ''] = news();
  const untold = ['a', 'b', 'c'].filter((name) => first !== `add ${name}`);
  let deletes = 0;
  informer.on('delete', () => void (deletes += 1));
  source.delete(`web/${untold[0]}`);
  await informer.start();
  expect(news()).toEqual([`add ${untold[1]}`]);
  expect(deletes).toBe(0);

  source.delete(`web/${untold[1]}`);
  await settle();
  expect(news()).toEqual([`delete ${untold[1]}`]);
  await informer.stop();
  source.delete(`web/${first.slice(4)}`);
  await informer.start();
  expect(news()).toEqual([`delete ${first.slice(4)}`]);
  await informer.stop();
  await informer.start();
  expect(news()).toEqual([]);
});

test('requests that fail because of a stop are not reported', async () => {
  const errors: unknown[] = [];
  const source = new FakeSource();
  const informer = new CallbackInformer<KubeObject>({
    name: 'pods',
    env: fakeEnv(),
    open: async () => ({
      source: {
        watchListUnsupported: true,
        list: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          }),
        watch: (options, signal) => source.watch(options, signal),
      },
      close: async () => {},
    }),
  });
  informer.on('error', (error) => errors.push(error));
  const started = informer.start();
  await settle();
  await informer.stop();
  await started;
  await settle();
  expect(errors).toEqual([]);
});

test('G3: a storage that was restored between two runs is compared by content, not by version', async () => {
  const { informer, source, news } = rig();
  source.create(pod('a'));
  source.create(pod('b'));
  await informer.start();
  news();
  await informer.stop();
  const restored = source.objects.map((object) =>
    object.metadata?.name === 'a' ? { ...object, spec: { other: true } } : object,
  );
  source.restore(restored, Number(source.resourceVersion));
  await informer.start();
  expect(news()).toEqual(['update a']);
});

test('G21: stop does not wait for a connection that never opens, and one that opens later is closed', async () => {
  let closed = 0;
  const late = { source: new FakeSource(), close: async () => void (closed += 1) };
  let connect = (): void => {};
  const open = () => new Promise<typeof late>((resolve) => (connect = () => resolve(late)));
  const informer = new CallbackInformer<KubeObject>({ name: 'pods', env: fakeEnv(), open });
  const started = informer.start();
  await settle();
  await informer.stop();
  await started;
  connect();
  await settle();
  expect(closed).toBe(1);
});

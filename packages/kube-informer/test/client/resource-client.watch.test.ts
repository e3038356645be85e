import { getEventListeners } from 'node:events';
import type { Pod } from '@kube-informer/kubernetes';
import { describe, expect, test } from 'vitest';
import { transportFailure } from '../../src/client/transport/transport-failure.ts';
import type { WatchOptions } from '../../src/core/object/list-options.ts';
import { isExpired, isForbidden, isNotFound, retryAfterOf } from '../../src/core/status.ts';
import type { WatchEvent } from '../../src/core/object/watch-event.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { body, bytes, collect, failureOf } from './rig/bodies.ts';
import { type Answer, APIS, clientRig, silence, status } from './rig/client-rig.ts';

const event = (type: string, name: string, version = '1'): string =>
  `${JSON.stringify({ type, object: { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'web', resourceVersion: version } } })}\n`;
const reset = transportFailure('x', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

/** A body that gives `chunks` and then stays silent until it is closed. */
function quiet(...chunks: string[]) {
  const state = { closed: 0 };
  const left = [...chunks];
  const content = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const chunk = left.shift();
        return chunk === undefined
          ? new Promise<never>(() => {})
          : Promise.resolve({ done: false as const, value: bytes(chunk) });
      },
      return: () => {
        state.closed += 1;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  return { answer: { body: content } satisfies Answer, state };
}

function rig(script: readonly Answer[]) {
  const made = clientRig(script);
  return { ...made, pods: made.client.resource('v1/pods'), clock: made.env.clock };
}

describe('watch', () => {
  test('a 404 for a name with a typing mistake says which one may be meant: in a list, and in a watch, which an informer opens first', async () => {
    const { client } = clientRig([status(404, { reason: 'NotFound' }), status(404, { reason: 'NotFound' })]);
    const source = client.resource<Pod>('v1/podz').listWatch();
    const { signal } = new AbortController();
    for (const call of [
      () => client.resource<Pod>('v1/podz').watch({ signal }).next(),
      () => source.list({}, signal),
    ]) {
      const error = await failureOf(call());
      expect(isNotFound(error)).toBe(true);
      expect(String(error)).toMatch(/did you mean v1\/pods( or .*)?\?$/);
    }
  });

  test('STR-01, STR-11: a GET with watch=true, long-lived, whose frames are the events', async () => {
    const { pods, transport } = rig([
      { body: body([event('ADDED', 'a').slice(0, 20), event('ADDED', 'a').slice(20) + event('DELETED', 'b')]) },
    ]);
    const options = {
      namespace: 'web',
      resourceVersion: '5',
      allowWatchBookmarks: true,
      sendInitialEvents: false,
      timeoutSeconds: 0,
      labelSelector: 'a=b',
    };
    const { values } = await collect(pods.watch(options));
    expect(values.map(({ type, object }) => [type, (object as Pod).metadata?.name])).toEqual([
      ['ADDED', 'a'],
      ['DELETED', 'b'],
    ]);
    expect(transport.lines).toEqual([
      'GET /api/v1/namespaces/web/pods?labelSelector=a%3Db&resourceVersion=5&timeoutSeconds=0&allowWatchBookmarks=true&sendInitialEvents=false&watch=true',
    ]);
    expect(transport.last).toMatchObject({
      longLived: true,
      headers: { accept: 'application/vnd.kubernetes.protobuf,application/json' },
    });
  });

  test('LW-07: one object is the collection with a field selector', async () => {
    const { pods, transport } = rig([{ body: '' }]);
    await collect(pods.watch({ namespace: 'web', fieldSelector: { 'metadata.name': 'a' } }));
    expect(transport.lines).toEqual(['GET /api/v1/namespaces/web/pods?fieldSelector=metadata.name%3Da&watch=true']);
  });

  test('LW-02, STR-07: a failure to open rejects the first next(), and leaves nothing behind', async () => {
    const stop = new AbortController();
    const { pods, clock } = rig([status(403, { reason: 'Forbidden' })]);
    const events = pods.watch({ signal: stop.signal });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(isForbidden(await failureOf(events.next() as Promise<unknown>))).toBe(true);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(clock.sleeping).toBe(0);
  });

  test('no request is sent before the first next()', async () => {
    const { pods, transport } = rig([{ body: '' }]);
    const events = pods.watch();
    await settle();
    expect(transport.sent).toEqual([]);
    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(transport.sent).toEqual([]);
  });

  test('STR-07: opened by a user it is retried until the headers have arrived', async () => {
    const { pods, transport, clock } = rig([
      reset,
      status(503),
      { body: body([event('ADDED', 'a')], { error: reset }) },
    ]);
    const reading = collect(pods.watch());
    await clock.advance(10_000);
    const { values, error } = await reading;
    expect(values).toHaveLength(1);
    expect(error).toBe(reset);
    expect(transport.sent).toHaveLength(3);
  });

  test('STR-06: leaving closes the stream, also while it is silent and next() waits', async () => {
    const { answer, state } = quiet(event('ADDED', 'a'));
    const { pods } = rig([answer]);
    const events = pods.watch();
    await events.next();
    const waiting = events.next();
    await settle();
    await events.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(state.closed).toBe(1);
    await events.return?.();
    expect(state.closed).toBe(1);
  });

  test('STR-06: leaving the loop closes the stream', async () => {
    const { answer, state } = quiet(event('ADDED', 'a') + event('ADDED', 'b'));
    const { pods } = rig([answer]);
    const stop = new AbortController();
    for await (const _ of pods.watch({ signal: stop.signal })) break;
    expect(state.closed).toBe(1);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('STR-06: leaving while it is being opened cancels the request', async () => {
    const { pods, transport } = rig([silence]);
    const events = pods.watch();
    const waiting = events.next();
    await settle();
    await events.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(transport.last.signal.aborted).toBe(true);
  });

  test('STR-06: a response that arrives after leaving is closed', async () => {
    const { answer, state } = quiet();
    let arrive = (): void => {};
    const { pods } = rig([
      () =>
        new Promise((resolve) => {
          arrive = () => resolve(answer);
        }),
    ]);
    const events = pods.watch();
    const waiting = events.next();
    await settle();
    await events.return?.();
    arrive();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await settle();
    expect(state.closed).toBe(1);
  });

  test('a signal ends it with ABORTED while it is being opened', async () => {
    const stop = new AbortController();
    const { pods } = rig([silence]);
    const waiting = failureOf(pods.watch({ signal: stop.signal }).next() as Promise<unknown>);
    await settle();
    stop.abort('enough');
    expect(await waiting).toMatchObject({ code: 'ABORTED' });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('STR-08: an ERROR event is an event, with its Status', async () => {
    const gone = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } };
    const { pods } = rig([{ body: `${JSON.stringify(gone)}\n` }]);
    expect((await collect(pods.watch())).values).toEqual([gone]);
  });

  test('next() calls that wait for the same opening are settled in order', async () => {
    const { pods } = rig([{ body: event('ADDED', 'a') + event('ADDED', 'b') }]);
    const events = pods.watch();
    const results = await Promise.all([events.next(), events.next(), events.next()]);
    const name = (one: IteratorResult<WatchEvent<Pod>, undefined>): unknown =>
      (one.value?.object as Pod | undefined)?.metadata?.name;
    expect(results.map(name)).toEqual(['a', 'b', undefined]);
  });
});

describe('listWatch', () => {
  const list = { body: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '5' }, items: [] } };
  const { signal } = new AbortController();

  test('LW-01, LW-04, LW-07: resource, namespace and selectors are fixed; the rest comes with each call', async () => {
    const { pods, transport } = rig([list, { body: '' }, list]);
    const source = pods.listWatch({
      namespace: 'web',
      labelSelector: { app: 'shop' },
      fieldSelector: 'spec.nodeName=n1',
    });
    expect((await source.list({ limit: 500, continue: 'next' }, signal)).metadata?.resourceVersion).toBe('5');
    await collect(source.watch({ resourceVersion: '5', allowWatchBookmarks: true }, signal));
    await pods.listWatch({ namespace: '' }).list({}, signal);
    expect(transport.lines).toEqual([
      'GET /api/v1/namespaces/web/pods?labelSelector=app%3Dshop&fieldSelector=spec.nodeName%3Dn1&limit=500&continue=next',
      'GET /api/v1/namespaces/web/pods?labelSelector=app%3Dshop&fieldSelector=spec.nodeName%3Dn1&resourceVersion=5&allowWatchBookmarks=true&watch=true',
      'GET /api/v1/pods',
    ]);
  });

  test('LW-04: a modifier changes a copy of the options of each call, of lists and of watches', async () => {
    const seen: [string, WatchOptions][] = [];
    const { pods, transport } = rig([list, { body: '' }]);
    const source = pods.listWatch({
      labelSelector: 'a=b',
      modify: (options, verb) => {
        seen.push([verb, { ...options }]);
        return Object.assign(options, { labelSelector: `${options.labelSelector},${verb}`, limit: 7 });
      },
    });
    const given = { resourceVersion: '1' };
    await source.list(given, signal);
    await collect(source.watch(given, signal));
    expect(given).toEqual({ resourceVersion: '1' });
    expect(seen).toEqual([
      ['list', { resourceVersion: '1', labelSelector: 'a=b' }],
      ['watch', { resourceVersion: '1', labelSelector: 'a=b' }],
    ]);
    expect(transport.lines).toEqual([
      'GET /api/v1/pods?labelSelector=a%3Db%2Clist&resourceVersion=1&limit=7',
      'GET /api/v1/pods?labelSelector=a%3Db%2Cwatch&resourceVersion=1&limit=7&watch=true',
    ]);
  });

  test('LW-04: a modifier that throws is a list and a watch that fail', async () => {
    const { pods } = rig([]);
    const source = pods.listWatch({
      modify: () => {
        throw new Error('mine');
      },
    });
    expect(await failureOf(source.list({}, signal))).toMatchObject({ message: 'mine' });
    expect((await collect(source.watch({}, signal))).error).toMatchObject({ message: 'mine' });
  });

  test('STR-07, F37: lists and watches make one attempt and pass Retry-After on', async () => {
    const busy = status(429, {}, { 'retry-after': '9' });
    const { pods, transport, clock } = rig([busy, busy, status(503), reset]);
    const source = pods.listWatch();
    expect(retryAfterOf(await failureOf(source.list({}, signal)))).toBe(9_000);
    expect(retryAfterOf((await collect(source.watch({}, signal))).error)).toBe(9_000);
    expect(await failureOf(source.list({}, signal))).toMatchObject({ status: { code: 503 } });
    expect((await collect(source.watch({}, signal))).error).toBe(reset);
    expect(transport.sent).toHaveLength(4);
    expect(clock.sleeping).toBe(0);
  });

  test('STR-07: the lookup of a kind makes one attempt too, and fails at once', async () => {
    const { client, transport, env } = clientRig();
    transport.routes.set('/api', reset);
    const source = client.resource<Pod>('Pod').listWatch();
    expect(await failureOf(source.list({}, signal))).toBe(reset);
    expect((await collect(source.watch({}, signal))).error).toBe(reset);
    expect(env.clock.sleeping).toBe(0);
    transport.routes.set('/api', APIS['/api']);
    transport.script.push(list);
    await source.list({}, signal);
    expect(transport.lines).toEqual(['GET /api/v1/pods']);
  });

  test('a kind the server does not serve is not found, for the informer too', async () => {
    const { client } = clientRig();
    expect(isNotFound(await failureOf(client.resource<Pod>('Gadget').listWatch().list({}, signal)))).toBe(true);
  });

  test('WLS-07, LW-01: it drives an informer', async () => {
    const marker = {
      type: 'BOOKMARK',
      object: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    };
    const { answer, state } = quiet(event('ADDED', 'a', '8'), `${JSON.stringify(marker)}\n`, event('ADDED', 'b', '10'));
    const { pods, transport, env, clock } = rig([answer]);
    const informer = new SharedInformer(pods.listWatch({ namespace: 'web' }), { env });
    informer.start();
    await clock.advance(0);
    await informer.synced({ timeoutMs: 1_000 });
    await clock.advance(0);
    expect(informer.list().map((pod) => pod.metadata?.name)).toEqual(['a', 'b']);
    expect(transport.lines).toEqual([
      expect.stringMatching(/^GET \/api\/v1\/namespaces\/web\/pods\?.*sendInitialEvents=true.*watch=true$/),
    ]);
    await informer.stop();
    expect(state.closed).toBe(1);
  });

  test('F52, F62, G9: one object of 1,200 levels stops no informer of the client; a caller of list() and watch() gets the error', async () => {
    const deep = `${'{"a":'.repeat(1_200)}1${'}'.repeat(1_200)}`;
    const item = (name: string, spec: string): string =>
      `{"metadata":{"name":"${name}","namespace":"web","uid":"u-${name}","resourceVersion":"8"},"spec":${spec}}`;
    const text = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[${item('deep', deep)},${item('a', '{}')}]}`;
    const line = `{"type":"MODIFIED","object":${item('a', deep).replace('"8"', '"10"')}}\n`;
    const { answer } = quiet(line, event('ADDED', 'b', '11'));
    const { pods, env, clock } = rig([{ body: text }, answer, { body: text }, { body: line }]);
    const informer = new SharedInformer(pods.listWatch({ namespace: 'web' }), { env, watchList: false });
    informer.start();
    await clock.advance(0);
    expect(informer.store.keys()).toEqual(['web/a', 'web/b']);
    expect(informer.state.kind).toBe('synced');
    const { poisoned } = informer.health();
    expect(poisoned.map(({ key }) => key)).toEqual(['web/deep', 'web/a']);
    for (const { error } of poisoned) expect(error).toMatch(/nests deeper than 1000 levels$/);
    await informer.stop();
    expect(await failureOf(pods.list())).toMatchObject({ code: 'LIST_INVALID' });
    expect((await collect(pods.watch())).error).toMatchObject({ code: 'WATCH_DECODE' });
  });

  test('F11: a list that arrives too slowly fails', async () => {
    const slow = { sleep: (_ms: number): Promise<void> => Promise.resolve() };
    async function* trickle(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 1_000; i += 1) {
        await slow.sleep(20_000);
        yield bytes(' ');
      }
    }
    const { pods, env, clock } = rig([{ body: trickle() }]);
    slow.sleep = (ms) => env.sleep(ms);
    const listing = failureOf(pods.listWatch().list({}, signal));
    await clock.advance(61_000);
    expect(await listing).toMatchObject({ code: 'TRANSPORT', message: expect.stringContaining('3 bytes') as string });
  });

  test('F37: a Retry-After of years in a Status instead of a list is cut to a minute', async () => {
    const busy = { kind: 'Status', apiVersion: 'v1', code: 429, details: { retryAfterSeconds: 99_999_999 } };
    const { pods } = rig([{ body: busy }]);
    expect(retryAfterOf(await failureOf(pods.listWatch().list({}, signal)))).toBe(60_000);
  });

  test('an expired version fails unchanged', async () => {
    const { pods } = rig([status(410, { reason: 'Expired' })]);
    expect(isExpired((await collect(pods.listWatch().watch({ resourceVersion: '1' }, signal))).error)).toBe(true);
  });
});

import { expect, test } from 'vitest';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../../src/core/object/watch-event.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { EventPipe } from '../../../src/testing/event-pipe.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';
import { type Pod, pod } from '../rig/informer-rig.ts';
import { RelayedSource } from '../rig/relayed-source.ts';

interface Rig {
  readonly env: FakeEnv;
  readonly server: FakeSource<Pod>;
  readonly relay: RelayedSource;
  readonly informer: SharedInformer<Pod>;
  readonly errors: unknown[];
}

/** An informer whose source answers some requests in its own way. */
function rig(
  change: (parts: { env: FakeEnv; server: FakeSource<Pod>; relay: RelayedSource }) => Partial<ListWatch<Pod>>,
): Rig {
  const env = fakeEnv({ random: 0.5 });
  const server = new FakeSource<Pod>();
  server.create(pod('web/a'));
  const relay = new RelayedSource(server, env);
  const errors: unknown[] = [];
  const { list, watch, echo } = relay;
  const source: ListWatch<Pod> = { list, watch, echo, ...change({ env, server, relay }) };
  const informer = new SharedInformer<Pod>(source, {
    env,
    name: 'pods',
    onWatchError: (error) => void errors.push(error),
  });
  informer.start();
  return { env, server, relay, informer, errors };
}

/** The end marker of an echo, whatever its version is. */
function answer(version: unknown): WatchEvent<unknown> {
  const resourceVersion = version as string;
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion, annotations: { [INITIAL_EVENTS_END]: 'true' } } } };
}

test('F56, G16: an echo with a version that is a number is none: a list of one object is used, and nothing else happens', async () => {
  let echoes = 0;
  const { env, relay, informer, errors } = rig(({ server }) => ({
    echo: (_options, signal) => {
      echoes += 1;
      const pipe = new EventPipe<WatchEvent<unknown>>(signal);
      pipe.push(answer(Number(server.resourceVersion)));
      return pipe;
    },
  }));
  await env.clock.advance(20 * 60_000);
  expect(informer.state).toEqual({ kind: 'synced' });
  expect(errors).toEqual([]);
  // Asked twice, and twice again after ten minutes each: the server may have been updated.
  expect(echoes).toBeLessThanOrEqual(4);
  expect(relay.calls.filter(({ verb, options }) => verb === 'list' && options.limit === 1).length).toBeGreaterThan(5);
  await informer.stop();
});

test('F56, G16: a list of one object whose version is a number answers nothing, and ends neither the process nor the watch', async () => {
  const { env, server, informer } = rig(({ relay }) => ({
    // A source without an echo.
    ...({ echo: undefined } as object),
    list: async (options, signal) => {
      const list = await relay.list(options, signal);
      if (options.limit !== 1) return list;
      const resourceVersion = Number(list.metadata?.resourceVersion) as unknown as string;
      return { ...list, metadata: { ...list.metadata, resourceVersion } };
    },
  }));
  await env.clock.advance(1_000);
  for (let i = 0; i < 30; i += 1) {
    server.update(pod('web/a', { i }));
    await env.clock.advance(10_000);
    expect(informer.get('web/a')?.spec).toEqual({ i });
  }
  expect(informer.state).toEqual({ kind: 'synced' });
  await informer.stop();
});

test('G17, G22: a server that takes 700 ms to answer does not buffer: the second echo lasts longer, and nothing is polled', async () => {
  const { env, relay, informer, errors } = rig(({ env, server }) => ({
    // The answer is late; the end is not.
    echo: ({ timeoutSeconds }, signal) => {
      relay.calls.push({ verb: 'echo', at: env.now(), options: { timeoutSeconds } });
      const pipe = new EventPipe<WatchEvent<unknown>>(signal);
      void env.sleep(700, signal).then(() => pipe.push(answer(server.resourceVersion)));
      void env.sleep(timeoutSeconds * 1_000, signal).then(() => pipe.end());
      return pipe;
    },
  }));
  for (let minute = 0; minute < 20; minute += 1) {
    await env.clock.advance(60_000);
    expect(informer.state).toEqual({ kind: 'synced' });
  }
  expect(errors).toEqual([]);
  const echoes = relay.calls.filter(({ verb }) => verb === 'echo').map(({ options }) => options.timeoutSeconds);
  expect(echoes.slice(0, 4)).toEqual([1, 2, 1, 2]);
  expect(relay.calls.filter(({ verb, options }) => verb === 'watch' && options.timeoutSeconds === 5)).toEqual([]);
  await informer.stop();
});

import { expect, test } from 'vitest';
import { InformerSet } from '../../src/cluster/informer-set.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { type Pod, pod } from '../informer/rig/informer-rig.ts';
import { RelayedSource } from '../informer/rig/relayed-source.ts';

test('G22: fifty informers of a set behind a proxy that buffers poll it together at most five times a second', async () => {
  const env = fakeEnv({ random: 0.5 });
  const sources: RelayedSource[] = [];
  const source = (): RelayedSource => {
    const server = new FakeSource<Pod>();
    server.create(pod('web/a'));
    const relay = new RelayedSource(server, env);
    relay.way.buffers = true;
    sources.push(relay);
    return relay;
  };
  const set = new InformerSet({ env, source });
  const informers = Array.from({ length: 50 }, (_, i) => set.informer(`example.com/v1/things${i}`));
  set.start();
  await env.clock.advance(30_000);
  expect(new Set(informers.map(({ state }) => state.kind))).toEqual(new Set(['polling']));
  const from = env.now();
  await env.clock.advance(50_000);
  const watches = sources.flatMap(({ calls }) => calls).filter(({ verb, at }) => verb === 'watch' && at > from);
  expect(watches.length).toBeLessThanOrEqual(50 * 5);
  await set.shutdown();
});

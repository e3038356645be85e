import { expect, test } from 'vitest';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { pod, rig } from './rig/informer-rig.ts';

test('Trap 17: a first list of fifty thousand objects lets others run meanwhile, and the loop stays responsive', async () => {
  let now = 0;
  let turns = 0;
  const env = { ...fakeEnv(), now: () => (now += 0.05), yield: async () => void (turns += 1) };
  const { informer, source } = rig({ env, freeze: false });
  for (let i = 0; i < 50_000; i += 1) source.create(pod(`web/${i}`));
  informer.start();
  await settle();
  expect(informer.store.size).toBe(50_000);
  // Keys, types and cache each take their own slices of at most 10 ms.
  expect(turns).toBeGreaterThan(15);
  await informer.stop();
});

import { expect, test } from 'vitest';
import { rig, testStory } from '../rigs/simulation-rig.ts';

testStory(1);
testStory(2);
testStory(3);

test('the same seed gives the same changes', async () => {
  const received = async (seed: number): Promise<string[]> => {
    const { local, live } = await rig(seed);
    await live(4);
    return local.list('', 'pods').map(({ metadata }) => metadata?.name ?? '');
  };
  const first = await received(7);
  expect(await received(7)).toEqual(first);
  expect(first).not.toEqual(await received(8));
});

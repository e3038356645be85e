import { expect, test } from 'vitest';
import { pod, rig } from '../rig/informer-rig.ts';

test('S34: a map of a million keys goes through', async () => {
  const { informer, source, start } = rig({ freeze: true });
  const wide: Record<string, number> = {};
  for (let i = 0; i < 1_000_000; i += 1) wide[`k${i}`] = i;
  source.create(pod('web/a', wide));
  await start();
  expect(informer.get('web/a')?.spec?.['k999999']).toBe(999_999);
  expect(Object.isFrozen(informer.get('web/a')?.spec)).toBe(true);
  await informer.stop();
});

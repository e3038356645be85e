import { expect } from 'vitest';
import { report } from './objects.ts';
import { example, rig, run } from './rig.ts';

// The program that README.md opens with. All others are in the slow tests.
example('informers/informer.ts', 'follows pods until it is interrupted', async () => {
  const { server, env } = await rig();
  report(server, 'shop/shop-0', { phase: 'Pending' });
  report(server, 'other/x', { phase: 'Running' });
  const running = run('examples/informers/informer.ts', { env });
  await running.prints('1 pods in shop\n');
  report(server, 'shop/shop-0', { phase: 'Running' });
  report(server, 'shop/shop-1', { phase: 'Pending' });
  server.local.remove('', 'pods', 'shop', 'shop-1', { gracePeriodSeconds: 0 });
  await running.prints('- shop/shop-1\n');
  const lines = (await running.interrupt()).split('\n');
  const expected = ['+ shop/shop-0 Pending', '+ other/x Running', '~ shop/shop-0 Pending → Running', '- shop/shop-1'];
  expect(lines).toEqual(expect.arrayContaining(expected));
});

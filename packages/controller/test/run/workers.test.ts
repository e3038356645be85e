import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../src/queue/work-queue.ts';
import { Workers } from '../../src/run/workers.ts';

test('CTR-46: runs that wait for nothing leave the event loop to timers and I/O every 10 ms', async () => {
  const fake = fakeEnv();
  let elapsed = 0;
  const longest = { turn: 0, startedAt: 0 };
  const env = {
    ...fake,
    now: () => elapsed,
    yield: async () => {
      longest.turn = Math.max(longest.turn, elapsed - longest.startedAt);
      longest.startedAt = elapsed;
    },
  };
  const queue = new WorkQueue({ env });
  const start = () => {
    elapsed += 3;
    return { ended: Promise.resolve(), freed: Promise.resolve() };
  };
  const workers = new Workers({ env, queue, concurrency: 4, start });
  for (let n = 0; n < 1_000; n += 1) queue.add(`key-${n}`);
  workers.start();
  queue.close();
  await workers.finish();
  expect(elapsed).toBe(3_000);
  expect(longest.turn).toBeGreaterThan(0);
  expect(longest.turn).toBeLessThanOrEqual(30);
});

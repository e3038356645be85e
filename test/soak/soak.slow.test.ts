import { expect, test } from 'vitest';
import { soak } from './soak.ts';

test('CTR-46: X05 three replicas for two simulated hours: all is as wanted, no write without the lease, nothing grows or is left', async () => {
  const { violations, hours, figures } = await soak({ hours: 2, seed: 5 });
  expect(violations).toEqual([]);
  expect(hours).toHaveLength(2);
  // The world was not a quiet one.
  expect(figures).toMatchObject({ unheld: 0 });
  expect(Math.min(figures['changes'] ?? 0, figures['writes'] ?? 0)).toBeGreaterThan(200);
  expect(Math.min(figures['terms'] ?? 0, figures['starts'] ?? 0)).toBeGreaterThan(3);
});

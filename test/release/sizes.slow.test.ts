import { expect, test } from 'vitest';
import { bundleSizes, readBaseline } from '../../tools/build/sizes.ts';

/** Part of a size by which it may differ from the kept one. */
const TOLERANCE = 0.05;
const ON_PURPOSE = 'if this is on purpose, keep the new sizes with `npx tsx tools/build/sizes.ts --write`';

test('bundles are as large as the kept sizes say', async () => {
  const [sizes, { bytes }] = await Promise.all([bundleSizes(), readBaseline()]);
  expect(Object.keys(sizes)).toEqual(Object.keys(bytes));
  const moved = Object.entries(sizes).flatMap(([name, size]) => {
    const kept = bytes[name] as number;
    const percent = ((100 * (size - kept)) / kept).toFixed(1);
    return Math.abs(size - kept) > TOLERANCE * kept ? [`${name}: ${size} bytes, ${percent} %; ${ON_PURPOSE}`] : [];
  });
  expect(moved).toEqual([]);
}, 60_000);

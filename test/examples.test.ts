import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** What each example that needs no cluster prints; those that need one run in test/real/examples.test.ts. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  'first-informer.ts': /web\/shop-0/,
  'test-with-embedded-server.ts': /cut 1 watch; in the cache: one, two, three/,
};

test.each(Object.entries(PRINTS))('the example %s runs as it says', async (file, expected) => {
  const args = ['node_modules/tsx/dist/cli.mjs', '--conditions=@kube-informer/source', `examples/${file}`];
  const { stdout } = await run(process.execPath, args, { timeout: 50_000 });
  expect(stdout).toMatch(expected);
});

test('no example is forgotten', async () => {
  const all = (await readdir('examples')).filter((file) => file.endsWith('.ts') && !file.startsWith('auth-'));
  expect(all.toSorted()).toEqual([...Object.keys(PRINTS), 'first-client.ts'].toSorted());
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('slow-handler.ts', import.meta.url));

test.each(['coalesce', 'detach'])(
  'F72, G14: a handler that never returns, with policy %s, does not bring the process near its heap limit',
  async (policy) => {
    const flags = ['--max-old-space-size=256', '--conditions=@kube-informer/source', '--import=tsx'];
    const { stdout } = await run(process.execPath, [...flags, program, policy]);
    const { share, pending } = JSON.parse(stdout) as { share: number; pending: number };
    expect(share).toBeLessThan(0.7);
    expect(pending).toBeLessThanOrEqual(256 + 1_000);
  },
  300_000,
);

test('F73: a streamed relist needs at most a third more memory, not a second copy', async () => {
  const flags = ['--expose-gc', '--conditions=@kube-informer/source', '--import=tsx'];
  const { stdout } = await run(process.execPath, [...flags, fileURLToPath(new URL('relist.ts', import.meta.url))]);
  const { share } = JSON.parse(stdout) as { share: number };
  expect(share).toBeLessThan(1.3);
}, 300_000);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { lockDirectory } from '../../../src/storage/durable/lock.ts';
import { lockOwnerStart } from '../../../src/storage/durable/lock-owner.ts';

const root = await mkdtemp(join(tmpdir(), 'lock-'));
afterAll(() => rm(root, { recursive: true }));

/** A new directory with these files. */
async function rig(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const dir = await mkdtemp(join(root, 'data-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}

/** A process that takes the locks of the given directories. */
async function taker(): Promise<{ take: (dir: string) => Promise<string>; end: () => Promise<void> }> {
  const program = fileURLToPath(new URL('../../rig/programs/take-locks.ts', import.meta.url));
  const args = ['--conditions=@kube-informer/source', '--import', 'tsx', program];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value as string;
  expect(await line()).toBe('ready');
  return {
    take: (dir) => {
      child.stdin.write(`${dir}\n`);
      return line();
    },
    end: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid as number;
}

describe('a lock without a living owner', () => {
  test.each([
    ['was left by a crash', ['lock']],
    ['was left by a crash, and another crash came in the middle of a takeover', ['lock', 'lock.takeover']],
  ])('that %s is taken by exactly one of several processes', { timeout: 120_000 }, async (_when, left) => {
    const pid = await endedPid();
    const files = Object.fromEntries(left.map((name) => [name, `${pid}\n`]));
    const takers = await Promise.all([taker(), taker(), taker()]);
    for (let round = 0; round < 100; round += 1) {
      const dir = await rig(files);
      const answers = await Promise.all(takers.map(({ take }) => take(dir)));
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
      expect(await readdir(dir)).toEqual(['lock']);
    }
    await Promise.all(takers.map(({ end }) => end()));
  });

  // Other systems only tell whether a process with this number exists.
  describe.runIf(process.platform === 'linux')('by more than its number', () => {
    test('is that of an ended process that its parent has not reaped yet', async () => {
      // `cat` ends at the end of its input, and its parent has become a program that never reaps children.
      const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 600'], {
        stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      });
      const [text] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
      const pid = Number(text);
      const stat = (of: number) => () => readFile(`/proc/${of}/stat`, 'utf8');
      const wait = { timeout: 60_000, interval: 10 };
      await expect.poll(stat(parent.pid as number), wait).toContain(' (sleep) ');
      (parent.stdio[3] as Writable).end();
      await expect.poll(stat(pid), wait).toContain(' (cat) Z ');
      expect(() => process.kill(pid, 0)).not.toThrow();
      const unlock = await lockDirectory(await rig({ lock: `${pid}\n` }));
      await unlock();
      parent.kill('SIGKILL');
      await once(parent, 'exit');
    });

    test('is that of an earlier process with the number of a living one', async () => {
      const dir = await rig({ lock: `${process.ppid} 1\n` });
      const unlock = await lockDirectory(dir);
      expect(await readFile(join(dir, 'lock'), 'utf8')).toBe(`${process.pid} ${await lockOwnerStart(process.pid)}\n`);
      await unlock();
      expect(await readdir(dir)).toEqual([]);
    });

    test('is not that of another thread of this process', async () => {
      const dir = await rig({ lock: `${process.pid} ${await lockOwnerStart(process.pid)}\n` });
      await expect(lockDirectory(dir)).rejects.toThrow(`is in use by process ${process.pid};`);
    });
  });
});

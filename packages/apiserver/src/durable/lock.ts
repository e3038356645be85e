import { open, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kill, pid as ownPid } from 'node:process';
import { KubeError } from 'kube-informer/core';

/** Directories held by this process: its own pid in a lock file proves nothing, pids come round again. */
const held = new Set<string>();

/**
 * Takes a directory for this process, or throws INVALID_OPTION when another one, or another server of this process, has
 * it. The lock of a process that is gone is taken over.
 *
 * Gives the function that sets the directory free.
 */
export async function lockDirectory(dir: string): Promise<() => Promise<void>> {
  const path = await realpath(dir);
  const file = join(path, 'lock');
  if (held.has(path)) throw inUse(dir, `a server of this process (${ownPid})`);
  held.add(path);
  try {
    if (!(await create(file))) {
      const owner = await ownerOf(file);
      if (owner !== undefined && owner !== ownPid && isAlive(owner)) throw inUse(dir, `process ${owner}`, file);
      await rm(file, { force: true });
      // Somebody else has had the same idea and was faster.
      if (!(await create(file))) throw inUse(dir, 'another process', file);
    }
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    if (held.delete(path)) await rm(file, { force: true });
  };
}

/** False where the file is already there. */
async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.write(`${ownPid}\n`);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined where the file holds no number: its writer died before it could say who it was. */
async function ownerOf(file: string): Promise<number | undefined> {
  const owner = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  return Number.isSafeInteger(owner) && owner > 0 ? owner : undefined;
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 asks without sending anything.
    return kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

function inUse(dir: string, by: string, file?: string): KubeError {
  const hint = file === undefined ? '' : `; if that process is no server of yours, delete ${file}`;
  return new KubeError('INVALID_OPTION', `the data directory ${dir} is in use by ${by}${hint}`);
}

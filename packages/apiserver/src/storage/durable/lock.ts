import { randomUUID } from 'node:crypto';
import { link, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid as ownPid } from 'node:process';
import { KubeError } from 'kube-informer/core';
import { readPrivateFile } from './private-file.ts';
import { isLockOwnerAlive, type LockOwner, lockOwnerStart } from './lock-owner.ts';

/** Directories held by this process: its own pid in a lock file proves nothing, because pids are reused. */
const held = new Set<string>();

/**
 * Locks a directory for this process, or throws INVALID_OPTION when another process, or another server of
 * this process, holds it. The lock of a process that is gone is taken over.
 *
 * Returns a function that releases the lock.
 */
export async function lockDirectory(dir: string): Promise<() => Promise<void>> {
  const path = await realpath(dir);
  const file = join(path, 'lock');
  if (held.has(path)) throw lockedDirectoryError(dir, `a server of this process (${ownPid})`);
  held.add(path);
  try {
    if (!(await takeLockFile(file))) {
      const owner = await readLivingLock(file);
      throw lockedDirectoryError(dir, owner === undefined ? 'another process' : `process ${owner.pid}`, file);
    }
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    if (held.delete(path)) await rm(file, { force: true });
  };
}

/**
 * Takes the lock file; false if a living process holds it.
 *
 * A file without a living owner may be removed by one process at a time: the one that holds another lock file
 * for that. Otherwise two processes that find the same dead owner would remove each other's new locks.
 */
async function takeLockFile(file: string): Promise<boolean> {
  if (await createLockFile(file)) return true;
  if ((await readLivingLock(file)) !== undefined) return false;
  const takeover = `${file}.takeover`;
  if (!(await takeLockFile(takeover))) return false;
  try {
    // The process that held the takeover lock before us may have taken the file.
    if ((await readLivingLock(file)) !== undefined) return false;
    await rm(file, { force: true });
    return await createLockFile(file);
  } finally {
    await rm(takeover, { force: true });
  }
}

/**
 * Creates the lock file; false if it exists. It is created together with its content, because an empty file
 * would have no owner.
 */
async function createLockFile(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  const started = await lockOwnerStart(ownPid);
  await writeFile(draft, started === undefined ? `${ownPid}\n` : `${ownPid} ${started}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The living owner of a lock file; undefined also if the file is gone, or its content was lost in a power cut. */
async function readLivingLock(file: string): Promise<LockOwner | undefined> {
  const text = (await readPrivateFile(file)) ?? '';
  const [, pid, started] = /^([1-9]\d*)(?: (\d+))?\n?$/.exec(text) ?? [];
  if (pid === undefined) return undefined;
  const owner = { pid: Number(pid), started };
  return (await isLockOwnerAlive(owner)) ? owner : undefined;
}

function lockedDirectoryError(dir: string, by: string, file?: string): KubeError {
  const hint = file === undefined ? '' : `; if that process is no server of yours, delete ${file}`;
  return new KubeError('INVALID_OPTION', `the data directory ${dir} is in use by ${by}${hint}`);
}

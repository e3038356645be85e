import { readFile } from 'node:fs/promises';
import { kill, pid as ownPid } from 'node:process';

/** The process that holds a lock, as recorded in it. */
export interface LockOwner {
  readonly pid: number;
  /** Result of `lockOwnerStart`. It distinguishes two processes that had the same pid. */
  readonly started: string | undefined;
}

/** Whether the owner still runs. A zombie process does not count. */
export async function isLockOwnerAlive({ pid, started }: LockOwner): Promise<boolean> {
  try {
    // Signal 0 checks without sending anything.
    kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs under another user.
    if ((error as { code?: unknown } | null)?.code !== 'EPERM') return false;
  }
  const found = await readLockOwnerStat(pid);
  if (found?.hasEnded === true) return false;
  // Without the start time only the pid can be compared. Our own pid then belongs to an earlier process: we have no
  // lock yet.
  return started === undefined || found === undefined ? pid !== ownPid : found.started === started;
}

/**
 * The start time of a process, in the system's own unit; undefined if the system does not report it (all but
 * Linux).
 */
export const lockOwnerStart = async (pid: number): Promise<string | undefined> =>
  (await readLockOwnerStat(pid))?.started;

async function readLockOwnerStat(pid: number): Promise<{ started: string | undefined; hasEnded: boolean } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // `pid (name) state …`; names may have spaces and brackets. The start time is the 22nd field, the 20th from the state
  // on.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { started: fields[19], hasEnded: fields[0] === 'Z' || fields[0] === 'X' };
}

import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stops a process for a while, as the suspend of a machine does. */
export async function suspendProcess(child: ChildProcess, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    child.kill('SIGCONT');
  }
}

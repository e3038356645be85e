import { setMaxListeners } from 'node:events';
import type { Env } from 'kube-informer/core';
import { StatusError } from '../../core/status-error.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

export interface WorkLoop {
  /** Queues `key`. A key that is queued twice is processed once. */
  add(key: string): void;
  stop(): void;
}

/**
 * Processes one key after the other. `sync` may return milliseconds after which to process the key again;
 * after an error it is retried with growing delays.
 *
 * Nothing runs inside `add`: the write that caused it is complete before a controller acts on it.
 */
export function workLoop(env: Env, name: string, sync: (key: string) => number | undefined): WorkLoop {
  const waiting = new Set<string>();
  const failures = new Map<string, number>();
  const abort = new AbortController();
  const { signal } = abort;
  // As many keys as there are objects may wait at once, which is not a leak.
  setMaxListeners(0, signal);
  let isRunning = false;

  const add = (key: string): void => {
    if (signal.aborted) return;
    waiting.add(key);
    if (isRunning) return;
    isRunning = true;
    void run();
  };

  const addAfter = (key: string, ms: number): void => {
    void env.sleep(ms, signal).then(() => add(key));
  };

  const run = async (): Promise<void> => {
    for (;;) {
      await env.yield();
      const [key] = waiting;
      if (key === undefined || signal.aborted) break;
      waiting.delete(key);
      look(key);
    }
    isRunning = false;
  };

  const look = (key: string): void => {
    try {
      const again = sync(key);
      failures.delete(key);
      if (again !== undefined) addAfter(key, again);
    } catch (error) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      // Conflicts between writers are normal.
      const level = error instanceof StatusError && error.status.code === 409 ? 'debug' : 'warn';
      env.log(level, 'a controller will try again', { controller: name, key, error });
      addAfter(key, Math.min(FIRST_RETRY_MS * 2 ** count, LAST_RETRY_MS));
    }
  };

  return {
    add,
    stop: () => {
      abort.abort();
      waiting.clear();
    },
  };
}

import type { Env } from '../../core/env.ts';

export interface StopOptions {
  readonly env: Env;
  /** Name of the informer or handler, for the log line. */
  readonly name: string;
  readonly graceMs: number;
}

/** Waits for running callbacks: resolves when `settled` does, or after `graceMs`. Every stop, close and shutdown ends here. */
export async function untilHandlersStop(settled: Promise<void>, { env, name, graceMs }: StopOptions): Promise<void> {
  const idle = new AbortController();
  const stopped = settled.then(() => idle.abort());
  await env.sleep(graceMs, idle.signal);
  if (idle.signal.aborted) return stopped;
  env.log('warn', 'a callback is still running after stopGraceMs; the stop does not wait for it', { name, graceMs });
}

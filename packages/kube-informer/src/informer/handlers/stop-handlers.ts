import type { Env } from '../../core/env.ts';
import type { Processor } from './processor.ts';

export interface StopOptions {
  readonly env: Env;
  /** Name of the informer, for the log line. */
  readonly name: string;
  readonly graceMs: number;
}

/** Stops all handlers. Resolves when the running callbacks have settled, or after `graceMs`. */
export async function stopHandlers<T>(processor: Processor<T>, { env, name, graceMs }: StopOptions): Promise<void> {
  const idle = new AbortController();
  const stopped = processor.stop().then(() => idle.abort());
  await env.sleep(graceMs, idle.signal);
  if (idle.signal.aborted) return stopped;
  env.log('warn', 'a callback is still running after stopGraceMs; the stop does not wait for it', { name, graceMs });
}

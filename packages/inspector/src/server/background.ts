import { type Env, errorMessageOf } from 'kube-informer/core';

/**
 * Runs work that no caller awaits. A failure is logged and passed to `failed`: an unhandled rejection would
 * end the inspected process.
 */
export async function runInBackground(
  { log }: Pick<Env, 'log'>,
  work: () => void | Promise<void>,
  failed: () => void = () => {},
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log('error', 'the inspector failed', { error: errorMessageOf(error) });
    failed();
  }
}

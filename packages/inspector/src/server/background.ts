import { type Env, errorMessageOf } from 'kube-informer/core';

/**
 * Runs work without a caller that waits for it. A failure is logged and given to `failed`: an unhandled rejection would end the process that
 * is inspected.
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

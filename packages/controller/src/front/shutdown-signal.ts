/* oxlint-disable no-restricted-globals -- the signals of the process are its subject */

/**
 * A signal that aborts when this process is asked to stop: SIGTERM or SIGINT. The second one ends the process at once, with code 1.
 *
 * @example await run([backups], { signal: shutdownSignal() }).ended;
 */
export function shutdownSignal(): AbortSignal {
  const stop = new AbortController();
  const stopOnSignal = (): void => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  };
  process.on('SIGTERM', stopOnSignal);
  process.on('SIGINT', stopOnSignal);
  return stop.signal;
}

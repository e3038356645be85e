/* oxlint-disable no-restricted-globals -- the signals of the process are its subject */

/**
 * A signal that aborts when this process is told to stop: SIGTERM or SIGINT. The second one ends the process at once, with code 1.
 *
 * @example await run([backups], { signal: untilTold() }).ended;
 */
export function untilTold(): AbortSignal {
  const stop = new AbortController();
  const told = (): void => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  };
  process.on('SIGTERM', told);
  process.on('SIGINT', told);
  return stop.signal;
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a check passes; the last failure is part of the error. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 60_000, everyMs = 25, inTheWay = () => '' }: UntilOptions = {},
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`timed out after ${withinMs} ms: ${what}\n${inTheWay()}`);
    await sleep(everyMs);
  }
}

/** The same for a promise, with a deadline. */
export async function within<T>(
  what: string,
  promised: Promise<T>,
  { withinMs = 60_000, inTheWay = () => '' }: Omit<UntilOptions, 'everyMs'> = {},
): Promise<T> {
  const over = new AbortController();
  const late = sleep(withinMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`timed out after ${withinMs} ms: ${what}\n${inTheWay()}`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promised, late]);
  } finally {
    over.abort();
  }
}

export interface UntilOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly inTheWay?: () => string;
}

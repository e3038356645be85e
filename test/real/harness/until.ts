import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is so. What is still in the way at the end is part of the failure. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 60_000, everyMs = 25, inTheWay = () => '' }: UntilOptions = {},
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}\n${inTheWay()}`);
    await sleep(everyMs);
  }
}

export interface UntilOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly inTheWay?: () => string;
}

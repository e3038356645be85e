import { setTimeout as sleep } from 'node:timers/promises';
import { NAMESPACE } from './state.ts';
import type { Watched } from './watched.ts';

/** Every informer has the server's state within this time after the server is back: the bound of G4. */
export const WITHIN_MS = 135_000;
/** Additional time for handlers that are slow on purpose. */
const HANDLED_WITHIN_MS = 120_000;

/** Waits until an informer has the object `last`, and resolves to the errors of its cache; nothing changes meanwhile. */
export async function settle(one: Watched, last: string): Promise<string[]> {
  const { informer, name, figures } = one;
  const startedAt = Date.now();
  const isCurrent = (): boolean => informer.get(`${NAMESPACE}/${last}`) !== undefined;
  while (!isCurrent() && Date.now() - startedAt < WITHIN_MS) await sleep(100);
  if (!isCurrent())
    return [`${name}: not caught up within ${WITHIN_MS / 1_000} s: ${JSON.stringify(informer.timeline.slice(-8))}`];
  figures.longestSettleMs = Math.max(figures.longestSettleMs, Date.now() - startedAt);
  const deadline = Date.now() + HANDLED_WITHIN_MS;
  while (informer.health().handlers.some(({ pending }) => pending > 0) && Date.now() < deadline) await sleep(100);
  const { consistent, missing, extra, different } = await informer.verify();
  one.sample();
  return [
    ...(consistent ? [] : [`${name}: differs from the server: ${JSON.stringify({ missing, extra, different })}`]),
    ...one.disagreements(),
  ];
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Watched } from './watched.ts';
import { NAMESPACE } from './world.ts';

/** How long peace may take to come everywhere: the bound of G4 and a busy machine. */
const WITHIN_MS = 240_000;

/** Waits until an informer knows the object `last`, and says what is wrong with what it knows; nothing changes meanwhile. */
export async function settle(one: Watched, last: string): Promise<string[]> {
  const { informer, name } = one;
  const deadline = Date.now() + WITHIN_MS;
  const isCurrent = (): boolean => informer.get(`${NAMESPACE}/${last}`) !== undefined;
  while (!isCurrent() && Date.now() < deadline) await sleep(100);
  if (!isCurrent()) return [`${name}: never caught up: ${JSON.stringify(informer.state)}`];
  while (informer.health().handlers.some(({ pending }) => pending > 0) && Date.now() < deadline) await sleep(100);
  const { consistent, missing, extra, different } = await informer.verify();
  one.sample();
  return [
    ...(consistent ? [] : [`${name}: differs from the server: ${JSON.stringify({ missing, extra, different })}`]),
    ...one.disagreements(),
  ];
}

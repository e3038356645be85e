import type { CacheSummary } from '../../src/protocol/messages.ts';
import { pluralFigureText, spanFigureText } from './figure-text.ts';

/** The most important thing about all informers, in one sentence. */
export function headlineOf(
  caches: readonly CacheSummary[],
  now: number,
): { readonly tone: string; readonly text: string } {
  if (caches.length === 0) return { tone: 'plain', text: 'This process has no informers yet' };
  const behind = caches.filter(({ state }) => state === 'stale' || state === 'stopped');
  const starting = caches.filter(({ state }) => state === 'starting' || state === 'idle');
  const polled = caches.filter(({ state }) => state === 'polling');
  const [first] = behind;
  if (first !== undefined) {
    const since =
      first.problem === undefined ? '' : `: ${first.problem.reason} for ${spanFigureText(now - first.problem.since)}`;
    if (behind.length === 1) return { tone: 'bad', text: `${first.id} is ${first.state}${since}` };
    return { tone: 'bad', text: `${behind.length} of ${caches.length} informers are not up to date${since}` };
  }
  if (starting.length > 0)
    return {
      tone: 'warn',
      text: `${caches.length - starting.length} of ${pluralFigureText(caches.length, 'informer')} synced`,
    };
  const [slow] = polled;
  if (slow !== undefined) {
    const reason = slow.problem === undefined ? '' : `: ${slow.problem.reason}`;
    return {
      tone: 'warn',
      text: `${polled.length} of ${pluralFigureText(caches.length, 'informer')} seconds late${reason}`,
    };
  }
  return { tone: 'good', text: `${pluralFigureText(caches.length, 'informer')}, all up to date` };
}

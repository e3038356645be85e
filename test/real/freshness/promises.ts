import type { InformerState } from 'kube-informer/informer';

/** The longest time between two rounds of an informer that polls alone. */
const POLL_SECONDS = 5;

/** How far behind the server a cache may be while its state says this; other states promise nothing. */
export const PROMISED_MS: Readonly<Record<string, number>> = {
  synced: 75_000,
  polling: (2 * POLL_SECONDS + 5) * 1_000,
};

/** For timers of a busy machine and the time between two samples. */
export const SLACK_MS = 1_500;

/** The reason of a state and the text of its error. */
export function wordsOf(state: InformerState): string {
  const { kind, reason = '', error = '' } = state as { kind: string; reason?: string; error?: unknown };
  return [kind, reason, ...messagesOf(error)].join(' ').trim();
}

function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  return [error.message, ...(error.cause === undefined ? [] : messagesOf(error.cause))];
}

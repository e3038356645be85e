import { type Env, KubeError, linkedAbort } from 'kube-informer/core';
import { shareAbort } from './shared-abort.ts';

/** Time that a run has to end after its signal was aborted. Then it is hung. */
export const HUNG_AFTER_MS = 10_000;

/** Abort reason that no code reads. The default, a DOMException with its stack, costs more than a run that does nothing. */
const OVER = 'over';

export type Ended<R> =
  | { readonly kind: 'value'; readonly value: R }
  | { readonly kind: 'error'; readonly error: unknown };

export interface Supervised<R> {
  /** Resolves when the run has ended, or is hung. Never rejects. */
  readonly freed: Promise<Ended<R> | { readonly kind: 'hung' }>;
  /** Resolves when the run has ended. Never rejects, and may never resolve. */
  readonly ended: Promise<Ended<R>>;
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  /** Whether it exceeded its time. */
  readonly timedOut: boolean;
}

/**
 * Runs `work` with a signal that aborts after `timeoutMs` or with `parent`. A run that ignores its signal
 * counts as hung after 10 s; it still exists, and `ended` resolves when it ends.
 */
export function supervise<R>(
  work: (signal: AbortSignal) => Promise<R>,
  { env, parent, timeoutMs }: { readonly env: Env; readonly parent: AbortSignal; readonly timeoutMs: number },
): Supervised<R> {
  const link = linkedAbort(parent);
  shareAbort(link.signal); // a run may send many requests at once
  const over = new AbortController();
  let timedOut = false;
  let free: (value: Ended<R> | { readonly kind: 'hung' }) => void = () => {};
  const freed = new Promise<Ended<R> | { readonly kind: 'hung' }>((resolve) => (free = resolve));
  const aborted = async (): Promise<void> => {
    await env.sleep(HUNG_AFTER_MS, over.signal);
    if (!over.signal.aborted) free({ kind: 'hung' });
  };
  if (link.signal.aborted) void aborted();
  else link.signal.addEventListener('abort', () => void aborted(), { once: true });
  // Before the work begins, which may take its time before its first await.
  void env.sleep(timeoutMs, over.signal).then(() => {
    if (over.signal.aborted || link.signal.aborted) return;
    timedOut = true;
    link.abort(new KubeError('RUN_ABORTED', `the run took longer than ${timeoutMs} ms and was aborted`));
  });
  const ended: Promise<Ended<R>> = work(link.signal)
    .then(
      (value): Ended<R> => ({ kind: 'value', value }),
      (error: unknown): Ended<R> => ({ kind: 'error', error }),
    )
    .finally(() => {
      over.abort(OVER);
      link[Symbol.dispose]();
    });
  void ended.then(free);
  return {
    freed,
    ended,
    signal: link.signal,
    abort: (reason) => link.abort(reason),
    get timedOut() {
      return timedOut;
    },
  };
}

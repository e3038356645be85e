import { requireKnown, requireOption } from 'kube-informer/core';
import type { ReconcileResult } from './reconcile.ts';

/** Throws INVALID_OPTION unless it is a valid result. */
export function checkResult(result: ReconcileResult): void {
  if (result === undefined) return;
  const what = 'result of reconcile';
  // A generator is an object, too: its body never runs.
  const isIterable = (one: object): boolean => Symbol.iterator in one || Symbol.asyncIterator in one;
  const isObject = typeof result === 'object' && result !== null && !isIterable(result);
  requireOption(isObject, what, 'nothing or { requeueAfterMs }', result);
  requireKnown(what, result, { requeueAfterMs: true, priority: true });
  const { requeueAfterMs = 0, priority = 0 } = result;
  const isTime = Number.isFinite(requeueAfterMs) && requeueAfterMs >= 0;
  requireOption(isTime, `${what}: requeueAfterMs`, 'a number of milliseconds >= 0', requeueAfterMs);
  requireOption(Number.isFinite(priority), `${what}: priority`, 'a number', priority);
}

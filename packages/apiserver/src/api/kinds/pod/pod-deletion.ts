import type { ApiObject } from '../../../core/kube-object.ts';
import { serverTimestamp } from '../../../core/server-timestamp.ts';
import { fieldsAt, numberField, specFields, textField } from '../common/fields.ts';

/** The metadata that a DELETE writes into a pod. With 0 seconds the pod is removed right after that write. */
export interface PodGrace {
  readonly deletionTimestamp: string;
  readonly deletionGracePeriodSeconds: number;
}

/**
 * The grace period of a pod after a DELETE with `askedSeconds`, or with the pod's own.
 *
 * Undefined if the DELETE changes nothing: the pod is already terminating, and the period can only become
 * shorter.
 */
export function podDeletionSeconds(
  pod: ApiObject,
  askedSeconds: number | undefined,
  nowMs: number,
): PodGrace | undefined {
  const asked = askedSeconds !== undefined && askedSeconds < 0 ? 1 : askedSeconds;
  const { deletionTimestamp, deletionGracePeriodSeconds: current = 0 } = pod.metadata ?? {};
  if (deletionTimestamp === undefined) return podDeletionUntil(nowMs, firstPodDeletionPeriod(pod, asked));
  if (current === 0) return { deletionTimestamp, deletionGracePeriodSeconds: 0 };
  if (asked === undefined || asked >= current) return undefined;
  // Counted from the first DELETE, but never into the past.
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const startMs = Date.parse(deletionTimestamp) - current * 1000;
  const endMs = Math.max(startMs + asked * 1000, nowMs);
  return { deletionTimestamp: serverTimestamp(endMs), deletionGracePeriodSeconds: asked };
}

const podDeletionUntil = (nowMs: number, seconds: number): PodGrace => ({
  deletionTimestamp: serverTimestamp(nowMs + seconds * 1000),
  deletionGracePeriodSeconds: seconds,
});

function firstPodDeletionPeriod(pod: ApiObject, asked: number | undefined): number {
  const spec = specFields(pod);
  const phase = textField(fieldsAt(pod, 'status'), 'phase');
  // No kubelet runs it, so nothing has to stop it.
  if (textField(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const period = asked ?? numberField(spec, 'terminationGracePeriodSeconds') ?? 0;
  return period < 0 ? 1 : period;
}

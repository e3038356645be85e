import type { KubeObject } from 'kube-informer';

/** The user whose requests the faults of access and priority aim at; an administrator is above such things. */
export const USER = 'chaos';
export const NAMESPACE = 'chaos';

/** One object as somebody has it. */
export interface State {
  readonly version: string;
  /** What was written into it. */
  readonly content: string;
}

export const stateOf = (object: KubeObject): State => ({
  version: object.metadata?.resourceVersion ?? '',
  content: JSON.stringify((object as { data?: unknown }).data ?? null),
});

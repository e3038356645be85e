import type { KubeObject } from 'kube-informer';

/** The user of faults about access and priority; an administrator is exempt from them. */
export const USER = 'chaos';
export const NAMESPACE = 'chaos';

/** The state of one object in a cache, a view or a list. */
export interface State {
  readonly version: string;
  /** The content that was written. */
  readonly content: string;
}

export const stateOf = (object: KubeObject): State => ({
  version: object.metadata?.resourceVersion ?? '',
  content: JSON.stringify((object as { data?: unknown }).data ?? null),
});

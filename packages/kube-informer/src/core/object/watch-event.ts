import type { Status } from '../errors.ts';
import type { KubeObject } from './object.ts';

/** One frame of a watch, decoded and not yet interpreted. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Only kind, resourceVersion and annotations are set. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status };

/** Annotation with the value "true" on the bookmark that ends the initial events of a watch-list. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

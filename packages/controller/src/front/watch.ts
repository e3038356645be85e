import type { Resources } from '@kube-informer/kubernetes';
import type { Cluster, KubeObject, Live } from 'kube-informer';
import type { BuiltInResource, ObjectNamed, ResourceNameFor } from 'kube-informer/client';
import {
  type FieldSelectorLike,
  type Key,
  type KnownOptions,
  type LabelSelectorLike,
  requireKnown,
  requireOption,
  type UserCode,
} from 'kube-informer/core';

/** The mapping from objects of another resource to keys of the controller, and the scope of their cache. */
export interface WatchOptions<W extends KubeObject> {
  /** An index of the controller: runs every object that has the value there. */
  readonly index?: string;
  /** The value that is looked up in `index`. @default the key of the watched object */
  readonly value?: UserCode<(object: Live<W>) => string | readonly string[] | undefined>;
  /** The keys to run, computed from a watched object; used instead of `index`. */
  readonly keys?: UserCode<(object: Live<W>) => Key | Iterable<Key> | undefined>;
  /** Caches names, labels, owners and other metadata only. @default false */
  readonly metadataOnly?: boolean;
  /** @default that of the controller; none for a cluster-scoped resource */
  readonly namespace?: string | readonly string[];
  readonly labels?: LabelSelectorLike;
  readonly fields?: FieldSelectorLike;
  /** @default the cluster of the controller */
  readonly cluster?: Cluster;
}

const WATCH_OPTIONS: KnownOptions<WatchOptions<KubeObject>> = {
  index: true,
  value: true,
  keys: true,
  metadataOnly: true,
  namespace: true,
  labels: true,
  fields: true,
  cluster: true,
};

/** Objects of another resource whose changes run objects of the controller. Made by `watch()`. */
export interface Watch {
  readonly kind: 'watch';
  readonly resource: string;
  readonly options: WatchOptions<KubeObject>;
}

/** Values from outside that run objects of the controller. Made by `source()`. */
export interface Source {
  readonly kind: 'source';
  readonly values: AsyncIterable<unknown> | Iterable<unknown>;
  readonly keys: UserCode<(value: unknown) => Key | Iterable<Key> | undefined>;
}

/**
 * Runs objects of the controller when objects of another resource change: those that an index names, or those that `keys` returns.
 * Both the old and the new state of a changed object are looked up.
 *
 * @example watch('v1/secrets', { index: 'secret', metadataOnly: true })
 */
export function watch<K extends BuiltInResource>(resource: K, options: WatchOptions<Resources[K]>): Watch;
export function watch<W extends KubeObject = never, N extends string = string>(
  resource: ResourceNameFor<W, N>,
  options: WatchOptions<ObjectNamed<W, N>>,
): Watch;
export function watch(resource: string, options: WatchOptions<KubeObject>): Watch {
  requireKnown('watch', options, WATCH_OPTIONS);
  const { index, keys, value } = options;
  requireOption((index === undefined) !== (keys === undefined), `watch ${resource}`, 'either index or keys', options);
  requireOption(value === undefined || index !== undefined, `watch ${resource}`, 'value only with index', options);
  return { kind: 'watch', resource, options };
}

/**
 * Runs objects of the controller for each value of an iterable: a webhook's queue, a timer, a message bus.
 *
 * @example source(renewals, ({ route }) => route)
 */
export function source<V>(
  values: AsyncIterable<V> | Iterable<V>,
  keys: UserCode<(value: V) => Key | Iterable<Key> | undefined>,
): Source {
  const isIterable =
    typeof values === 'object' && values !== null && (Symbol.asyncIterator in values || Symbol.iterator in values);
  requireOption(isIterable, 'source', 'an iterable', values);
  requireOption(typeof keys === 'function', 'source', 'a function that returns keys', keys);
  return { kind: 'source', values, keys: keys as Source['keys'] };
}

import type { Resources } from '@kube-informer/kubernetes';
import type { Key, KubeObject, Live, Log } from 'kube-informer';
import type {
  ApplyConflict,
  BuiltInResource,
  DeleteOptions,
  ObjectNamed,
  Partially,
  PatchOptions,
  ResourceNameFor,
} from 'kube-informer/client';
import type { LabelSelectorLike } from 'kube-informer/core';
import type { BoundClient } from '../freshness/bound-client.ts';

/** When to run the object again. Without a result, it runs when something changes. */
export type ReconcileResult = void | {
  readonly requeueAfterMs?: number;
  /** Priority of the next run. @default that of this one */
  readonly priority?: number;
};

/** The outcome of an apply. `conflict`: other managers own some of its fields, and nothing was written. */
export type Applied<C extends KubeObject> =
  | { readonly outcome: 'created' | 'changed' | 'unchanged'; readonly object: Live<C> }
  | { readonly outcome: 'conflict'; readonly conflicts: readonly ApplyConflict[] };

export interface ApplyChildOptions {
  /** Takes over fields that other managers own. @default true for children, false without an owner */
  readonly force?: boolean;
  /** False for an object that does not belong to this run's object and is not deleted with it. */
  readonly owner?: false;
}

export interface ListChildrenQuery {
  readonly namespace?: string;
  readonly labels?: LabelSelectorLike;
}

/** The type of an object's status. */
export type StatusOf<T> = T extends { readonly status?: infer S } ? NonNullable<S> : object;

/** Collects the status; it is written once, after the run, if it differs. */
export interface RunStatus<T extends KubeObject> {
  /** Sets fields of the status; others stay as they are. */
  set(part: Partially<StatusOf<T>>): void;
  /** Sets a condition. Its `lastTransitionTime` changes only with its status. */
  condition(
    type: string,
    status: boolean | 'Unknown',
    about: { readonly reason: string; readonly message?: string },
  ): void;
}

/** Events about this run's object. Never block and never throw. */
export interface RunEvents {
  normal(reason: string, note: string): void;
  warning(reason: string, note: string): void;
}

export interface GetFromCache {
  <K extends BuiltInResource>(resource: K, key: Key): Live<Resources[K]> | undefined;
  <C extends KubeObject = never, N extends string = string>(
    resource: ResourceNameFor<C, N>,
    key: Key,
  ): Live<C> | undefined;
}

export interface ListFromCache {
  <K extends BuiltInResource>(resource: K, query?: ListChildrenQuery): Live<Resources[K]>[];
  <C extends KubeObject = never, N extends string = string>(
    resource: ResourceNameFor<C, N>,
    query?: ListChildrenQuery,
  ): Live<C>[];
}

export interface OwnedInCache {
  <K extends BuiltInResource>(resource: K): Live<Resources[K]>[];
  <C extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<C, N>): Live<C>[];
}

export interface ApplyChild {
  <K extends BuiltInResource>(
    resource: K,
    object: Partially<Resources[K]>,
    options?: ApplyChildOptions,
  ): Promise<Applied<Resources[K]>>;
  <C extends KubeObject = never, N extends string = string>(
    resource: ResourceNameFor<C, N>,
    object: Partially<ObjectNamed<C, N>>,
    options?: ApplyChildOptions,
  ): Promise<Applied<C>>;
}

/**
 * One run: the object as it is now, reads from the caches, and writes on its behalf.
 *
 * Reads see what this run has written. Writes are refused after an abort, and the next run of this key waits until the caches have
 * them. All methods are bound, so they can be destructured.
 */
export interface Reconcile<T extends KubeObject> {
  readonly key: Key;
  readonly name: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly object: Live<T>;
  /** Aborts after `timeoutMs`, when the object is gone, at the end of a stop, and when the lease is lost. */
  readonly signal: AbortSignal;
  /** 1 for the first try, 2 for the first retry. */
  readonly attempt: number;
  /** Why this run takes place. */
  readonly reasons: readonly string[];
  readonly log: Log;
  /** Whether the caches were shown to have what the last run wrote. */
  readonly fresh: boolean;
  /** Number of times the lease has changed hands, to pass to external systems; undefined without election. */
  readonly fence: number | undefined;

  /** Reads an object of a declared resource from its cache. */
  readonly get: GetFromCache;
  readonly list: ListFromCache;
  /** Objects of a resource in `owns` whose controller is this run's object. */
  readonly owned: OwnedInCache;
  /** Objects of this controller's own resource, by one of its `indexers`. */
  readonly byIndex: (index: string, value: string) => Live<T>[];

  /** Server-side apply of a child: owner reference and field manager are added. */
  readonly apply: ApplyChild;
  /** Patches this run's object: a merge patch, or a list of JSON patch operations. */
  readonly patch: (change: Partially<T> | object, options?: PatchOptions) => Promise<Live<T>>;
  /** Deletes an object. One that is gone already is a success. */
  readonly delete: (resource: string, key: Key, options?: DeleteOptions) => Promise<void>;
  /** A client with every verb, which sends requests to the server. */
  readonly client: BoundClient;
  readonly status: RunStatus<T>;
  readonly event: RunEvents;
}

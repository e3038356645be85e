import type { KubeObject, Live } from 'kube-informer';
import {
  FieldSelector,
  type FieldSelectorLike,
  type Key,
  type KnownOptions,
  LabelSelector,
  type LabelSelectorLike,
  requireKnown,
  requireOption,
  type UserCode,
} from 'kube-informer/core';
import { type Retry, retryOptions } from '../run/retry.ts';
import type { On } from '../sources/relevant-change.ts';
import type { Reconcile, ReconcileResult } from './reconcile.ts';
import type { Source, Watch } from './watch.ts';

/** A part of the keys that this process is responsible for. Keys outside do not run, and writes for them are refused. */
export interface ControllerScope {
  holds(key: Key, object: KubeObject | undefined): boolean;
}

export interface ControllerOptions<T extends KubeObject> {
  /**
   * Name of lower-case letters, digits and dashes. It is also the field manager and a label of metrics, so it
   * must be unique among the controllers that run with one `Cluster` or one `metrics`.
   */
  readonly name: string;
  /** Makes the actual state match the object. Throw an error to be retried with backoff. */
  readonly reconcile: UserCode<(run: Reconcile<T>) => ReconcileResult | Promise<ReconcileResult>>;
  /**
   * Undoes what `reconcile` did before the object is deleted. With it, the controller adds a finalizer, and
   * removes it after a cleanup has succeeded.
   */
  readonly cleanup?: UserCode<(run: Reconcile<T>) => unknown>;
  /**
   * Called after an object is gone, with its last known state. Not called for objects that were deleted while
   * no process was running.
   */
  readonly deleted?: UserCode<(gone: { readonly key: Key; readonly last: Live<T> }) => unknown>;
  /** Resources of children: a change of one runs its owner. */
  readonly owns?: readonly string[];
  readonly watches?: readonly (Watch | Source)[];
  /** Indexes of this controller's own resource, for `watch` and `byIndex`. */
  readonly indexers?: Readonly<Record<string, UserCode<(object: Live<T>) => readonly string[]>>>;
  /** @default all namespaces */
  readonly namespace?: string | readonly string[];
  readonly labels?: LabelSelectorLike;
  readonly fields?: FieldSelectorLike;
  /** Maximum number of keys that run at the same time. @default 4 */
  readonly concurrency?: number;
  /** Maximum time of a run. @default 120_000 */
  readonly timeoutMs?: number;
  readonly retry?: Retry;
  /**
   * The updates that cause a run. `spec`: all but those of the status. A function gets both states.
   * @default 'spec' for custom resources, 'any' for built-in ones
   */
  readonly on?: On | UserCode<(old: Live<T>, object: Live<T>) => boolean>;
  /** Time that a first event waits for others, so that they cause one run. @default 0 */
  readonly settleMs?: number;
  /** Runs every object at least this often, ± 10 %. @default never without a reason */
  readonly atLeastEveryMs?: number;
  /** Deletes children that a successful run did not apply. @default false */
  readonly prune?: boolean;
  /** @default `<group>/<name>`; with a built-in resource, `cleanup` needs one: `example.com/<name>` */
  readonly finalizer?: string;
  /** Finalizers of older versions, which are removed. */
  readonly retiredFinalizers?: readonly string[];
  /** Whether ready keys still run after a stop. @default false: the next leader finds them */
  readonly drain?: boolean;
  readonly scope?: UserCode<ControllerScope>;
  /** False to run in every replica, also in those that do not lead. */
  readonly election?: false;
}

export const CONTROLLER_OPTIONS: KnownOptions<ControllerOptions<KubeObject>> = {
  name: true,
  reconcile: true,
  cleanup: true,
  deleted: true,
  owns: true,
  watches: true,
  indexers: true,
  namespace: true,
  labels: true,
  fields: true,
  concurrency: true,
  timeoutMs: true,
  retry: true,
  on: true,
  settleMs: true,
  atLeastEveryMs: true,
  prune: true,
  finalizer: true,
  retiredFinalizers: true,
  drain: true,
  scope: true,
  election: true,
};

/** Each worker is an object that waits; a number that stands for "no limit" would fill the memory. */
const MAX_CONCURRENCY = 10_000;
/** What a server accepts: a DNS name of at most 253 characters, and a name of at most 63. */
const FINALIZER =
  /^(?=.{1,253}\/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Throws INVALID_OPTION for a mistake that can be found without a server. */
export function checkControllerOptions(resource: string, options: ControllerOptions<KubeObject>): void {
  requireKnown('controller', options, CONTROLLER_OPTIONS);
  const { name, reconcile, cleanup, concurrency = 1, timeoutMs = 1, settleMs = 0, atLeastEveryMs = 1 } = options;
  const isName = typeof name === 'string' && /^[a-z0-9-]{1,63}$/.test(name);
  requireOption(isName, 'name', '1 to 63 lower-case letters, digits and dashes', name);
  requireControllerResource('resource', resource);
  requireOption(typeof reconcile === 'function', 'reconcile', 'a function', reconcile);
  requireOption(cleanup === undefined || typeof cleanup === 'function', 'cleanup', 'a function', cleanup);
  const isCount = Number.isInteger(concurrency) && concurrency > 0 && concurrency <= MAX_CONCURRENCY;
  requireOption(isCount, 'concurrency', `a whole number from 1 to ${MAX_CONCURRENCY}`, concurrency);
  requireOption(
    isControllerOptionMs(timeoutMs) && timeoutMs > 0,
    'timeoutMs',
    'a number of milliseconds > 0',
    timeoutMs,
  );
  const isPause = isControllerOptionMs(settleMs) && settleMs < Infinity;
  requireOption(isPause, 'settleMs', 'a number of milliseconds >= 0', settleMs);
  requireOption(
    isControllerOptionMs(atLeastEveryMs) && atLeastEveryMs > 0,
    'atLeastEveryMs',
    'a number of milliseconds > 0',
    atLeastEveryMs,
  );
  retryOptions(options.retry);
  checkControllerOptionKinds(options);
  for (const finalizer of [options.finalizer, ...(options.retiredFinalizers ?? [])]) {
    const isQualified = finalizer === undefined || (typeof finalizer === 'string' && FINALIZER.test(finalizer));
    requireOption(isQualified, 'finalizer', 'domain/name, where the name has 63 characters at most', finalizer);
  }
  if (cleanup !== undefined && isControllerResourceBuiltIn(resource)) {
    const expected = `a name of yours, because ${resource} is built in and there is a cleanup: finalizer: 'example.com/${name}'`;
    requireOption(options.finalizer !== undefined, 'finalizer', expected, undefined);
  }
  const own = controllerFinalizer(resource, options);
  const isRetired = own !== undefined && options.retiredFinalizers?.includes(own) === true;
  requireOption(!isRetired, 'retiredFinalizers', 'finalizers of older versions, not the one of this cleanup', own);
  const indexes = Object.keys(options.indexers ?? {});
  for (const one of options.watches ?? []) {
    requireOption(one?.kind === 'watch' || one?.kind === 'source', 'watches', 'results of watch() or source()', one);
    if (one.kind !== 'watch' || one.options.index === undefined) continue;
    const known = `one of the indexers: ${indexes.join(', ') || 'there are none'}`;
    requireOption(indexes.includes(one.options.index), `watch ${one.resource}: index`, known, one.options.index);
  }
}

/** `<group>/<name>`, unless the controller names one. Undefined without a cleanup. */
export function controllerFinalizer(resource: string, options: ControllerOptions<KubeObject>): string | undefined {
  const { cleanup, name, finalizer = `${resource.split('/')[0]}/${name}` } = options;
  return cleanup === undefined ? undefined : finalizer;
}

/**
 * Checks the types of options, which the compiler would refuse. Otherwise a mistake would show as an operator
 * that ends or does nothing.
 */
function checkControllerOptionKinds(options: ControllerOptions<KubeObject>): void {
  const {
    owns = [],
    watches = [],
    indexers = {},
    namespace = [],
    labels = '',
    fields = '',
    on,
    deleted,
    scope,
    prune = false,
    drain = false,
    election = false,
  } = options;
  requireOption(Array.isArray(owns), 'owns', 'a list of resources, such as ["v1/configmaps"]', owns);
  for (const one of owns) requireControllerResource('owns', one);
  requireOption(Array.isArray(watches), 'watches', 'a list of results of watch() or source()', watches);
  for (const [name, indexer] of Object.entries(indexers))
    requireOption(typeof indexer === 'function', `indexers.${name}`, 'a function that returns values', indexer);
  const areNames =
    options.namespace === undefined ||
    ([namespace].flat().length > 0 && [namespace].flat().every((one) => typeof one === 'string'));
  requireOption(areNames, 'namespace', 'a name, or a list of names', namespace);
  LabelSelector.of(labels);
  FieldSelector.of(fields);
  const isFilter = on === undefined || on === 'spec' || on === 'any' || typeof on === 'function';
  requireOption(isFilter, 'on', '"spec", "any" or a function', on);
  requireOption(deleted === undefined || typeof deleted === 'function', 'deleted', 'a function', deleted);
  for (const [name, value] of Object.entries({ prune, drain, election }))
    requireOption(typeof value === 'boolean', name, 'true or false', value);
  const isScope = scope === undefined || typeof (scope as Partial<ControllerScope>).holds === 'function';
  requireOption(isScope, 'scope', 'an object with a function `holds`', scope);
}

function requireControllerResource(option: string, resource: unknown): void {
  const isResource = typeof resource === 'string' && /^[^\s/]+(\/[^\s/]+){1,2}$/.test(resource);
  requireOption(isResource, option, 'a full name, such as "v1/pods" or "apps/v1/deployments"', resource);
}

/** Whether its group belongs to Kubernetes: `v1`, `apps`, `networking.k8s.io`. A finalizer is named by a domain of the controller. */
function isControllerResourceBuiltIn(resource: string): boolean {
  const [group = '', , plural] = resource.split('/');
  return plural === undefined || !group.includes('.') || group.endsWith('.k8s.io');
}

const isControllerOptionMs = (value: unknown): value is number => typeof value === 'number' && value >= 0;

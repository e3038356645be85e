import type { ApiResource } from 'kube-informer/client';
import { type Env, errorMessageOf, guardedPromise, isNotFound, type KubeObject } from 'kube-informer/core';
import type { BoundClient } from '../freshness/bound-client.ts';
import type { ControllerDefinition } from '../front/controller.ts';
import type { Reconcile, ReconcileResult } from '../front/reconcile.ts';
import { addFinalizer, finalizerWaitMs, finalizerStep, removeFinalizers } from '../objects/finalizer.ts';
import { pruneOwned } from '../objects/prune-owned.ts';
import { isTerminal } from '../run/terminal.ts';
import type { RunContext } from './run-context.ts';

/** Pause after others changed the finalizers of an object in every attempt, or a child that is to be deleted. */
const CONTENDED_MS = 1_000;
/** A deletion that waits for a cleanup longer than this is reported. */
const MAX_DELETION_MS = 300_000;

/** The next task for an object whose finalizers are in order. */
export type ObjectTask =
  | { readonly kind: 'reconcile' | 'cleanup'; readonly object: KubeObject }
  | { readonly kind: 'nothing'; readonly result?: ReconcileResult };

/** `<group>/<controller>`, unless the controller names one. Undefined without a cleanup. */
export function runStepFinalizer(
  { options, name }: ControllerDefinition,
  kind: ApiResource | undefined,
): string | undefined {
  return options.cleanup === undefined ? undefined : (options.finalizer ?? defaultRunStepFinalizer(name, kind));
}

const defaultRunStepFinalizer = (name: string, kind: ApiResource | undefined): string => `${kind?.group ?? ''}/${name}`;

/** A finalizer of this controller that blocks a deletion, although the controller has no cleanup: an older version had one. */
export function abandonedRunStepFinalizer(
  { options, name }: ControllerDefinition,
  kind: ApiResource | undefined,
  { metadata = {} }: KubeObject,
): string | undefined {
  if (options.cleanup !== undefined || metadata.deletionTimestamp === undefined) return undefined;
  const finalizer = options.finalizer ?? defaultRunStepFinalizer(name, kind);
  const isRetired = options.retiredFinalizers?.includes(finalizer) === true;
  return metadata.finalizers?.includes(finalizer) === true && !isRetired ? finalizer : undefined;
}

/** The task for an object whose finalizers are in order; undefined: `prepareRunStepObject` must write them first. */
export function readyRunStepObject(
  { options: { retiredFinalizers = [] } }: ControllerDefinition,
  { object, finalizer }: { readonly object: KubeObject; readonly finalizer: string | undefined },
): ObjectTask | undefined {
  if (retiredFinalizers.some((name) => object.metadata?.finalizers?.includes(name))) return undefined;
  if (finalizer === undefined) return { kind: 'reconcile', object };
  const step = finalizerStep(object, finalizer);
  if (step === 'add') return undefined;
  return step === 'none' ? { kind: 'nothing' } : { kind: step, object };
}

/** Adds the finalizer before the first reconcile, and removes retired ones. The run continues with the response. */
export async function prepareRunStepObject(
  client: BoundClient,
  definition: ControllerDefinition,
  { object, finalizer }: { readonly object: KubeObject; readonly finalizer: string | undefined },
): Promise<ObjectTask> {
  const own = client.resource<KubeObject>(definition.resource);
  const retired = (definition.options.retiredFinalizers ?? []).filter((name) =>
    object.metadata?.finalizers?.includes(name),
  );
  let current = object;
  if (retired.length > 0) {
    const removed = await removeFinalizers(own, object, retired);
    if (removed.outcome === 'contended') return { kind: 'nothing', result: { requeueAfterMs: CONTENDED_MS } };
    if (removed.outcome === 'gone') return { kind: 'nothing' };
    current = removed.object;
  }
  const ready = readyRunStepObject(definition, { object: current, finalizer });
  if (ready !== undefined) return ready;
  if (finalizer === undefined) return { kind: 'nothing', result: { requeueAfterMs: CONTENDED_MS } };
  const added = await addFinalizer(own, current, finalizer);
  if (added.outcome === 'contended') return { kind: 'nothing', result: { requeueAfterMs: CONTENDED_MS } };
  return added.outcome === 'done' ? { kind: 'reconcile', object: added.object } : { kind: 'nothing' };
}

export interface RunStepsOptions {
  readonly env: Env;
  readonly definition: ControllerDefinition;
  readonly task: 'reconcile' | 'cleanup';
  readonly finalizer: string | undefined;
  readonly context: RunContext;
  /**
   * Keys of the children that the run applied or tried to apply, by resource: a child whose apply failed is
   * still wanted.
   */
  readonly applied: ReadonlyMap<string, ReadonlySet<string>>;
  /** Writes the status. */
  readonly flushed: () => Promise<void>;
}

/**
 * Runs the steps of a run: the user's function; the status, also after a failure; then the steps that need a
 * success. A cleanup that throws keeps the finalizer, a reconcile that throws prunes nothing.
 */
export async function runSteps(options: RunStepsOptions): Promise<ReconcileResult> {
  const { definition, task, context, flushed } = options;
  const { reconcile, cleanup } = definition.options;
  let failure: { readonly error: unknown } | undefined;
  let result: ReconcileResult = undefined;
  try {
    if (task === 'reconcile') result = await guardedPromise(reconcile)(context.run);
    else if (cleanup !== undefined) await guardedPromise(cleanup)(context.run);
  } catch (error) {
    failure = { error };
  }
  try {
    await flushed();
  } catch (error) {
    // An object that is gone has no status, and needs none. Otherwise the first failure is the one to repair.
    if (!isNotFound(error)) failure ??= { error };
  }
  if (failure !== undefined) {
    if (task === 'cleanup') runStepToReportDeletion(options, failure.error);
    throw failure.error;
  }
  if (task === 'cleanup') return runStepToRemoveFinalizer(options);
  if (definition.options.prune !== true || (await runStepToPruneChildren(options))) return result;
  return { ...result, requeueAfterMs: Math.min(result?.requeueAfterMs ?? CONTENDED_MS, CONTENDED_MS) };
}

async function runStepToRemoveFinalizer({ definition, finalizer, context }: RunStepsOptions): Promise<ReconcileResult> {
  if (finalizer === undefined) return undefined;
  const own = context.client.resource<KubeObject>(definition.resource);
  const removed = await removeFinalizers(own, context.current(), [finalizer]);
  return removed.outcome === 'contended' ? { requeueAfterMs: CONTENDED_MS } : undefined;
}

/** Deletes children that the run did not apply. Resolves false if some may be left that only another run can delete. */
async function runStepToPruneChildren({ definition, context, applied }: RunStepsOptions): Promise<boolean> {
  const { run, client } = context;
  let isComplete = true;
  for (const resource of definition.options.owns ?? []) {
    const pruned = await pruneOwned(client.resource<KubeObject>(resource), ownedInRunStep(run, resource), {
      owner: run.object,
      applied: applied.get(resource) ?? new Set(),
      succeeded: true,
      fresh: run.fresh,
    });
    isComplete &&= pruned.isComplete;
  }
  return isComplete;
}

const ownedInRunStep = (run: Reconcile<KubeObject>, resource: string): KubeObject[] => run.owned<KubeObject>(resource);

/**
 * Reports, as an event, a deletion that has waited for long, or waits for good because of an error that is
 * not retried.
 */
function runStepToReportDeletion({ env, definition, context, finalizer }: RunStepsOptions, error: unknown): void {
  const waitMs = finalizerWaitMs(context.run.object, env.wallNow()) ?? 0;
  const what = `the cleanup of ${definition.name} fails; finalizer ${finalizer}`;
  if (isTerminal(error)) context.run.event.warning('DeletionBlocked', `${what}: ${errorMessageOf(error)}`);
  else if (waitMs >= MAX_DELETION_MS) context.run.event.warning('DeletionBlocked', what);
}

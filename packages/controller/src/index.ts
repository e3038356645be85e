/** Kubernetes controllers: `controller()` defines one, `run()` starts it. */
export type { Live } from 'kube-informer';
export type { BoundClient, BoundResource } from './freshness/bound-client.ts';
export type { ControllerOptions, ControllerScope } from './front/controller-options.ts';
export { type Controller, controller } from './front/controller.ts';
export type {
  Applied,
  ApplyChild,
  ApplyChildOptions,
  GetFromCache,
  ListChildrenQuery,
  ListFromCache,
  OwnedInCache,
  Reconcile,
  ReconcileResult,
  RunEvents,
  RunStatus,
  StatusOf,
} from './front/reconcile.ts';
export { type Source, source, type Watch, watch, type WatchOptions } from './front/watch.ts';
export type { Condition } from './objects/condition.ts';
export type { ControllerState } from './operator/controller-run.ts';
export type {
  ActiveRun,
  ControllerReport,
  KeyReport,
  KeySummary,
  NextRun,
  OperatorReport,
  OperatorStep,
} from './operator/operator-report.ts';
export type { UnreadableObject } from './operator/open-caches.ts';
export type { ControllerHealth, OperatorHealth } from './operator/operator-health.ts';
export {
  type ElectionOptions,
  type Operator,
  type OperatorOptions,
  type OperatorState,
  run,
} from './operator/operator.ts';
export type { ProbeHandler } from './operator/operator-probes.ts';
export { type RbacManifest, rbacManifests, type RbacManifestOptions } from './permissions/rbac-manifests.ts';
export type { PolicyRule } from './permissions/needed-permissions.ts';
export { shutdownSignal } from './front/shutdown-signal.ts';
export type { Why, WhyKind } from './operator/why.ts';
export type { Retry, RetryOptions } from './run/retry.ts';
export type { ReconcileEvent } from './run/run-channel.ts';
export type { Outcome, Run, RunWrite } from './run/run-log.ts';
export type { Cause } from './run/reasons.ts';
export { terminal } from './run/terminal.ts';
export type { On } from './sources/relevant-change.ts';
export type { MappingFault } from './sources/mapping-faults.ts';

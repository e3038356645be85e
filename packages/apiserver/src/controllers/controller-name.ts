/** The controllers of a server, by name. */
export const CONTROLLER_NAMES = [
  'garbageCollector', 'namespaces', 'serviceAccounts', 'eventExpiry', 'podGrace',
  'deployments', 'replicasets', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs', 'endpoints', 'volumes', 'hpa', 'nodes',
] as const; // prettier-ignore

/**
 * `garbageCollector` deletes objects whose owners are gone, `namespaces` empties namespaces that are being
 * deleted, `serviceAccounts` creates the `default` account of each namespace, `eventExpiry` deletes Events
 * after an hour, `podGrace` removes deleted pods after their grace period.
 *
 * `deployments` (with their ReplicaSets), `replicasets`, `statefulsets`, `daemonsets`, `jobs`, `cronjobs` and
 * `endpoints` (with EndpointSlices) work like the controllers of a cluster. `hpa` scales the targets of
 * HorizontalPodAutoscalers by `nodes.podUsage`. `volumes` binds every claim to a volume. `nodes` adds fake
 * nodes, a scheduler, and kubelets on which pods become ready, end and have logs.
 */
export type ControllerName = (typeof CONTROLLER_NAMES)[number];

/** The controllers of a server, by name. */
export const CONTROLLER_NAMES = [
  'garbageCollector', 'namespaces', 'serviceAccounts', 'eventExpiry', 'podGrace',
  'deployments', 'replicasets', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs', 'endpoints', 'volumes', 'hpa', 'nodes',
] as const; // prettier-ignore

/**
 * `garbageCollector` deletes what has lost its owners, `namespaces` empties namespaces that are being deleted, `serviceAccounts` gives
 * each its `default` account, `eventExpiry` forgets Events after an hour, `podGrace` ends deleted pods after their grace period.
 *
 * `deployments` (with their ReplicaSets), `replicasets`, `statefulsets`, `daemonsets`, `jobs`, `cronjobs` and `endpoints` (with
 * EndpointSlices) do what the controllers of a cluster do. `hpa` sizes what HorizontalPodAutoscalers point at, by `nodes.podUsage`. `volumes` binds every claim to a volume. `nodes` adds fake nodes, a scheduler,
 * and kubelets on which pods become ready, end and have logs.
 */
export type ControllerName = (typeof CONTROLLER_NAMES)[number];

import { KUBERNETES_FINALIZER } from '../api/kinds/cluster/namespace-finalizer.ts';
import type { Resource } from '../api/schema/resource.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { StatusError } from '../core/status-error.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import { type ControllerHost, type Stop, resourcesOfControllerHost } from './common/controller-host.ts';
import { nextNamespaceConditions, type Remaining } from './namespace-conditions.ts';
import { workLoop } from './common/work-loop.ts';

/** Default estimate of the time that finalizers take. */
const FINALIZER_ESTIMATE_S = 15;

/**
 * Empties namespaces that are being deleted, then removes them.
 *
 * Pods are deleted first, because they may use everything else. While objects are left, the namespace's
 * conditions report them, and it is checked again after half of the time that deleting is expected to take.
 */
export function startNamespaceLifecycle(host: ControllerHost): Stop {
  const loop = workLoop(host.env, 'namespace', (name) => {
    const namespace = host.get('', 'namespaces', '', name);
    if (namespace?.metadata?.deletionTimestamp === undefined) return undefined;
    if (!namespaceLifecycleFinalizers(namespace).includes(KUBERNETES_FINALIZER)) return undefined;
    const estimate = deleteForNamespaceLifecycle(host, namespace);
    if (estimate > 0) return (Math.floor(estimate / 2) + 1) * 1000;
    endNamespaceLifecycle(host, name);
    return undefined;
  });
  const look = (namespace: ApiObject): void => {
    if (namespace.metadata?.deletionTimestamp !== undefined) loop.add(namespace.metadata.name ?? '');
  };
  const stopWatch = host.watch('', 'namespaces', (_, namespace) => look(namespace));
  for (const namespace of host.list('', 'namespaces')) look(namespace);
  return () => {
    loop.stop();
    stopWatch();
  };
}

const namespaceLifecycleFinalizers = (namespace: ApiObject): readonly string[] =>
  ((namespace['spec'] ?? {}) as { finalizers?: readonly string[] }).finalizers ?? [];

/**
 * Deletes the contents of a namespace. Returns the seconds that the remaining objects are expected to need; 0
 * when there are none.
 */
function deleteForNamespaceLifecycle(host: ControllerHost, namespace: ApiObject): number {
  const name = namespace.metadata?.name ?? '';
  const round = new NamespaceRound(host, name);
  const resources = resourcesOfControllerHost(host, 'list', 'delete').filter(({ namespaced }) => namespaced);
  const isPods = ({ group, resource }: Resource): boolean => group === '' && resource === 'pods';
  for (const resource of resources.filter(isPods)) round.empty(resource);
  if (round.byResource.size > 0) {
    // Nothing else has been tried or is reported.
    writeNamespaceLifecycle(host, name, { byResource: new Map(), byFinalizer: new Map(), errors: round.errors });
    return round.estimate;
  }
  for (const resource of resources) if (!isPods(resource)) round.empty(resource);
  writeNamespaceLifecycle(host, name, round);
  if (round.errors.length > 0) throw new Error(round.errors.join(', '));
  return round.estimate;
}

/** One attempt to delete everything in a namespace, and its result. */
class NamespaceRound implements Remaining {
  readonly byResource = new Map<string, number>();
  readonly byFinalizer = new Map<string, number>();
  readonly errors: string[] = [];
  estimate = 0;
  readonly #host: ControllerHost;
  readonly #namespace: string;

  constructor(host: ControllerHost, namespace: string) {
    this.#host = host;
    this.#namespace = namespace;
  }

  empty({ group, version, resource }: Resource): void {
    const objects = this.#host.list(group, resource, this.#namespace);
    if (objects.length === 0) return;
    for (const { metadata = {} } of objects) {
      try {
        this.#host.remove(group, resource, this.#namespace, metadata.name ?? '', { propagationPolicy: 'Background' });
      } catch (error) {
        if (!(error instanceof StatusError && error.status.code === 404)) this.errors.push(String(error));
      }
    }
    const left = this.#host.list(group, resource, this.#namespace);
    if (left.length === 0) return;
    this.byResource.set(`${resource}.${group}`, left.length);
    let [grace, hasFinalizers] = [0, false];
    for (const { metadata = {} } of left) {
      grace = Math.max(grace, metadata.deletionGracePeriodSeconds ?? 0);
      for (const finalizer of metadata.finalizers ?? []) {
        hasFinalizers = true;
        this.byFinalizer.set(finalizer, (this.byFinalizer.get(finalizer) ?? 0) + 1);
      }
    }
    if (grace === 0 && !hasFinalizers)
      this.errors.push(
        `unexpected items still remain in namespace: ${this.#namespace} for gvr: ${group}/${version}, Resource=${resource}`,
      );
    this.estimate = Math.max(this.estimate, grace > 0 ? grace : hasFinalizers ? FINALIZER_ESTIMATE_S : 0);
  }
}

function writeNamespaceLifecycle(host: ControllerHost, name: string, left: Remaining): void {
  const namespace = host.get('', 'namespaces', '', name);
  if (namespace === undefined) return;
  const conditions = nextNamespaceConditions(namespace, left, serverTimestamp(host.env.wallNow()));
  if (conditions === undefined) return;
  const status = { ...(namespace['status'] as object), conditions };
  host.update('', 'namespaces', { ...namespace, status }, 'status');
}

function endNamespaceLifecycle(host: ControllerHost, name: string): void {
  const namespace = host.get('', 'namespaces', '', name);
  if (namespace === undefined) return;
  const finalizers = namespaceLifecycleFinalizers(namespace).filter((finalizer) => finalizer !== KUBERNETES_FINALIZER);
  const spec: Record<string, unknown> = { ...(namespace['spec'] as object) };
  if (finalizers.length === 0) delete spec['finalizers'];
  else spec['finalizers'] = finalizers;
  host.update('', 'namespaces', { ...namespace, spec }, 'finalize');
}

import { invalidFieldError } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { internalStatusError, invalidStatusError, type StatusError } from '../../../core/status-error.ts';
import { type Fields, itemsField, nameField, numberField, specFields, textField } from '../common/fields.ts';
import { AllocationError, type StrategyContext } from '../common/kind-rule.ts';

/** Whether ports of the service get node ports that the client did not name. */
export const serviceNeedsNodePorts = (spec: Fields): boolean =>
  textField(spec, 'type') === 'NodePort' ||
  (textField(spec, 'type') === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);

/** Whether a load balancer uses a port of its own to ask which nodes have pods of the service. */
export const serviceNeedsHealthNodePort = (spec: Fields): boolean =>
  textField(spec, 'type') === 'LoadBalancer' && textField(spec, 'externalTrafficPolicy') === 'Local';

/**
 * Fills in the node ports of a service, and the one for health checks. Throws the client's error if one is
 * not available.
 */
export function allocateServiceNodePorts(
  service: ApiObject,
  before: Fields | undefined,
  context: StrategyContext,
): void {
  const ports = new NodePortAllocation(context);
  const spec = specFields(service);
  if (['NodePort', 'LoadBalancer'].includes(textField(spec, 'type'))) {
    if (before === undefined) createdServiceNodePorts(service, ports);
    else updatedServiceNodePorts(service, before, ports);
  }
  if (!serviceNeedsHealthNodePort(spec) || (before !== undefined && serviceNeedsHealthNodePort(before))) return;
  const wanted = numberField(spec, 'healthCheckNodePort') ?? 0;
  try {
    if (wanted === 0) spec['healthCheckNodePort'] = ports.next();
    else ports.take(wanted);
  } catch (error) {
    const which = wanted === 0 ? 'a HealthCheck NodePort 0' : `requested HealthCheck NodePort ${wanted}`;
    throw internalStatusError(`failed to allocate ${which}: ${nodePortAllocationFault(error)}`);
  }
}

/** Ports with the same number and different protocols share a node port, unless the client names two. */
function createdServiceNodePorts(service: ApiObject, allocation: NodePortAllocation): void {
  const spec = specFields(service);
  const ports = itemsField(spec, 'ports');
  const byPort = new Map<unknown, number>();
  for (const [index, port] of ports.entries()) {
    const wanted = numberField(port, 'nodePort') ?? 0;
    if (wanted === 0 && !serviceNeedsNodePorts(spec)) continue;
    const shared = byPort.get(port['port']);
    if (shared === undefined) {
      const named = ports.find((one) => one['port'] === port['port'] && one['nodePort']);
      const nodePort = namedOrNextNodePort(service, index, numberField(named ?? {}, 'nodePort') ?? 0, allocation);
      port['nodePort'] = nodePort;
      byPort.set(port['port'], nodePort);
    } else if (wanted === 0) port['nodePort'] = shared;
    else if (wanted !== shared) namedOrNextNodePort(service, index, wanted, allocation);
  }
}

function updatedServiceNodePorts(service: ApiObject, before: Fields, allocation: NodePortAllocation): void {
  const spec = specFields(service);
  const held = new Set(itemsField(before, 'ports').map((port) => port['nodePort']));
  for (const [index, port] of itemsField(spec, 'ports').entries()) {
    const wanted = numberField(port, 'nodePort') ?? 0;
    if (wanted === 0 && !serviceNeedsNodePorts(spec)) continue;
    if (wanted !== 0 && held.has(wanted)) continue;
    port['nodePort'] = namedOrNextNodePort(service, index, wanted, allocation);
    if (wanted !== 0) held.add(wanted);
  }
}

/** The node port that the client names, or any if `wanted` is 0. */
function namedOrNextNodePort(
  service: ApiObject,
  index: number,
  wanted: number,
  allocation: NodePortAllocation,
): number {
  try {
    return wanted === 0 ? allocation.next() : allocation.take(wanted);
  } catch (error) {
    throw wanted === 0
      ? internalStatusError(`failed to allocate a nodePort: ${nodePortAllocationFault(error)}`)
      : refusedNodePort(service, index, wanted, nodePortAllocationFault(error));
  }
}

const refusedNodePort = (service: ApiObject, index: number, wanted: number, fault: string): StatusError =>
  invalidStatusError({ group: '', kind: 'Service' }, nameField(service), [
    invalidFieldError(`spec.ports[${index}].nodePort`, wanted, fault),
  ]);

function nodePortAllocationFault(error: unknown): string {
  if (!(error instanceof AllocationError)) throw error;
  return error.message;
}

/** The first node port of a dry run that names none: one above the usual range, as on a real server. */
const FIRST_DRY_PORT = 32_769;

/** The node ports that one write allocates. A dry run looks for no free port and does not check the range. */
class NodePortAllocation {
  readonly #context: StrategyContext;
  readonly #taken = new Set<number>();

  constructor(context: StrategyContext) {
    this.#context = context;
  }

  take(port: number): number {
    if (this.#taken.has(port)) throw new AllocationError('provided port is already allocated');
    this.#context.allocateNodePort({ wanted: port, isDryRun: this.#context.isDryRun });
    this.#taken.add(port);
    return port;
  }

  next(): number {
    const port = this.#context.isDryRun
      ? Math.max(FIRST_DRY_PORT - 1, ...this.#taken) + 1
      : this.#context.allocateNodePort({ except: this.#taken });
    this.#taken.add(port);
    return port;
  }
}

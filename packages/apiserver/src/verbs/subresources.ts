import { copyJson } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import {
  badRequestStatusError,
  conflictStatusError,
  staleUpdateStatusError,
  type Status,
  unknownStatusError,
} from '../core/status-error.ts';
import { passAdmissionGate, admissionGateWriteOptions } from './admission-gate.ts';
import { type Api, type Target, type WriteOptions, type Written } from './api-context.ts';
import { readForVerb } from './read.ts';
import { BINDING } from './request/posted-kinds.ts';
import { retriedSteps, type Steps } from './steps.ts';
import { checkUpdatedPlace, storeUpdate } from './update.ts';

/** The response to a POST that creates nothing. */
export const DONE: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** Handles `pods/binding`: binds a pod to a node, like a scheduler. */
export function* bindingSubresource(api: Api, target: Target, given: ApiObject, options: WriteOptions): Steps<Status> {
  if ((given.metadata?.name ?? '') !== target.name)
    throw badRequestStatusError('name in URL does not match name in Binding object');
  readForVerb(target);
  const admitted = yield* passAdmissionGate(api, target, {
    operation: 'CREATE',
    kind: BINDING,
    object: given,
    dryRun: options.dryRun,
    options: admissionGateWriteOptions('CreateOptions', options),
  });
  const binding = admitted ?? given;
  target.requireHere?.();
  const record = readForVerb(target);
  const { served, name } = target;
  const { name: node = '', kind = '' } = (binding['target'] ?? {}) as { name?: string; kind?: string };
  // A real server gives these errors no reason, so they are 500.
  if (node === '') throw unknownStatusError('target.name: Required value');
  if (kind !== '' && kind !== 'Node')
    throw unknownStatusError(
      `target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`,
    );
  const next = copyJson(served.object(record));
  const spec = (next['spec'] ??= {}) as { nodeName?: string };
  if ((spec.nodeName ?? '') !== '')
    throw conflictStatusError(
      { ...served.resource, resource: 'pods/binding' },
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`,
    );
  spec.nodeName = node;
  const status = (next['status'] ??= {}) as { conditions?: { type: string }[] };
  status.conditions = [
    ...(status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'),
    { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: api.kindContext().now } as {
      type: string;
    },
  ];
  if (!options.dryRun) served.put(next);
  return DONE;
}

/** Handles `namespaces/finalize`: removes finalizers from the spec, which an update of the object cannot. */
export function finalizeSubresource(
  api: Api,
  target: Target,
  namespace: ApiObject,
  options: WriteOptions,
): Steps<Written> {
  checkUpdatedPlace((namespace.metadata ??= {}), target);
  const part = { ...target, subresource: 'finalize' };
  return retriedSteps(
    () => storeUpdate(api, part, readForVerb(target), copyJson(namespace), options),
    () => staleUpdateStatusError(target.served.resource, target.name),
  );
}

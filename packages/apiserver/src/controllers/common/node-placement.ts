import type { Node, NodeSelectorTerm, Pod, PodSpec, Taint, Toleration } from '@kube-informer/kubernetes/v1';

/** The reason a pod does not fit on a node, as the scheduler words it; undefined if it fits. */
export function nodePlacementFault(spec: PodSpec | undefined, node: Node): string | undefined {
  const taint = node.spec?.taints?.find((one) => one.effect !== 'PreferNoSchedule' && !isPlacementTolerated(spec, one));
  if (node.spec?.unschedulable === true && !isPlacementTolerated(spec, UNSCHEDULABLE))
    return 'node(s) were unschedulable';
  if (taint !== undefined) return untoleratedAtNodePlacement(taint);
  return isPlacementSelected(spec, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

/** Whether a DaemonSet runs a pod on a node. Its pods tolerate nodes with problems. */
export function isNodePlacementOfDaemon(spec: PodSpec | undefined, node: Node): boolean {
  const tolerations = [...(spec?.tolerations ?? []), ...DAEMON_TOLERATIONS];
  return nodePlacementFault({ ...spec, tolerations } as PodSpec, node) === undefined;
}

/** The taint of nodes that are not ready. */
export const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Tolerations that the controller adds to every pod of a DaemonSet. */
export const DAEMON_TOLERATIONS: readonly Toleration[] = [
  ['not-ready', 'NoExecute'], ['unreachable', 'NoExecute'], ['disk-pressure', 'NoSchedule'], ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'], ['unschedulable', 'NoSchedule'], ['not-ready', 'NoSchedule'],
].map(([key, effect]) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect }) as Toleration); // prettier-ignore

const untoleratedAtNodePlacement = ({ key, value = '' }: Taint): string =>
  `node(s) had untolerated taint {${key}${value === '' ? '' : `: ${value}`}}`;

function isPlacementTolerated(spec: PodSpec | undefined, taint: Taint): boolean {
  return (spec?.tolerations ?? []).some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
  });
}

function isPlacementSelected(spec: PodSpec | undefined, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => meetsNodePlacement(term, node));
}

function meetsNodePlacement(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Node,
): boolean {
  const isMet = (value: string | undefined, operator: string, values: readonly string[]): boolean => {
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      case 'Gt':
        return Number(value) > Number(values[0]);
      default:
        return Number(value) < Number(values[0]);
    }
  };
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every(({ key, operator, values = [] }) => isMet(metadata?.labels?.[key], operator, values)) &&
    matchFields.every(({ operator, values = [] }) => isMet(metadata?.name, operator, values))
  );
}

/** The node that a DaemonSet's pod is meant for, before it is scheduled. */
export function nodePlacementOfDaemon({ spec }: Pod): string | undefined {
  if ((spec?.nodeName ?? '') !== '') return spec?.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === 'metadata.name')?.values?.[0];
}

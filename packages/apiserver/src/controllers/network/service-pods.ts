import type { Pod, Service, ServicePort } from '@kube-informer/kubernetes/v1';
import { defined } from 'kube-informer/core';
import { controllerSelectorMatches } from '../common/controller-selector.ts';
import { isControlledPodReady } from '../common/controlled-pod.ts';

/** A pod behind a service. */
export interface ServicePod {
  readonly pod: Pod;
  readonly ip: string;
  readonly isReady: boolean;
}

/** The pods that a service selects and that have an address, by name. */
export function podsOfService({ spec }: Service, pods: readonly Pod[]): readonly ServicePod[] {
  const selector = { matchLabels: spec?.selector ?? {} };
  return pods.flatMap((pod) => {
    const { podIP = '', phase } = pod.status ?? {};
    const hasEnded = phase === 'Succeeded' || phase === 'Failed';
    if (podIP === '' || hasEnded || !controllerSelectorMatches(selector, pod.metadata?.labels)) return [];
    return [{ pod, ip: podIP, isReady: isControlledPodReady(pod) && pod.metadata?.deletionTimestamp === undefined }];
  });
}

/** A port of a service in its pods. */
export interface EndpointPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: 'SCTP' | 'TCP' | 'UDP';
  readonly appProtocol?: string;
}

/** The ports of a service in one pod. A named target is a port of one of its containers. */
export function servicePortsInPod({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const number = targetPortOfServicePods(port, pod);
    if (number === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = port;
    return [defined({ name, port: number, protocol, appProtocol })];
  });
} // prettier-ignore

function targetPortOfServicePods(
  { targetPort: target, port, protocol = 'TCP' }: ServicePort,
  { spec }: Pod,
): number | undefined {
  if (typeof target !== 'string') return target === undefined || target === 0 ? port : target;
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((one) => one.name === target && (one.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** Whether a service finds its pods by labels. The endpoints of other services are written by users. */
export const selectsServicePods = ({ spec }: Service): boolean =>
  spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;

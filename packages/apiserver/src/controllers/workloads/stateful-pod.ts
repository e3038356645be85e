import type { ControllerRevision, StatefulSet } from '@kube-informer/kubernetes/apps/v1';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '@kube-informer/kubernetes/v1';
import { defined } from 'kube-informer/core';
import { REVISION_HASH } from './revisions.ts';
import { podOfTemplate } from './pod-template.ts';

/** The number at the end of a pod's name. */
export function statefulPodOrdinal({ metadata }: Pod): number | undefined {
  const [, digits] = /-(\d+)$/.exec(metadata?.name ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const statefulPodClaimName = (template: PersistentVolumeClaim, pod: string): string =>
  `${template.metadata?.name}-${pod}`;

/** The claims of one pod, one for each template of the set. They outlive the pod. */
export function statefulPodClaims({ metadata, spec }: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return (spec?.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: statefulPodClaimName(template, `${metadata?.name}-${ordinal}`),
      namespace: metadata?.namespace ?? '',
      labels: { ...template.metadata?.labels, ...spec?.selector.matchLabels },
      annotations: { ...template.metadata?.annotations },
    },
    ...defined({ spec: template.spec }),
  }));
}

/** A pod with its number: as a name, a host name and labels, and with its own claims as volumes. */
export function statefulPod(
  set: StatefulSet,
  ordinal: number,
  revision: ControllerRevision,
  template: PodTemplateSpec | undefined,
): Pod {
  const name = `${set.metadata?.name}-${ordinal}`;
  const templates = set.spec?.volumeClaimTemplates ?? [];
  const claimed = templates.map((claim) => ({
    name: claim.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: statefulPodClaimName(claim, name) },
  }));
  const others = (template?.spec?.volumes ?? []).filter((one) => claimed.every((volume) => volume.name !== one.name));
  return podOfTemplate(set, template, {
    name,
    labels: {
      [REVISION_HASH]: revision.metadata?.name ?? '',
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: { hostname: name, subdomain: set.spec?.serviceName ?? '', volumes: [...claimed, ...others] },
  });
}

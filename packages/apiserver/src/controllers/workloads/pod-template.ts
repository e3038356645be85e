import type { Pod, PodTemplateSpec } from '@kube-informer/kubernetes/v1';
import { controllerOwnerFields } from '../common/controller-owner.ts';
import type { Typed } from '../common/typed-resource.ts';

export interface PodParts {
  readonly name?: string;
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Fields of the spec that differ from the template's. */
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
}

/** A pod of a workload, as its template describes it. */
export function podOfTemplate(owner: Typed, template: PodTemplateSpec | undefined, parts: PodParts): Pod {
  const { name, generateName, labels, annotations, finalizers = [], spec } = parts;
  const { metadata, spec: wanted } = template ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(name === undefined ? { generateName: generateName ?? '' } : { name }),
      namespace: owner.metadata?.namespace ?? '',
      labels: { ...metadata?.labels, ...labels },
      annotations: { ...metadata?.annotations, ...annotations },
      finalizers: [...(metadata?.finalizers ?? []), ...finalizers],
      ownerReferences: [controllerOwnerFields(owner)],
    },
    spec: { ...wanted, ...spec } as NonNullable<Pod['spec']>,
  };
}

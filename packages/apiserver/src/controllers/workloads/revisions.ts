import type { ControllerRevision } from '@kube-informer/kubernetes/apps/v1';
import type { LabelSelector } from '@kube-informer/kubernetes/meta.k8s.io/v1';
import type { PodTemplateSpec } from '@kube-informer/kubernetes/v1';
import { isSameJson } from '../../core/json.ts';
import { claimForControllerOwner, controllerOwnerFields } from '../common/controller-owner.ts';
import { templateHash } from '../common/template-hash.ts';
import type { Typed, TypedResource } from '../common/typed-resource.ts';

export const REVISION_HASH = 'controller-revision-hash';

/** A StatefulSet or DaemonSet, with the fields that its revisions need. */
export interface RevisedSet extends Typed {
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly template?: PodTemplateSpec;
    readonly revisionHistoryLimit?: number;
  };
}

interface RevisionData {
  readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } };
}

/** The templates a set has had, oldest first. The last one is its current template, which is stored if it is new. */
export function setRevisions(revisions: TypedResource<ControllerRevision>, set: RevisedSet): readonly ControllerRevision[] {
  const { template, selector } = set.spec ?? {};
  const { name = '', namespace = '' } = set.metadata ?? {};
  const known = claimForControllerOwner(revisions, { owner: set, selector }).toSorted((a, b) => a.revision - b.revision);
  const data: RevisionData = { spec: { template: { ...template, $patch: 'replace' } } };
  const next = (known.at(-1)?.revision ?? 0) + 1;
  const same = known.find((one) => isSameJson(one.data, data));
  if (same !== undefined && same === known.at(-1)) return known;
  const others = known.filter((one) => one !== same);
  // A rollback makes the older one the newest again.
  if (same !== undefined) return [...others, revisions.update({ ...same, revision: next })];
  const hash = templateHash(template, known.some((one) => one.metadata?.name === `${name}-${templateHash(template)}`) ? next : 0);
  const labels = { ...template?.metadata?.labels, ...selector?.matchLabels, [REVISION_HASH]: hash };
  const created = revisions.create({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [controllerOwnerFields(set)] },
    data: data as NonNullable<ControllerRevision['data']>,
    revision: next,
  });
  return [...others, created];
} // prettier-ignore

/** Deletes revisions that no pod uses, except those kept for a rollback. */
export function forgetRevisions(
  revisions: TypedResource<ControllerRevision>,
  set: RevisedSet,
  known: readonly ControllerRevision[],
  isUsed: (revision: ControllerRevision) => boolean,
): void {
  const unused = known.filter((one) => !isUsed(one));
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) revisions.remove(revision);
}

export function revisionTemplate({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { $patch: _patch, ...template } = (data as RevisionData | undefined)?.spec?.template ?? {};
  return template;
}

/** The hash in the labels of pods: the end of the revision's name. */
export const revisionHash = ({ metadata }: ControllerRevision): string => metadata?.labels?.[REVISION_HASH] ?? '';

import type { Deployment, ReplicaSet } from '@kube-informer/kubernetes/apps/v1';
import type { PodTemplateSpec } from '@kube-informer/kubernetes/v1';
import { isSameJson } from '../../core/json.ts';
import { StatusError } from '../../core/status-error.ts';
import { scaledAmount } from '../common/amount.ts';
import type { RecordEvent } from '../common/controller-events.ts';
import { controllerOwnerFields } from '../common/controller-owner.ts';
import { templateHash } from '../common/template-hash.ts';
import type { TypedResource } from '../common/typed-resource.ts';

const HASH = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX = 'deployment.kubernetes.io/max-replicas';

/** Annotations of a deployment that are not copied to its ReplicaSets. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration', REVISION, REVISION_HISTORY, DESIRED, MAX, 'deprecated.deployment.rollback.to',
]); // prettier-ignore

export const sizeOfDeploymentSets = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1;

export interface DeploymentParts {
  readonly deployment: Deployment;
  readonly owned: readonly ReplicaSet[];
  readonly deployments: TypedResource<Deployment>;
  readonly replicaSets: TypedResource<ReplicaSet>;
  readonly record: RecordEvent;
}

/** The ReplicaSets of a deployment: the one of its template, and the old ones, oldest first. */
export class DeploymentSets {
  readonly deployment: Deployment;
  readonly #parts: DeploymentParts;
  newest: ReplicaSet | undefined;
  old: readonly ReplicaSet[];
  /** Whether this sync created the newest set, or found it again. */
  isNew: 'created' | 'found' | undefined;

  constructor(parts: DeploymentParts) {
    const { deployment, owned } = parts;
    this.#parts = parts;
    this.deployment = deployment;
    const sorted = owned.toSorted(byAgeOfDeploymentSets);
    this.newest = sorted.find(({ spec }) => isCurrentDeploymentSet(spec?.template, deployment.spec?.template));
    this.old = sorted.filter((set) => set !== this.newest);
  }

  get all(): readonly ReplicaSet[] {
    return this.newest === undefined ? this.old : [...this.old, this.newest];
  }

  get replicas(): number {
    return this.deployment.spec?.replicas ?? 1;
  }

  get total(): number {
    return this.all.reduce((sum, set) => sum + sizeOfDeploymentSets(set), 0);
  }

  /** Maximum number of pods above and below the desired number during a roll-out. */
  get bounds(): { readonly surge: number; readonly unavailable: number } {
    const { strategy } = this.deployment.spec ?? {};
    if (strategy?.type === 'Recreate' || this.replicas === 0) return { surge: 0, unavailable: 0 };
    const surge = scaledAmount(strategy?.rollingUpdate?.maxSurge, this.replicas, 'up');
    const unavailable = scaledAmount(strategy?.rollingUpdate?.maxUnavailable, this.replicas, 'down');
    return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, this.replicas) };
  }

  /**
   * Whether the desired size has changed since the sets were last sized: then they are scaled before anything
   * is rolled out.
   */
  isResized(): boolean {
    return this.all.some((set) => sizeOfDeploymentSets(set) > 0 && Number(set.metadata?.annotations?.[DESIRED] ?? this.replicas) !== this.replicas);
  } // prettier-ignore

  /** Assigns the next revision to the newest set and the deployment. Creates the set if it is missing. */
  adoptNewest({ create }: { readonly create: boolean }): void {
    const revision = Math.max(0, ...this.old.map(generationOfDeploymentSet)) + 1;
    if (this.newest === undefined) {
      if (!create) return;
      this.newest = this.#create(revision);
      this.isNew = 'created';
    } else {
      const { progressDeadlineSeconds } = this.deployment.spec ?? {};
      const hasProgress = this.deployment.status?.conditions?.some(({ type }) => type === 'Progressing') === true;
      if (!hasProgress && progressDeadlineSeconds !== undefined) this.isNew = 'found';
      this.newest = this.#renew(this.newest, revision);
    }
    this.#setRevision(String(generationOfDeploymentSet(this.newest)));
  }

  /** Sets the size of a set; true if that was a change. */
  scale(set: ReplicaSet, replicas: number): boolean {
    const before = sizeOfDeploymentSets(set);
    const annotations = { ...set.metadata?.annotations, ...this.#sizes() };
    if (before === replicas && isSameJson(annotations, set.metadata?.annotations)) return false;
    this.#swap(set, { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } as NonNullable<ReplicaSet['spec']> }); // prettier-ignore
    if (before === replicas) return false;
    this.#tell(set.metadata?.name ?? '', before, replicas);
    return true;
  }

  /** Deletes empty old sets, except those kept for a rollback. */
  forgetOld(): void {
    const limit = this.deployment.spec?.revisionHistoryLimit ?? 10;
    const empty = this.old.filter(
      ({ metadata, spec, status }) =>
        metadata?.deletionTimestamp === undefined && spec?.replicas === 0 && (status?.replicas ?? 0) === 0,
    );
    const byRevision = empty.toSorted((a, b) => generationOfDeploymentSet(a) - generationOfDeploymentSet(b));
    for (const set of byRevision.slice(0, Math.max(0, this.old.length - limit))) this.#parts.replicaSets.remove(set);
  }

  #create(revision: number): ReplicaSet {
    const { deployment } = this;
    const { metadata, spec, status } = deployment;
    const hash = templateHash(spec?.template, status?.collisionCount);
    const labels = { ...spec?.template.metadata?.labels, [HASH]: hash };
    // As many as fit beside the old ones.
    const replicas = Math.max(0, Math.min(this.replicas, this.replicas + this.bounds.surge - this.total));
    const name = `${metadata?.name}-${hash}`;
    try {
      const set = this.#parts.replicaSets.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name,
          namespace: metadata?.namespace ?? '',
          labels,
          annotations: { ...this.#annotations(), ...this.#sizes(), [REVISION]: String(revision) },
          ownerReferences: [controllerOwnerFields(deployment)],
        },
        spec: {
          replicas,
          minReadySeconds: spec?.minReadySeconds ?? 0,
          selector: { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [HASH]: hash } },
          template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
        },
      });
      if (replicas > 0) this.#tell(name, 0, replicas);
      return set;
    } catch (error) {
      // Another template has the same hash: the next sync tries another name.
      if (error instanceof StatusError && error.status.code === 409)
        this.#parts.deployments.updateStatus(deployment, { ...status, collisionCount: (status?.collisionCount ?? 0) + 1 }); // prettier-ignore
      throw error;
    }
  }

  #renew(set: ReplicaSet, revision: number): ReplicaSet {
    const before = set.metadata?.annotations ?? {};
    const history = before[REVISION_HISTORY];
    const isOlder = generationOfDeploymentSet(set) < revision;
    const annotations = {
      ...before,
      ...this.#annotations(),
      ...this.#sizes(),
      ...(isOlder ? { [REVISION]: String(revision) } : {}),
      // After a rollback: the revisions that it had before.
      ...(isOlder && before[REVISION] !== undefined
        ? { [REVISION_HISTORY]: history === undefined ? before[REVISION] : `${history},${before[REVISION]}` }
        : {}),
    };
    const minReadySeconds = this.deployment.spec?.minReadySeconds ?? 0;
    return this.#swap(set, {
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec, minReadySeconds } as NonNullable<ReplicaSet['spec']>,
    });
  }

  #setRevision(revision: string): void {
    const { deployments } = this.#parts;
    const { namespace = '', name = '' } = this.deployment.metadata ?? {};
    const now = deployments.get(namespace, name);
    if (now === undefined || now.metadata?.annotations?.[REVISION] === revision) return;
    const annotations = { ...now.metadata?.annotations, [REVISION]: revision };
    // Together with the status: a change of annotations with the spec would count as a generation.
    deployments.updateStatus({ ...now, metadata: { ...now.metadata, annotations } }, now.status ?? {});
  }

  #swap(before: ReplicaSet, next: ReplicaSet): ReplicaSet {
    const written = this.#parts.replicaSets.update(next);
    if (before === this.newest) this.newest = written;
    else this.old = this.old.map((one) => (one === before ? written : one));
    return written;
  }

  #annotations(): Record<string, string> {
    const all = Object.entries(this.deployment.metadata?.annotations ?? {});
    return Object.fromEntries(all.filter(([name]) => !OWN_ANNOTATIONS.has(name)));
  }

  #sizes(): Record<string, string> {
    return { [DESIRED]: String(this.replicas), [MAX]: String(this.replicas + this.bounds.surge) };
  }

  #tell(name: string, before: number, replicas: number): void {
    const direction = replicas > before ? 'up' : 'down';
    const message = `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`;
    this.#parts.record(this.deployment, 'Normal', 'ScalingReplicaSet', message);
  }
}

const generationOfDeploymentSet = ({ metadata }: ReplicaSet): number => Number(metadata?.annotations?.[REVISION] ?? 0);

/** Maximum number of pods of a set, as it was last sized. */
export const maximumOfDeploymentSets = ({ metadata }: ReplicaSet): number => Number(metadata?.annotations?.[MAX] ?? 0);

function byAgeOfDeploymentSets(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [a, b].map(({ metadata }) => `${metadata?.creationTimestamp} ${metadata?.name}`);
  return generationOfDeploymentSet(a) - generationOfDeploymentSet(b) || ((left ?? '') < (right ?? '') ? -1 : 1);
}

/** Whether two templates are equal except for the label that only a set has. */
function isCurrentDeploymentSet(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  const bare = (template: PodTemplateSpec | undefined): object => {
    const { [HASH]: _hash, ...labels } = template?.metadata?.labels ?? {};
    return { ...template, metadata: { ...template?.metadata, labels } };
  };
  return isSameJson(bare(a), bare(b));
}

import type { ApiObject } from '../core/kube-object.ts';

export interface NamespaceCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** Objects left in a namespace: counts by `resource.group`, and by the finalizers that hold them. */
export interface Remaining {
  readonly byResource: ReadonlyMap<string, number>;
  readonly byFinalizer: ReadonlyMap<string, number>;
  readonly errors: readonly string[];
}

interface Outcome {
  readonly reason: string;
  readonly message: string;
}

const namespaceConditionText = (
  counts: ReadonlyMap<string, number>,
  text: (name: string, count: number) => string,
): string =>
  [...counts]
    .map(([name, count]) => text(name, count))
    .toSorted()
    .join(', ');

/** The conditions of a namespace that is being deleted, in order: the text if all is well, and otherwise. */
const CONDITIONS: readonly (readonly [
  type: string,
  well: Outcome,
  trouble: (left: Remaining) => Outcome | undefined,
])[] = [
  [
    'NamespaceDeletionDiscoveryFailure',
    { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    () => undefined,
  ],
  [
    'NamespaceDeletionGroupVersionParsingFailure',
    { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    () => undefined,
  ],
  [
    'NamespaceDeletionContentFailure',
    { reason: 'ContentDeleted', message: 'All content successfully deleted, may be waiting on finalization' },
    ({ errors }) =>
      errors.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${errors.length} remaining: ${errors.toSorted().join(', ')}`,
          },
  ],
  [
    'NamespaceContentRemaining',
    { reason: 'ContentRemoved', message: 'All content successfully removed' },
    ({ byResource }) =>
      byResource.size === 0
        ? undefined
        : {
            reason: 'SomeResourcesRemain',
            message: `Some resources are remaining: ${namespaceConditionText(byResource, (name, count) => `${name} has ${count} resource instances`)}`,
          },
  ],
  [
    'NamespaceFinalizersRemaining',
    { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    ({ byFinalizer }) =>
      byFinalizer.size === 0
        ? undefined
        : {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${namespaceConditionText(byFinalizer, (name, count) => `${name} in ${count} resource instances`)}`,
          },
  ],
];

/** The conditions after a round of deleting; undefined if they are already correct. */
export function nextNamespaceConditions(
  namespace: ApiObject,
  left: Remaining,
  now: string,
): NamespaceCondition[] | undefined {
  const { conditions = [] } = (namespace['status'] ?? {}) as { conditions?: NamespaceCondition[] };
  const next = [...conditions];
  let isChanged = false;
  for (const [type, well, trouble] of CONDITIONS) {
    const outcome = trouble(left);
    const condition: NamespaceCondition = {
      type,
      status: outcome === undefined ? 'False' : 'True',
      lastTransitionTime: now,
      ...(outcome ?? well),
    };
    const at = next.findIndex((one) => one.type === type);
    const before = next[at];
    if (before === undefined) next.push(condition);
    else if (
      before.status === condition.status &&
      before.reason === condition.reason &&
      before.message === condition.message
    )
      continue;
    else
      next[at] =
        before.status === condition.status
          ? { ...condition, lastTransitionTime: before.lastTransitionTime }
          : condition;
    isChanged = true;
  }
  return isChanged ? next : undefined;
}

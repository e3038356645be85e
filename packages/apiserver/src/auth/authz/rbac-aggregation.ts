import type { PolicyRule } from './authorize.ts';

interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** A Role or ClusterRole with its rules. */
export interface RoleObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

/**
 * The rules of a ClusterRole, with those of every role it aggregates.
 *
 * In a cluster, a controller copies those rules into the role, replacing its own, whenever one of them
 * changes. Here they are looked up instead, which has the same effect and needs no controller.
 */
export function rbacAggregation(role: RoleObject, clusterRoles: readonly RoleObject[]): readonly PolicyRule[] {
  return collectRbacAggregation(role, clusterRoles, new Set());
}

function collectRbacAggregation(
  role: RoleObject,
  clusterRoles: readonly RoleObject[],
  seen: Set<RoleObject>,
): readonly PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined) return role.rules ?? [];
  // Roles may aggregate each other in circles; everything on the circle is counted once.
  seen.add(role);
  const parts = clusterRoles.filter(
    (part) =>
      !seen.has(part) &&
      selectors.some((selector) => rbacAggregationSelectorMatches(selector, part.metadata?.labels ?? {})),
  );
  const rules = new Map<string, PolicyRule>();
  for (const part of parts)
    for (const rule of collectRbacAggregation(part, clusterRoles, seen)) rules.set(JSON.stringify(rule), rule);
  return [...rules.values()];
}

function rbacAggregationSelectorMatches(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      if (operator === 'In') return value !== undefined && values.includes(value);
      return operator === 'NotIn' && (value === undefined || !values.includes(value));
    })
  );
}

import type { PolicyRule } from './authorize.ts';
import { rbacRuleAllows } from './rbac-rules.ts';

/** The parts of `wanted` that `held` does not cover, as in the refusal: one line for each, in order. */
export function rulesWithoutCover(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): string[] {
  const missing = wanted.flatMap(singleRulesToCover).filter((single) => !held.some((rule) => rulesCover(rule, single)));
  return [...new Set(compactRuleCover(missing).map(ruleCoverText))].toSorted();
}

/** A rule as rules with one verb, one group, one resource and at most one name each; or one verb and one path. */
function singleRulesToCover({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): PolicyRule[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => ({
            verbs: [verb],
            apiGroups: [group],
            resources: [resource],
            ...(name === undefined ? {} : { resourceNames: [name] }),
          })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] }))),
  ];
}

/** Whether values cover others. A wildcard is covered by a wildcard only, because it allows more than any list. */
function rulesCover(
  rule: PolicyRule,
  { verbs: [verb = ''], apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule,
): boolean {
  const [path] = nonResourceURLs ?? [];
  const [resource = '', subresource = ''] = (resources?.[0] ?? '').split('/', 2);
  return rbacRuleAllows(rule, {
    verb,
    path: path ?? '',
    isResource: path === undefined,
    group: apiGroups?.[0] ?? '',
    resource,
    subresource,
    namespace: '',
    name: resourceNames?.[0] ?? '',
  });
}

/** Merges rules that differ only in their verb. */
function compactRuleCover(rules: readonly PolicyRule[]): PolicyRule[] {
  const byRest = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = JSON.stringify(rest);
    const known = byRest.get(key);
    byRest.set(key, { ...rest, verbs: [...(known?.verbs ?? []), ...verbs] });
  }
  return [...byRest.values()];
}

const PARTS = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

/** A rule as text: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
function ruleCoverText(rule: PolicyRule): string {
  const parts = PARTS.flatMap(([title, name]) => {
    const items = rule[name] ?? [];
    return items.length === 0 ? [] : [`${title}:${ruleCoverList(items)}`];
  });
  return `{${parts.join(', ')}}`;
}

/** A list of texts as Go prints it. */
export const ruleCoverList = (items: readonly string[]): string =>
  `[${items.map((item) => JSON.stringify(item)).join(' ')}]`;

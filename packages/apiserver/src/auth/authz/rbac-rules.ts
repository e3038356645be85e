import type { Action, PolicyRule } from './authorize.ts';

/**
 * Whether one rule covers an action: all of its lists must, which are verb, group, resource and name; or verb
 * and path.
 */
export function rbacRuleAllows(rule: PolicyRule, action: Action): boolean {
  if (!rbacRuleListHas(rule.verbs, action.verb)) return false;
  if (!action.isResource) return rule.nonResourceURLs?.some((url) => rbacRulePathMatches(url, action.path)) ?? false;
  return (
    rbacRuleListHas(rule.apiGroups, action.group) &&
    rbacRuleResourceMatches(rule.resources ?? [], action) &&
    rbacRuleNameMatches(rule.resourceNames ?? [], action.name)
  );
}

const rbacRuleListHas = (allowed: readonly string[] | undefined, wanted: string): boolean =>
  allowed !== undefined && (allowed.includes('*') || allowed.includes(wanted));

// A resource does not include its subresources; `*` does, and `*/scale` is that subresource of every resource.
function rbacRuleResourceMatches(allowed: readonly string[], { resource, subresource }: Action): boolean {
  if (allowed.includes('*')) return true;
  if (subresource === '') return allowed.includes(resource);
  return allowed.includes(`${resource}/${subresource}`) || allowed.includes(`*/${subresource}`);
}

/** Whether a rule's names match. A request without a name (list, create) is never covered by a rule with names. */
const rbacRuleNameMatches = (allowed: readonly string[], name: string): boolean =>
  allowed.length === 0 || allowed.includes(name);

/**
 * Whether a rule's path matches. `/healthz/*` covers every path below it; a star anywhere else is an ordinary
 * character.
 */
function rbacRulePathMatches(allowed: string, path: string): boolean {
  if (allowed === '*' || allowed === path) return true;
  return allowed.endsWith('*') && path.startsWith(rbacRulePathPrefix(allowed));
}

function rbacRulePathPrefix(path: string): string {
  let end = path.length;
  while (path[end - 1] === '*') end -= 1;
  return path.slice(0, end);
}

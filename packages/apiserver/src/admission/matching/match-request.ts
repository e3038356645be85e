import {
  type Fields,
  fieldsAt,
  itemsField,
  textField,
  textMapField,
  textsField,
} from '../../api/kinds/common/fields.ts';
import { isEmptyKindSelector, kindSelectorMatches } from '../../api/kinds/common/selector.ts';
import type { ApiObject } from '../../core/object.ts';
import { notFound } from '../../core/status.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import { equivalentRequestVersions, requestedVersion, requestNamespace, type Version } from './request.ts';

/**
 * The version in which a policy, a binding or a webhook wants the request; undefined: it does not want it.
 *
 * `rules` may be empty in a binding, which then takes everything.
 */
export function matchRequest(
  registry: Registry,
  attributes: Attributes,
  { rules, excluded = [], criteria }: { rules: readonly Fields[]; excluded?: readonly Fields[]; criteria: Fields },
): Version | undefined {
  if (!matchesObjectSelector(attributes, fieldsAt(criteria, 'objectSelector'))) return undefined;
  const isExact = textField(criteria, 'matchPolicy') === 'Exact';
  const others = isExact ? [] : equivalentRequestVersions(registry, attributes);
  if (findMatchingVersion(attributes, excluded, others) !== undefined) return undefined;
  const found = rules.length === 0 ? requestedVersion(attributes) : findMatchingVersion(attributes, rules, others);
  if (found === undefined || !matchesNamespace(registry, attributes, fieldsAt(criteria, 'namespaceSelector')))
    return undefined;
  return found;
}

/** The same for `matchConstraints` and `matchResources` of policies. */
export const matchPolicyResources = (
  registry: Registry,
  attributes: Attributes,
  criteria: Fields,
): Version | undefined =>
  matchRequest(registry, attributes, {
    rules: itemsField(criteria, 'resourceRules'),
    excluded: itemsField(criteria, 'excludeResourceRules'),
    criteria,
  });

/** The request's own version comes first, even if a later rule is about it. */
function findMatchingVersion(
  attributes: Attributes,
  rules: readonly Fields[],
  others: readonly Version[],
): Version | undefined {
  const own = requestedVersion(attributes);
  if (rules.some((rule) => matchesRule(rule, attributes, own))) return own;
  for (const rule of rules) for (const other of others) if (matchesRule(rule, attributes, other)) return other;
  return undefined;
}

const matchesNameOrAll = (items: readonly string[], wanted: string): boolean =>
  items.includes('*') || items.includes(wanted);

function matchesRule(rule: Fields, attributes: Attributes, { group, version, resource }: Version): boolean {
  const { target, operation, name } = attributes;
  const names = textsField(rule, 'resourceNames');
  return (
    matchesNameOrAll(textsField(rule, 'operations'), operation) &&
    matchesNameOrAll(textsField(rule, 'apiGroups'), group) &&
    matchesNameOrAll(textsField(rule, 'apiVersions'), version) &&
    textsField(rule, 'resources').some((pattern) => matchesResource(pattern, resource, target.subresource)) &&
    matchesScope(textField(rule, 'scope'), attributes) &&
    (names.length === 0 || names.includes(name))
  );
}

function matchesResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [wanted, part] = slash === -1 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (wanted === '*' || wanted === resource) && (part === '*' || part === subresource);
}

/** A Namespace itself belongs to no namespace. */
function matchesScope(scope: string, attributes: Attributes): boolean {
  if (scope === '' || scope === '*') return true;
  const { group, resource } = attributes.target.served.resource;
  const isCluster = (group === '' && resource === 'namespaces') || requestNamespace(attributes) === '';
  return (scope === 'Cluster') === isCluster;
}

function matchesObjectSelector({ object, oldObject }: Attributes, selector: Fields): boolean {
  if (isEmptyKindSelector(selector)) return true;
  return [object, oldObject].some((one) => one !== undefined && kindSelectorMatches(selector, labelsToMatch(one)));
}

const labelsToMatch = ({ metadata }: ApiObject): Readonly<Record<string, string>> =>
  textMapField((metadata ?? {}) as Fields, 'labels');

/** A request outside of all namespaces is never exempt. Throws 404 if the namespace does not exist. */
function matchesNamespace(registry: Registry, attributes: Attributes, selector: Fields): boolean {
  if (isEmptyKindSelector(selector)) return true;
  const { served, subresource } = attributes.target;
  const isNamespace = served.resource.resource === 'namespaces';
  const name = requestNamespace(attributes);
  if (name === '' && !isNamespace) return true;
  if (isNamespace && subresource === '' && attributes.object !== undefined)
    return kindSelectorMatches(selector, labelsToMatch(attributes.object));
  return kindSelectorMatches(selector, labelsToMatch(findNamespaceToMatch(registry, name)));
}

/** Throws 404. */
export function findNamespaceToMatch(registry: Registry, name: string): ApiObject {
  const namespaces = registry.find('', 'v1', 'namespaces');
  const record = namespaces?.collection.get('', name);
  if (namespaces === undefined || record === undefined)
    throw notFound({ group: '', resource: 'namespaces', kind: 'Namespace' }, name);
  return namespaces.object(record);
}

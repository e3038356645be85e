import {
  type Fields,
  fieldsAt,
  itemsField,
  textField,
  textMapField,
  textsField,
} from '../../api/kinds/common/fields.ts';
import { isEmptyKindSelector, kindSelectorMatches } from '../../api/kinds/common/kind-selector.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { notFoundStatusError } from '../../core/status-error.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import {
  equivalentAdmissionVersions,
  admissionRequestVersion,
  admissionRequestNamespace,
  type Version,
} from './admission-request.ts';

/**
 * The version in which a policy, a binding or a webhook handles the request; undefined if it does not match.
 *
 * `rules` may be empty in a binding, which then matches everything.
 */
export function matchAdmission(
  registry: Registry,
  attributes: Attributes,
  { rules, excluded = [], criteria }: { rules: readonly Fields[]; excluded?: readonly Fields[]; criteria: Fields },
): Version | undefined {
  if (!matchesAdmissionObject(attributes, fieldsAt(criteria, 'objectSelector'))) return undefined;
  const isExact = textField(criteria, 'matchPolicy') === 'Exact';
  const others = isExact ? [] : equivalentAdmissionVersions(registry, attributes);
  if (findAdmissionMatchVersion(attributes, excluded, others) !== undefined) return undefined;
  const found =
    rules.length === 0 ? admissionRequestVersion(attributes) : findAdmissionMatchVersion(attributes, rules, others);
  if (found === undefined || !matchesAdmissionNamespace(registry, attributes, fieldsAt(criteria, 'namespaceSelector')))
    return undefined;
  return found;
}

/** The version in which `matchConstraints` or `matchResources` of a policy match the request. */
export const matchAdmissionToPolicy = (
  registry: Registry,
  attributes: Attributes,
  criteria: Fields,
): Version | undefined =>
  matchAdmission(registry, attributes, {
    rules: itemsField(criteria, 'resourceRules'),
    excluded: itemsField(criteria, 'excludeResourceRules'),
    criteria,
  });

/** The request's own version comes first, even if it is named by a later rule. */
function findAdmissionMatchVersion(
  attributes: Attributes,
  rules: readonly Fields[],
  others: readonly Version[],
): Version | undefined {
  const own = admissionRequestVersion(attributes);
  if (rules.some((rule) => matchesAdmissionRule(rule, attributes, own))) return own;
  for (const rule of rules) for (const other of others) if (matchesAdmissionRule(rule, attributes, other)) return other;
  return undefined;
}

const matchesAdmissionName = (items: readonly string[], wanted: string): boolean =>
  items.includes('*') || items.includes(wanted);

function matchesAdmissionRule(rule: Fields, attributes: Attributes, { group, version, resource }: Version): boolean {
  const { target, operation, name } = attributes;
  const names = textsField(rule, 'resourceNames');
  return (
    matchesAdmissionName(textsField(rule, 'operations'), operation) &&
    matchesAdmissionName(textsField(rule, 'apiGroups'), group) &&
    matchesAdmissionName(textsField(rule, 'apiVersions'), version) &&
    textsField(rule, 'resources').some((pattern) => matchesAdmissionResource(pattern, resource, target.subresource)) &&
    matchesAdmissionScope(textField(rule, 'scope'), attributes) &&
    (names.length === 0 || names.includes(name))
  );
}

function matchesAdmissionResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [wanted, part] = slash === -1 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (wanted === '*' || wanted === resource) && (part === '*' || part === subresource);
}

/** Whether the scope of a rule matches. A Namespace itself is cluster-scoped. */
function matchesAdmissionScope(scope: string, attributes: Attributes): boolean {
  if (scope === '' || scope === '*') return true;
  const { group, resource } = attributes.target.served.resource;
  const isCluster = (group === '' && resource === 'namespaces') || admissionRequestNamespace(attributes) === '';
  return (scope === 'Cluster') === isCluster;
}

function matchesAdmissionObject({ object, oldObject }: Attributes, selector: Fields): boolean {
  if (isEmptyKindSelector(selector)) return true;
  return [object, oldObject].some(
    (one) => one !== undefined && kindSelectorMatches(selector, labelsForAdmissionMatch(one)),
  );
}

const labelsForAdmissionMatch = ({ metadata }: ApiObject): Readonly<Record<string, string>> =>
  textMapField((metadata ?? {}) as Fields, 'labels');

/**
 * Whether the namespace selector matches. A request without a namespace is never exempt. Throws 404 if the
 * namespace does not exist.
 */
function matchesAdmissionNamespace(registry: Registry, attributes: Attributes, selector: Fields): boolean {
  if (isEmptyKindSelector(selector)) return true;
  const { served, subresource } = attributes.target;
  const isNamespace = served.resource.resource === 'namespaces';
  const name = admissionRequestNamespace(attributes);
  if (name === '' && !isNamespace) return true;
  if (isNamespace && subresource === '' && attributes.object !== undefined)
    return kindSelectorMatches(selector, labelsForAdmissionMatch(attributes.object));
  return kindSelectorMatches(selector, labelsForAdmissionMatch(namespaceForAdmissionMatch(registry, name)));
}

/** The namespace of a request. Throws 404. */
export function namespaceForAdmissionMatch(registry: Registry, name: string): ApiObject {
  const namespaces = registry.find('', 'v1', 'namespaces');
  const record = namespaces?.collection.get('', name);
  if (namespaces === undefined || record === undefined)
    throw notFoundStatusError({ group: '', resource: 'namespaces', kind: 'Namespace' }, name);
  return namespaces.object(record);
}

import {
  duplicateFieldError,
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import {
  labelKeySyntaxComplaints,
  labelValueSyntaxComplaints,
  pathSegmentSyntaxComplaints,
} from '../../meta/name-syntax.ts';
import { type Fields, isFields, itemsField, textField, textMapField, textsField } from '../common/fields.ts';

/** Errors of the fields by which policies, bindings and webhooks select requests. */

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Errors of a value that is not one of `choices`; it may be absent if that is allowed. */
export function matchChoiceErrors(
  parent: Fields,
  name: string,
  path: string,
  choices: readonly string[],
): FieldError[] {
  const value = textField(parent, name);
  return value === '' || choices.includes(value) ? [] : [unsupportedFieldError(`${path}.${name}`, value, choices)];
}

/** Errors of one rule of a webhook or a policy. */
export function matchRuleErrors(rule: Fields, path: string): FieldError[] {
  const operations = textsField(rule, 'operations');
  const errors: FieldError[] = [];
  const wildcard = (name: string, what: string): void => {
    const items = textsField(rule, name);
    if (items.length === 0) errors.push(requiredFieldError(`${path}.${name}`));
    if (items.length > 1 && items.includes('*'))
      errors.push(invalidFieldError(`${path}.${name}`, items, `if '*' is present, must not specify other ${what}`));
  };
  wildcard('operations', 'operations');
  for (const [index, operation] of operations.entries())
    if (!OPERATIONS.includes(operation))
      errors.push(unsupportedFieldError(`${path}.operations[${index}]`, operation, OPERATIONS));
  wildcard('apiGroups', 'API groups');
  wildcard('apiVersions', 'API versions');
  for (const [index, version] of textsField(rule, 'apiVersions').entries())
    if (version === '') errors.push(requiredFieldError(`${path}.apiVersions[${index}]`));
  return [
    ...errors,
    ...matchErrorsOfRule(textsField(rule, 'resources'), `${path}.resources`),
    ...matchChoiceErrors(rule, 'scope', path, SCOPES),
  ];
}

function matchErrorsOfRule(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [requiredFieldError(path)];
  const errors: FieldError[] = [];
  const [allParts, allResources] = [new Set<string>(), new Set<string>()];
  for (const [index, pattern] of resources.entries()) {
    if (pattern === '') errors.push(requiredFieldError(`${path}[${index}]`));
    const slash = pattern.indexOf('/');
    if (slash === -1) continue;
    const [resource, part] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
    if (allParts.has(resource))
      errors.push(
        invalidFieldError(`${path}[${index}]`, pattern, `if '${resource}/*' is present, must not specify ${pattern}`),
      );
    if (allResources.has(part))
      errors.push(
        invalidFieldError(`${path}[${index}]`, pattern, `if '*/${part}' is present, must not specify ${pattern}`),
      );
    if (part === '*') allParts.add(resource);
    if (resource === '*') allResources.add(part);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalidFieldError(path, [...resources], "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && resources.some((one) => one !== '*' && !one.includes('/')))
    errors.push(
      invalidFieldError(
        path,
        [...resources],
        "if '*' is present, must not specify other resources without subresources",
      ),
    );
  return errors;
}

/** Errors of `matchConstraints` of a policy or `matchResources` of a binding. */
export function matchErrorsOfConstraints(match: Fields, path: string): FieldError[] {
  return [
    ...matchChoiceErrors(match, 'matchPolicy', path, ['Equivalent', 'Exact']),
    ...matchSelectorErrors(match, 'namespaceSelector', path),
    ...matchSelectorErrors(match, 'objectSelector', path),
    ...['resourceRules', 'excludeResourceRules'].flatMap((name) =>
      itemsField(match, name).flatMap((rule, index) => namedMatchRuleErrors(rule, `${path}.${name}[${index}]`)),
    ),
  ];
}

function namedMatchRuleErrors(rule: Fields, path: string): FieldError[] {
  const names = textsField(rule, 'resourceNames');
  const errors = names.flatMap((name, index) => [
    ...pathSegmentSyntaxComplaints(name).map((why) => invalidFieldError(`${path}.resourceNames[${index}]`, name, why)),
    ...(names.indexOf(name) < index ? [duplicateFieldError(`${path}.resourceNames[${index}]`, name)] : []),
  ]);
  return [...errors, ...matchRuleErrors(rule, path)];
}

/** Errors of a label selector, if there is one. */
export function matchSelectorErrors(parent: Fields, name: string, path: string): FieldError[] {
  const selector = parent[name];
  if (!isFields(selector)) return [];
  const at = `${path}.${name}`;
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(textMapField(selector, 'matchLabels'))) {
    for (const why of labelKeySyntaxComplaints(key)) errors.push(invalidFieldError(`${at}.matchLabels`, key, why));
    for (const why of labelValueSyntaxComplaints(value))
      errors.push(invalidFieldError(`${at}.matchLabels`, value, why));
  }
  const expressions = itemsField(selector, 'matchExpressions');
  return [
    ...errors,
    ...expressions.flatMap((one, index) => matchRequirementErrors(one, `${at}.matchExpressions[${index}]`)),
  ];
}

function matchRequirementErrors(requirement: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const [operator, key] = [textField(requirement, 'operator'), textField(requirement, 'key')];
  const values = textsField(requirement, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(requiredFieldError(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        forbiddenFieldError(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
  } else errors.push(invalidFieldError(`${path}.operator`, operator, 'not a valid selector operator'));
  for (const why of labelKeySyntaxComplaints(key)) errors.push(invalidFieldError(`${path}.key`, key, why));
  for (const [index, value] of values.entries())
    for (const why of labelValueSyntaxComplaints(value))
      errors.push(invalidFieldError(`${path}.values[${index}]`, value, why));
  return errors;
}

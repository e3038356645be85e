import {
  duplicateFieldError,
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import {
  labelKeySyntaxComplaints,
  pathSegmentSyntaxComplaints,
  subdomainSyntaxComplaints,
} from '../../meta/name-syntax.ts';
import { loadedPolicies } from '../../policies/load-policies.ts';
import { applyDefaultTable, type DefaultTable, defaultTableUnder } from '../common/default-table.ts';
import {
  type Fields,
  fieldsAt,
  isFields,
  itemsField,
  nameField,
  sameFields,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { expressionErrors, conditionExpressionErrors } from './expression-errors.ts';
import { matchChoiceErrors, matchErrorsOfConstraints, matchSelectorErrors } from './match-errors.ts';

const MATCH: DefaultTable = [
  ['namespaceSelector', {}],
  ['objectSelector', {}],
  ['matchPolicy', 'Equivalent'],
  ['resourceRules[].scope', '*'],
  ['excludeResourceRules[].scope', '*'],
];

const policyKindDefaults = (object: ApiObject): void =>
  applyDefaultTable(object, [['spec.failurePolicy', 'Fail'], ...defaultTableUnder('spec.matchConstraints', MATCH)]);

export const validatingPolicyRules: KindRules = {
  defaults: policyKindDefaults,
  validate: validatingPolicyErrors,
  // An unchanged spec stays allowed, even if the rules have changed since.
  validateUpdate: (next, old) => (sameFields(next['spec'], old['spec']) ? [] : validatingPolicyErrors(next)),
};

export const mutatingPolicyRules: KindRules = {
  defaults: policyKindDefaults,
  validate: mutatingPolicyErrors,
  validateUpdate: (next, old) => (sameFields(next['spec'], old['spec']) ? [] : mutatingPolicyErrors(next)),
};

const policyBindingKindRules = (hasActions: boolean): KindRules => ({
  defaults: (object) => applyDefaultTable(object, defaultTableUnder('spec.matchResources', MATCH)),
  validate: (object) => policyBindingErrors(specFields(object), hasActions),
});

export const validatingBindingRules: KindRules = policyBindingKindRules(true);
export const mutatingBindingRules: KindRules = policyBindingKindRules(false);

const IDENTIFIER = /^[_a-zA-Z]\w*$/;
const RESERVED: ReadonlySet<string> = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop',
  'package', 'namespace', 'return', 'var', 'void', 'while',
]); // prettier-ignore
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_ANNOTATIONS = 20;

/** Errors that both kinds of policies have in common. */
function policyErrors(spec: Fields): FieldError[] {
  const match = spec['matchConstraints'];
  const path = 'spec.matchConstraints';
  const hasParams = isFields(spec['paramKind']);
  const errors = [
    ...matchChoiceErrors(spec, 'failurePolicy', 'spec', ['Fail', 'Ignore']),
    ...(hasParams ? policyErrorsOfParamKind(fieldsAt(spec, 'paramKind')) : []),
  ];
  if (!isFields(match)) errors.push(requiredFieldError(path));
  else {
    errors.push(...matchErrorsOfConstraints(match, path));
    if (itemsField(match, 'resourceRules').length === 0) errors.push(requiredFieldError(`${path}.resourceRules`));
  }
  return [
    ...errors,
    ...conditionExpressionErrors(itemsField(spec, 'matchConditions'), 'spec.matchConditions', hasParams),
    ...policyVariableErrors(spec, hasParams),
  ];
}

function policyErrorsOfParamKind(kind: Fields): FieldError[] {
  const version = textField(kind, 'apiVersion');
  const errors: FieldError[] = [];
  if (version === '') errors.push(requiredFieldError('spec.paramKind.apiVersion'));
  else if (version.split('/').length > 2)
    errors.push(invalidFieldError('spec.paramKind.apiVersion', version, `unexpected GroupVersion string: ${version}`));
  if (textField(kind, 'kind') === '') errors.push(requiredFieldError('spec.paramKind.kind'));
  return errors;
}

function policyVariableErrors(spec: Fields, hasParams: boolean): FieldError[] {
  const compiled = loadedPolicies()?.compilePolicyVariables(spec, hasParams).variables ?? [];
  return itemsField(spec, 'variables').flatMap((variable, index) => {
    const at = `spec.variables[${index}]`;
    const [name, text] = [textField(variable, 'name'), textField(variable, 'expression')];
    const errors: FieldError[] = [];
    if (name.trim() === '') errors.push(requiredFieldError(`${at}.name`, 'name is not specified'));
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      errors.push(invalidFieldError(`${at}.name`, name, 'must be a valid CEL identifier'));
    if (text.trim() === '') errors.push(requiredFieldError(`${at}.expression`, 'expression is not specified'));
    else errors.push(...expressionErrors(`${at}.expression`, text, compiled[index]?.expression.error));
    return errors;
  });
}

function validatingPolicyErrors(object: ApiObject): FieldError[] {
  const spec = specFields(object);
  const compiled = loadedPolicies()?.compileValidatingPolicy(spec);
  const [validations, annotations] = [itemsField(spec, 'validations'), itemsField(spec, 'auditAnnotations')];
  const errors = policyErrors(spec);
  if (validations.length === 0 && annotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [...errors, requiredFieldError('spec.validations', why), requiredFieldError('spec.auditAnnotations', why)];
  }
  for (const [index, validation] of validations.entries()) {
    const { expression, messageExpression } = compiled?.validations[index] ?? {};
    errors.push(
      ...policyValidationErrors(validation, `spec.validations[${index}]`, expression?.error, messageExpression?.error),
    );
  }
  if (annotations.length > MAX_ANNOTATIONS)
    errors.push(
      invalidFieldError(
        'spec.auditAnnotations',
        annotations as never,
        `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`,
      ),
    );
  const keys = annotations.map((annotation) => textField(annotation, 'key'));
  for (const [index, annotation] of annotations.entries()) {
    const at = `spec.auditAnnotations[${index}]`;
    const full = `${nameField(object)}/${keys[index]}`;
    const text = textField(annotation, 'valueExpression');
    for (const why of labelKeySyntaxComplaints(full)) errors.push(invalidFieldError(`${at}.key`, full, why));
    if (text.trim() === '')
      errors.push(requiredFieldError(`${at}.valueExpression`, 'valueExpression is not specified'));
    else
      errors.push(
        ...expressionErrors(`${at}.valueExpression`, text, compiled?.auditAnnotations[index]?.expression.error),
      );
    if (keys.indexOf(keys[index] as string) < index)
      errors.push(duplicateFieldError(`${at}.key`, keys[index] as string));
  }
  return errors;
}

function policyValidationErrors(
  validation: Fields,
  at: string,
  error: string | undefined,
  messageError: string | undefined,
): FieldError[] {
  const [expression, message] = [textField(validation, 'expression'), textField(validation, 'message')];
  const messageExpression = textField(validation, 'messageExpression');
  const errors: FieldError[] = [];
  if (expression.trim() === '') errors.push(requiredFieldError(`${at}.expression`, 'expression is not specified'));
  else errors.push(...expressionErrors(`${at}.expression`, expression, error));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalidFieldError(`${at}.messageExpression`, messageExpression, 'must be non-empty if specified'));
  else if (messageExpression !== '')
    errors.push(...expressionErrors(`${at}.messageExpression`, messageExpression, messageError));
  if (message !== '' && message.trim() === '')
    errors.push(invalidFieldError(`${at}.message`, message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalidFieldError(`${at}.message`, message, 'must not contain line breaks'));
  return [...errors, ...matchChoiceErrors(validation, 'reason', at, REASONS)];
}

const MUTATED_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

function mutatingPolicyErrors(object: ApiObject): FieldError[] {
  const spec = specFields(object);
  const errors = policyErrors(spec);
  for (const rule of itemsField(fieldsAt(spec, 'matchConstraints'), 'resourceRules'))
    for (const operation of textsField(rule, 'operations'))
      if (!MUTATED_OPERATIONS.includes(operation))
        errors.push(
          unsupportedFieldError('spec.matchConstraints.resourceRules.operations', operation, MUTATED_OPERATIONS),
        );
  const mutations = itemsField(spec, 'mutations');
  if (mutations.length === 0)
    errors.push(requiredFieldError('spec.mutations', 'mutations must contain at least one item'));
  const compiled = loadedPolicies()?.compilePolicyMutations(spec);
  for (const [index, mutation] of mutations.entries())
    errors.push(
      ...policyMutationErrors(mutation, `spec.mutations[${index}]`, compiled?.mutations[index]?.expression.error),
    );
  if (textField(spec, 'reinvocationPolicy') === '') errors.push(requiredFieldError('spec.reinvocationPolicy'));
  return [...errors, ...matchChoiceErrors(spec, 'reinvocationPolicy', 'spec', ['IfNeeded', 'Never'])];
}

const PATCHES: ReadonlyMap<string, readonly [own: string, other: string]> = new Map([
  ['ApplyConfiguration', ['applyConfiguration', 'jsonPatch']],
  ['JSONPatch', ['jsonPatch', 'applyConfiguration']],
]);

function policyMutationErrors(mutation: Fields, at: string, error: string | undefined): FieldError[] {
  const type = textField(mutation, 'patchType');
  if (type === '') return [requiredFieldError(`${at}.patchType`)];
  const names = PATCHES.get(type);
  if (names === undefined) return [unsupportedFieldError(`${at}.patchType`, type, [...PATCHES.keys()])];
  const [own, other] = names;
  const errors: FieldError[] = [];
  if (!isFields(mutation[own]))
    errors.push(requiredFieldError(`${at}.${own}`, `must be specified when patchType is ${type}`));
  else {
    const text = textField(fieldsAt(mutation, own), 'expression').trim();
    if (text === '') errors.push(requiredFieldError(`${at}.${own}.expression`));
    else errors.push(...expressionErrors(`${at}.${own}.expression`, text, error));
  }
  if (isFields(mutation[other]))
    errors.push(invalidFieldError(`${at}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`));
  return errors;
}

function policyBindingErrors(spec: Fields, hasActions: boolean): FieldError[] {
  const name = textField(spec, 'policyName');
  const errors =
    name === ''
      ? [requiredFieldError('spec.policyName')]
      : subdomainSyntaxComplaints(name).map((why) => invalidFieldError('spec.policyName', name, why));
  if (isFields(spec['paramRef'])) errors.push(...policyParamRefErrors(spec['paramRef'], 'spec.paramRef'));
  if (isFields(spec['matchResources']))
    errors.push(...matchErrorsOfConstraints(spec['matchResources'], 'spec.matchResources'));
  return hasActions ? [...errors, ...policyActionErrors(textsField(spec, 'validationActions'))] : errors;
}

function policyParamRefErrors(ref: Fields, path: string): FieldError[] {
  const name = textField(ref, 'name');
  const hasSelector = isFields(ref['selector']);
  const errors: FieldError[] = [];
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '') {
    for (const why of pathSegmentSyntaxComplaints(name)) errors.push(invalidFieldError(`${path}.name`, name, why));
    if (hasSelector) errors.push(forbiddenFieldError(`${path}.name`, exclusive));
  }
  if (hasSelector) {
    errors.push(...matchSelectorErrors(ref, 'selector', path));
    if (name !== '') errors.push(forbiddenFieldError(`${path}.selector`, exclusive));
  }
  if (name === '' && !hasSelector) errors.push(requiredFieldError(path, 'one of name or selector must be specified'));
  if (textField(ref, 'parameterNotFoundAction') === '')
    errors.push(requiredFieldError(`${path}.parameterNotFoundAction`));
  return [...errors, ...matchChoiceErrors(ref, 'parameterNotFoundAction', path, ['Deny', 'Allow'])];
}

const ACTIONS = ['Audit', 'Deny', 'Warn'];

function policyActionErrors(actions: readonly string[]): FieldError[] {
  const path = 'spec.validationActions';
  const errors: FieldError[] = [];
  for (const [index, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) errors.push(unsupportedFieldError(`${path}[${index}]`, action, ACTIONS));
    if (actions.indexOf(action) < index) errors.push(duplicateFieldError(`${path}[${index}]`, action));
  }
  if (actions.includes('Deny') && actions.includes('Warn'))
    errors.push(
      invalidFieldError(
        path,
        [...actions],
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  if (actions.length === 0) errors.push(requiredFieldError(path, 'at least one validation action is required'));
  return errors;
}

import { defined } from 'kube-informer/core';
import { BOOL, NULL, STRING, type Type } from '../../cel/types/type.ts';
import { type Fields, isFields, itemsField, textField } from '../kinds/common/fields.ts';
import type { Declared } from './declarations.ts';
import { type PolicyExpression, policyExpression } from './policy-expression.ts';

export interface NamedExpression {
  readonly name: string;
  readonly expression: PolicyExpression;
}

export interface PolicyValidation {
  readonly expression: PolicyExpression;
  readonly message: string;
  /** Undefined if the policy has none. */
  readonly messageExpression: PolicyExpression | undefined;
  /** The reason of a refusal; empty for the default. */
  readonly reason: string;
}

/** The expressions of a ValidatingAdmissionPolicy. */
export interface ValidatingPolicy {
  readonly matchConditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  readonly validations: readonly PolicyValidation[];
  readonly auditAnnotations: readonly NamedExpression[];
}

/** Match conditions of a policy or a webhook. They see no variables of the policy. */
export const compilePolicyConditions = (conditions: readonly Fields[], params: boolean): NamedExpression[] =>
  conditions.map((condition) => ({
    name: textField(condition, 'name'),
    expression: policyExpression(textField(condition, 'expression').trim(), { params, authorizer: true }, [BOOL]),
  }));

/** Each variable may use those before it. */
export function compilePolicyVariables(
  spec: Fields,
  params: boolean,
): {
  readonly variables: readonly NamedExpression[];
  readonly types: ReadonlyMap<string, Type> | undefined;
} {
  const items = itemsField(spec, 'variables');
  const types = new Map<string, Type>();
  const variables = items.map((variable): NamedExpression => {
    const name = textField(variable, 'name');
    const declared: Declared = { params, authorizer: true, variables: new Map(types) };
    const expression = policyExpression(textField(variable, 'expression'), declared, []);
    types.set(name, expression.type);
    return { name, expression };
  });
  return { variables, types: items.length === 0 ? undefined : types };
}

export function compileValidatingPolicy(spec: Fields): ValidatingPolicy {
  const params = isFields(spec['paramKind']);
  const { variables, types } = compilePolicyVariables(spec, params);
  const declared: Declared = { params, authorizer: true, ...defined({ variables: types }) };
  const plain: Declared = { ...declared, authorizer: false };
  return {
    matchConditions: compilePolicyConditions(itemsField(spec, 'matchConditions'), params),
    variables,
    validations: itemsField(spec, 'validations').map((validation) => {
      const message = textField(validation, 'messageExpression');
      return {
        expression: policyExpression(textField(validation, 'expression'), declared, [BOOL]),
        message: textField(validation, 'message'),
        messageExpression: message === '' ? undefined : policyExpression(message, plain, [STRING]),
        reason: textField(validation, 'reason'),
      };
    }),
    auditAnnotations: itemsField(spec, 'auditAnnotations').map((annotation) => ({
      name: textField(annotation, 'key'),
      expression: policyExpression(textField(annotation, 'valueExpression').trim(), declared, [STRING, NULL]),
    })),
  };
}

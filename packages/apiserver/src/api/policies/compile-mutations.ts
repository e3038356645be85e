import { listType } from '../../cel/types/type.ts';
import { type Fields, fieldsAt, isFields, itemsField, textField } from '../kinds/common/fields.ts';
import { compilePolicyConditions, compilePolicyVariables, type NamedExpression } from './compile-policy.ts';
import { mutationEnvironment, type Declared } from './declarations.ts';
import { type PolicyExpression, policyExpression } from './policy-expression.ts';
import { JSON_PATCH, OBJECT } from './mutation-types.ts';

export interface Mutation {
  readonly type: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: PolicyExpression;
}

/** The expressions of a MutatingAdmissionPolicy. */
export interface MutatingPolicy {
  readonly matchConditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  readonly mutations: readonly Mutation[];
}

export function compilePolicyMutations(spec: Fields): MutatingPolicy {
  const params = isFields(spec['paramKind']);
  const { variables, types = new Map() } = compilePolicyVariables(spec, params);
  const declared: Declared = { params, authorizer: true, variables: types };
  return {
    matchConditions: compilePolicyConditions(itemsField(spec, 'matchConditions'), params),
    variables,
    mutations: itemsField(spec, 'mutations').map((mutation) => {
      const type = textField(mutation, 'patchType') === 'JSONPatch' ? 'JSONPatch' : 'ApplyConfiguration';
      const text = textField(
        fieldsAt(mutation, type === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration'),
        'expression',
      );
      const returns = type === 'JSONPatch' ? listType(JSON_PATCH) : OBJECT;
      return { type, expression: policyExpression(text.trim(), declared, [returns], mutationEnvironment) };
    }),
  };
}

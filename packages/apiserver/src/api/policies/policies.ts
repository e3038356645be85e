export {
  compileMatchConditions,
  compilePolicyVariables,
  compileValidatingPolicy,
  type NamedExpression,
  type ValidatingPolicy,
} from './compile-policy.ts';
export { compileMutatingPolicy, type Mutation, type MutatingPolicy } from './compile-mutations.ts';
export { jsonOfMutation, misnamedMutationType } from './mutation-types.ts';
export { dynValue } from './dyn-value.ts';
export { authorizerValue, authorizerRequestResource } from '../rules/library/authorizer.ts';
export { policyEvaluationWork } from './evaluation.ts';
export { evaluatePolicyMutation, meetsPolicyConditions, validateByPolicy } from './policy-verdict.ts';

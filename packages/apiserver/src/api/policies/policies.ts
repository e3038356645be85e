export {
  compilePolicyConditions as compileMatchConditions,
  compilePolicyVariables,
  compileValidatingPolicy,
  type NamedExpression,
  type ValidatingPolicy,
} from './compile-policy.ts';
export {
  compilePolicyMutations as compileMutatingPolicy,
  type Mutation,
  type MutatingPolicy,
} from './compile-mutations.ts';
export { jsonOfMutation, misnamedMutationType } from './mutation-types.ts';
export { dynValue } from './dyn-value.ts';
export {
  policyAuthorizer as authorizerValue,
  policyAuthorizerResource as authorizerRequestResource,
} from './policy-authorizer.ts';
export { policyEvaluationWork } from './evaluation.ts';
export {
  mutationOfPolicyVerdict as evaluatePolicyMutation,
  policyVerdictApplies as meetsPolicyConditions,
  policyVerdict as validateByPolicy,
} from './policy-verdict.ts';

export {
  compilePolicyConditions,
  compilePolicyVariables,
  compileValidatingPolicy,
  type NamedExpression,
  type ValidatingPolicy,
} from './compile-policy.ts';
export { compilePolicyMutations, type Mutation, type MutatingPolicy } from './compile-mutations.ts';
export { jsonOfMutation, misnamedMutationType } from './mutation-types.ts';
export { dynValue } from './dyn-value.ts';
export {
  ruleAuthorizer as authorizerValue,
  ruleAuthorizerResource as authorizerRequestResource,
} from '../rules/library/authorizer.ts';
export { policyEvaluationWork } from './evaluation.ts';
export { mutationOfPolicyVerdict, policyVerdictApplies, policyVerdict } from './policy-verdict.ts';

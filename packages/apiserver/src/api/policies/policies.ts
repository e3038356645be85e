export {
  compileMatchConditions,
  compilePolicyVariables,
  compileValidatingPolicy,
  type NamedExpression,
  type ValidatingPolicy,
} from './compile-policy.ts';
export { compileMutatingPolicy, type Mutation, type MutatingPolicy } from './compile-mutations.ts';
export { jsonOfValue, misnamedObject } from './mutation-types.ts';
export { dynValue } from './dyn-value.ts';
export { authorizerValue, requestResourceValue } from './authorizer.ts';
export { requestWork } from './evaluation.ts';
export { evaluateMutation, meetsConditions, validateByPolicy } from './validate-request.ts';

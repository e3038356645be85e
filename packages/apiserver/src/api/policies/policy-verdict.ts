import type { Value } from '../../cel/values/cel-value.ts';
import type { Work } from '../../core/work.ts';
import type { Mutation } from './compile-mutations.ts';
import type { NamedExpression, PolicyValidation, ValidatingPolicy } from './compile-policy.ts';
import {
  type Evaluated,
  type EvaluationInput,
  MATCH_CONDITIONS_BUDGET,
  OutOfBudget,
  POLICY_BUDGET,
  PolicyEvaluation,
} from './evaluation.ts';

/** An objection of a policy to a request: an expression that is false, or one that cannot be evaluated. */
export interface Refusal {
  readonly message: string;
  readonly reason: string;
  /**
   * Whether an expression failed. It counts only if the failure policy is `Fail`, regardless of the binding's
   * actions.
   */
  readonly isError: boolean;
  /** Whether the request is refused regardless of the binding's actions. */
  readonly isFinal?: boolean;
}

/** Values of an expression's variables, with `authorizer` and without. */
export interface PolicyValues {
  readonly all: ReadonlyMap<string, Value>;
  readonly withoutAuthorizer: ReadonlyMap<string, Value>;
}

const MAX_MESSAGE_BYTES = 5 * 1024;

/** Whether a request meets all conditions; an error if that cannot be determined. */
export function policyVerdictApplies(
  conditions: readonly NamedExpression[],
  input: EvaluationInput,
): boolean | { readonly error: string } {
  if (conditions.length === 0) return true;
  const evaluation = new PolicyEvaluation(input, [], MATCH_CONDITIONS_BUDGET);
  let results: readonly Evaluated[];
  try {
    results = conditions.map(({ expression }) => evaluation.evaluate(expression));
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
  if (results.some((result) => 'value' in result && result.value === false)) return false;
  const errors = [...new Set(results.flatMap((result) => ('error' in result ? [result.error] : [])))];
  if (errors.length === 0) return true;
  return { error: errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]` };
}

/** Evaluates a policy for a request and the parameters of one binding. */
export function policyVerdict(
  policy: ValidatingPolicy,
  { all, withoutAuthorizer }: PolicyValues,
  work: Work,
  ignoresErrors: boolean,
): Refusal[] {
  const input: EvaluationInput = { values: all, work };
  const failed = (message: string): Refusal[] => (ignoresErrors ? [] : [{ message, reason: 'Invalid', isError: true }]);
  const met = policyVerdictApplies(policy.matchConditions, input);
  if (typeof met === 'object') return failed(met.error);
  if (!met) return [];
  try {
    const evaluation = new PolicyEvaluation(input, policy.variables, POLICY_BUDGET);
    const results = policy.validations.map(({ expression }) => evaluation.evaluate(expression));
    const messages = new PolicyEvaluation({ values: withoutAuthorizer, work }, policy.variables, POLICY_BUDGET);
    const refusals = results.flatMap((result, index): Refusal[] => {
      const validation = policy.validations[index] as PolicyValidation;
      if ('error' in result) return failed(result.error);
      if (result.value === true) return [];
      return [
        { message: policyVerdictMessage(validation, messages), reason: validation.reason || 'Invalid', isError: false },
      ];
    });
    return [...refusals, ...policyVerdictsOfAnnotations(policy, input, ignoresErrors)];
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

/** The message of a refusal: that of the message expression, else the message, else the expression itself. */
function policyVerdictMessage(
  { expression, message, messageExpression }: PolicyValidation,
  messages: PolicyEvaluation,
): string {
  if (messageExpression !== undefined) {
    const result = messages.evaluate(messageExpression);
    const text = 'value' in result && typeof result.value === 'string' ? result.value.trim() : '';
    if (text !== '' && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES && !text.includes('\n')) return text;
  }
  return message.trim() || `failed expression: ${expression.text.trim()}`;
}

/** Evaluates audit annotations. There is no audit log here, but one that cannot be evaluated refuses the request. */
function policyVerdictsOfAnnotations(
  policy: ValidatingPolicy,
  input: EvaluationInput,
  ignoresErrors: boolean,
): Refusal[] {
  const evaluation = new PolicyEvaluation(input, policy.variables, POLICY_BUDGET);
  return policy.auditAnnotations.flatMap(({ expression }): Refusal[] => {
    const result = evaluation.evaluate(expression);
    if ('value' in result || ignoresErrors) return [];
    return [{ message: result.error, reason: 'Invalid', isError: true, isFinal: true }];
  });
}

/** The value of a mutation's expression, or why there is none. */
export function mutationOfPolicyVerdict(
  { expression }: Mutation,
  variables: readonly NamedExpression[],
  input: EvaluationInput,
): Evaluated {
  try {
    return new PolicyEvaluation(input, variables, POLICY_BUDGET).evaluate(expression);
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
}

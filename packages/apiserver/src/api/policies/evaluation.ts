import { fail, Failure, type MapValue, type Value } from '../../cel/values/cel-value.ts';
import { Work } from '../../core/work.ts';
import type { NamedExpression } from './compile-policy.ts';
import type { PolicyExpression } from './policy-expression.ts';

/** Maximum cost of one expression, of all expressions of a policy for one request, and of match conditions. */
const CALL_LIMIT = 1_000_000;
export const POLICY_BUDGET = 10_000_000;
export const MATCH_CONDITIONS_BUDGET = 2_500_000;

/** Maximum cost of all expressions for one request. */
const MAX_REQUEST_COST = 100_000_000;

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Thrown when the expressions together cost too much. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
}

/** The value of an expression, or the reason why there is none. */
export type Evaluated = { readonly value: Value } | { readonly error: string };

/** Values of the variables, and the work of the whole request. */
export interface EvaluationInput {
  readonly values: ReadonlyMap<string, Value>;
  readonly work: Work;
}

/**
 * Counts the cost of all policies and conditions of one request. A real server limits each policy alone; here
 * a policy with very many parameters would block the process, which also runs the tests.
 */
export const policyEvaluationWork = (): Work => new Work('evaluating admission policies', MAX_REQUEST_COST);

/** Evaluates the expressions of one policy for one request. Throws 413 when the request has cost too much. */
export class PolicyEvaluation {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #work: Work;
  #budget: number;

  constructor({ values, work }: EvaluationInput, variables: readonly NamedExpression[], budget: number) {
    const all = new Map(values);
    this.#work = work;
    this.#budget = budget;
    this.#values = all;
    if (variables.length > 0) all.set('variables', new LazyVariables(variables, (one) => this.#variable(one)));
  }

  /** Evaluates an expression. Throws `OutOfBudget`. */
  evaluate({ text, program, error }: PolicyExpression): Evaluated {
    if (program === undefined) return { error: `compilation error: ${error}` };
    const { value, cost } = program.run(this.#values, CALL_LIMIT);
    this.#spend(cost);
    return value instanceof Failure ? { error: `expression '${text}' resulted in error: ${value.message}` } : { value };
  }

  #variable({ name, expression: { program, error } }: NamedExpression): Value {
    if (program === undefined) return fail(`composited variable "${name}" fails to compile: ${error}`);
    const { value, cost } = program.run(this.#values, CALL_LIMIT);
    this.#spend(cost);
    return value instanceof Failure ? fail(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }

  #spend(cost: number): void {
    this.#work.spend(cost);
    this.#budget -= cost;
    if (this.#budget < 0) throw new OutOfBudget(OUT_OF_BUDGET);
  }
}

/** The variables of a policy. Each is evaluated when it is first read. */
class LazyVariables implements MapValue {
  readonly kind = 'map';
  readonly #expressions: ReadonlyMap<string, NamedExpression>;
  readonly #evaluate: (variable: NamedExpression) => Value;
  readonly #known = new Map<string, Value>();

  constructor(variables: readonly NamedExpression[], evaluate: (variable: NamedExpression) => Value) {
    this.#expressions = new Map(variables.map((variable) => [variable.name, variable]));
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#expressions.size;
  }

  find(key: Value): Value | undefined {
    const name = typeof key === 'string' ? key : '';
    const variable = this.#expressions.get(name);
    if (variable === undefined) return undefined;
    let value = this.#known.get(name);
    if (value === undefined) this.#known.set(name, (value = this.#evaluate(variable)));
    return value;
  }

  keys(): readonly Value[] {
    return [...this.#expressions.keys()];
  }
}

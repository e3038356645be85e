import type { Value } from '../values/cel-value.ts';
import { CostExceeded } from '../values/cel-failure.ts';

/** The state of one evaluation. */
export class Context {
  /** Values of loop variables, by the index that the plan gave them. */
  readonly locals: Value[] = [];
  readonly variables: ReadonlyMap<string, Value>;
  readonly #limit: number;
  #cost = 0;

  constructor(variables: ReadonlyMap<string, Value>, limit: number) {
    this.variables = variables;
    this.#limit = limit;
  }

  get cost(): number {
    return this.#cost;
  }

  /** Refunds the cost of the next step if it is free here. */
  refund(cost: number): void {
    this.#cost -= cost;
  }

  /** Spends cost. Throws when the evaluation has become too expensive. */
  spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostExceeded();
  }
}

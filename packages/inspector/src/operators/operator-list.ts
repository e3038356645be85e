import { type Env, errorMessageOf } from 'kube-informer/core';
import type { InspectedOperator, InspectedReport } from './inspected-operator.ts';

/** An operator and its current report. */
export interface ListedOperator {
  /** Name of the operator in the election, or its number. Unique in the list. */
  readonly id: string;
  readonly operator: InspectedOperator;
  readonly report: InspectedReport;
}

/** The operators of the process. The user's collection is read each time, because replicas are added and removed. */
export class OperatorList {
  readonly #operators: Iterable<InspectedOperator>;
  readonly #env: Env;

  constructor(operators: Iterable<InspectedOperator>, env: Env) {
    this.#operators = operators;
    this.#env = env;
  }

  /** The operators. One that cannot be read is left out and logged, so that the page shows the others. */
  list(): readonly ListedOperator[] {
    const taken = new Set<string>();
    return [...this.#operators].flatMap((operator, at) => {
      try {
        const report = operator.inspect();
        const name = report.identity ?? `operator ${at + 1}`;
        const id = taken.has(name) ? `${name} (${at + 1})` : name;
        taken.add(id);
        return [{ id, operator, report }];
      } catch (error) {
        this.#env.log('warn', 'an operator could not be inspected', { error: errorMessageOf(error) });
        return [];
      }
    });
  }

  /** The operator that runs a controller; the leader if there are several. */
  find(controller: string): ListedOperator | undefined {
    const having = this.list().filter(({ report }) => report.controllers.some(({ name }) => name === controller));
    return having.find(({ report }) => operatorListLeaders(report, controller)) ?? having[0];
  }
}

const operatorListLeaders = ({ controllers }: InspectedReport, controller: string): boolean =>
  controllers.some(({ name, state }) => name === controller && state.kind === 'leading');

import { checkExpression, type Variables } from './check/checker.ts';
import { Environment, type Library } from './check/environment.ts';
import { literalIssues } from './check/literal-issues.ts';
import { mixedLiteralIssues } from './check/mixed-literals.ts';
import { Context } from './evaluate/context.ts';
import type { Step } from './evaluate/choices.ts';
import { plan, PlanFault } from './evaluate/plan.ts';
import { type Range, UNKNOWN_RANGE } from './cost/cost-range.ts';
import { estimateCost, type SizeLookup } from './estimate/estimate-cost.ts';
import { arithmetic } from './library/arithmetic.ts';
import { conversions } from './library/cel-conversions.ts';
import { lists, sets } from './library/cel-lists.ts';
import { optionals } from './library/optionals.ts';
import { standard } from './library/standard.ts';
import { strings } from './library/strings.ts';
import { time } from './library/time-functions.ts';
import { parse } from './syntax/parser.ts';
import type { Expr } from './syntax/ast.ts';
import { celSourceIssuesText } from './syntax/source.ts';
import type { Type } from './types/type.ts';
import { fail, type Value } from './values/cel-value.ts';
import { CostExceeded } from './values/cel-failure.ts';
import { WorkMeter, withWorkMeter } from './values/work-meter.ts';

/** The libraries that do not depend on their host. Regular expressions belong to the host. */
export const LIBRARIES: readonly Library[] = [standard, arithmetic, conversions, time, strings, lists, sets, optionals];

export interface Outcome {
  /** The value, which may be a failure. */
  readonly value: Value;
  readonly cost: number;
}

/** A compiled expression. */
export interface Program {
  readonly type: Type;
  /** Variables that the expression reads. */
  readonly reads: ReadonlySet<string>;
  /**
   * Evaluates the expression. The result is a failure when the cost exceeds the limit, or the work that of
   * the meter. Never throws a failure.
   */
  run(variables: ReadonlyMap<string, Value>, costLimit: number, meter?: WorkMeter): Outcome;
  /** The cost that an evaluation could have, if the values of variables have at most these sizes. */
  estimate(sizes: SizeLookup): Range;
}

/** Either a program, or the text of all issues; `fault`: it can never be evaluated. */
export type Compiled = { readonly program: Program } | { readonly issues: string } | { readonly fault: string };

/** Parses, checks and plans an expression. */
export function compileCel(source: string, environment: Environment, variables: Variables): Compiled {
  try {
    return compileExpression(source, environment, variables);
  } catch (error) {
    if (error instanceof RangeError) return { issues: TOO_DEEP };
    throw error;
  }
}

/** Maximum length of an expression, as in cel-go. */
const MAX_SOURCE = 100_000;

/** The error for a chain of thousands of operators or fields, which the limit of the parser does not count. */
const TOO_DEEP = 'expression recursion limit exceeded';

function compileExpression(source: string, environment: Environment, variables: Variables): Compiled {
  if (source.length > MAX_SOURCE)
    return { issues: `expression code point size exceeds limit: size: ${source.length}, limit ${MAX_SOURCE}` };
  const { expr, issues: syntax } = parse(source);
  if (expr === undefined) return { issues: celSourceIssuesText(source, syntax) };
  const { checked, issues } = checkExpression(expr, environment, variables);
  const all = issues.length > 0 ? issues : [...literalIssues(checked), ...mixedLiteralIssues(checked)];
  if (all.length > 0) return { issues: celSourceIssuesText(source, all) };
  let step: Step;
  try {
    step = plan(checked, environment, new Set(variables.keys()));
  } catch (error) {
    if (error instanceof PlanFault) return { fault: error.message };
    throw error;
  }
  const reads = new Set<string>();
  collectExpressionNames(expr, reads);
  return {
    program: {
      type: checked.type,
      reads,
      run(values, costLimit, meter = new WorkMeter()) {
        const context = new Context(values, costLimit);
        try {
          const value = withWorkMeter(meter, () => step(context));
          return { value, cost: context.cost };
        } catch (error) {
          if (error instanceof CostExceeded) return { value: error, cost: context.cost };
          if (error instanceof RangeError) return { value: fail(TOO_DEEP), cost: context.cost };
          throw error;
        }
      },
      estimate(sizes) {
        try {
          return estimateCost(checked, environment, sizes);
        } catch (error) {
          if (error instanceof RangeError) return UNKNOWN_RANGE;
          throw error;
        }
      },
    },
  };
}

/** Collects the names in an expression, including loop variables; a loop variable hides a variable of the same name. */
function collectExpressionNames(expr: Expr, names: Set<string>): void {
  const each = (...parts: (Expr | undefined)[]): void => {
    for (const part of parts) if (part !== undefined) collectExpressionNames(part, names);
  };
  if (expr.kind === 'ident') names.add(expr.name.replace(/^\./, ''));
  else if (expr.kind === 'select') each(expr.operand);
  else if (expr.kind === 'call') each(expr.target, ...expr.args);
  else if (expr.kind === 'list') each(...expr.items);
  else if (expr.kind === 'map') each(...expr.entries.flatMap(({ key, value }) => [key, value]));
  else if (expr.kind === 'struct') each(...expr.fields.map(({ value }) => value));
  else if (expr.kind === 'fold') each(expr.range, expr.initial, expr.condition, expr.step, expr.result);
}

export { Environment, type SizeLookup, WorkMeter };

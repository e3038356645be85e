import type { Call } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import { Failure, type Value } from '../values/cel-value.ts';
import type { Checked } from './checker.ts';
import { formatLiteralIssues } from './format-literals.ts';

/** Functions whose first argument is evaluated when the expression is compiled, if it is a literal. */
const CHECKED: ReadonlySet<string> = new Set(['duration', 'timestamp', 'matches']);

/** Issues of literals that can never work: an invalid duration, timestamp or regular expression. */
export function literalIssues(checked: Checked): Issue[] {
  const issues: Issue[] = [];
  for (const [expr, overloads] of checked.overloads) {
    const call = expr as Call;
    if (call.name === 'format') issues.push(...formatLiteralIssues(call, checked.typeOf));
    const [argument] = CHECKED.has(call.name) ? call.args : [];
    if (argument?.kind !== 'literal') continue;
    // Also in `matches(a, b)`, where the first argument is the text and not the pattern.
    const values = call.name === 'matches' ? ['', argument.value] : [argument.value];
    for (const { run } of overloads.slice(0, 1))
      if (attemptOnLiterals(run, values) instanceof Failure)
        issues.push({ at: argument.at, message: `invalid ${call.name} argument` });
  }
  return issues;
}

function attemptOnLiterals(run: (args: readonly Value[]) => Value, values: readonly Value[]): Value {
  try {
    return run(values);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

import type { Call, Expr } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import { Failure, type Value } from '../values/cel-value.ts';
import { formatCelText } from '../values/cel-format.ts';
import type { Checked } from './checker.ts';

/** Functions whose literal argument is tried when the expression is compiled, and the index of that argument. */
const CHECKED: ReadonlyMap<string, number> = new Map([
  ['duration', 0],
  ['timestamp', 0],
  ['matches', -1],
]);

/** Literals that can never work: a duration, a timestamp or a regular expression that cannot be read. */
export function literalIssues(checked: Checked): Issue[] {
  const issues: Issue[] = [];
  for (const [expr, overloads] of checked.overloads) {
    const call = expr as Call;
    if (call.name === 'format') issues.push(...literalFormatIssues(call));
    const at = CHECKED.get(call.name);
    const argument = at === undefined ? undefined : call.args.at(at);
    if (argument?.kind !== 'literal' || typeof argument.value !== 'string') continue;
    const values = call.name === 'matches' ? ['', argument.value] : [argument.value];
    for (const { run } of overloads.slice(0, 1))
      if (attemptOnLiterals(run, values) instanceof Failure)
        issues.push({ at: (argument as Expr).at, message: `invalid ${call.name} argument` });
  }
  return issues;
}

/** A pattern with too few values, or with a literal that its clause cannot show. */
function literalFormatIssues({ at, target, args: [list] }: Call): Issue[] {
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return [];
  const clauses = [...target.value.matchAll(/%(?:%|(?:\.\d+)?[a-zA-Z])/g)]
    .map(([text]) => text)
    .filter((text) => text !== '%%');
  if (clauses.length > list.items.length) return [{ at, message: `index ${list.items.length} out of range` }];
  return list.items.flatMap((item, index) => {
    const clause = clauses[index];
    if (item.kind !== 'literal' || clause === undefined) return [];
    const shown = formatCelText(clause, [item.value]);
    return shown instanceof Failure ? [{ at: item.at, message: shown.message }] : [];
  });
}

function attemptOnLiterals(run: (args: readonly Value[]) => Value, values: readonly Value[]): Value {
  try {
    return run(values);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

import type { Expr } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import { isSameType, optionalContentType, type Type, typeText } from '../types/type.ts';
import type { Checked } from './checker.ts';

/** Issues of lists and maps whose items have different types. `dyn` is a type of its own: it differs from a text. */
export function mixedLiteralIssues({ expr, typeOf }: Checked): Issue[] {
  const issues: Issue[] = [];
  const differs = (items: readonly Expr[], isOptional: (index: number) => boolean): void => {
    let first: Type | undefined;
    for (const [index, item] of items.entries()) {
      const whole = typeOf(item);
      const type = isOptional(index) ? (optionalContentType(whole) ?? whole) : whole;
      first ??= type;
      if (isSameType(first, type)) continue;
      issues.push({ at: item.at, message: `expected type '${typeText(first)}' but found '${typeText(type)}'` });
      return;
    }
  };
  const each = (...parts: readonly (Expr | undefined)[]): void => {
    for (const part of parts) if (part !== undefined) visit(part);
  };
  const visit = (one: Expr): void => {
    if (one.kind === 'list') {
      differs(one.items, (index) => one.optional.has(index));
      each(...one.items);
    } else if (one.kind === 'map') {
      differs(one.entries.map(({ key }) => key), () => false); // prettier-ignore
      differs(one.entries.map(({ value }) => value), (index) => one.entries[index]?.isOptional === true); // prettier-ignore
      each(...one.entries.flatMap(({ key, value }) => [key, value]));
    } else if (one.kind === 'select') each(one.operand);
    // The values of a format may be of any types.
    else if (one.kind === 'call') each(one.target, ...(one.name === 'format' ? [] : one.args));
    else if (one.kind === 'struct') each(...one.fields.map(({ value }) => value));
    else if (one.kind === 'fold') each(one.range, one.initial, one.condition, one.step, one.result);
  };
  visit(expr);
  return issues;
}

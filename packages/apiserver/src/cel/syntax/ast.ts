import type { Value } from '../values/cel-value.ts';

/** One node of an expression. `at` is the offset that faults point to. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Fold;

interface Node {
  readonly at: number;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Ident extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** Whether this is `has(a.b)`, a test for the field. */
  readonly isTest: boolean;
}

export interface Call extends Node {
  readonly kind: 'call';
  /** Name of the function, such as `_+_` or `size`. */
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly items: readonly Expr[];
  /** Indexes of the items written with a question mark. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly type: string;
  readonly fields: readonly FieldEntry[];
}

/** `name: value` of a message that is created. */
export interface FieldEntry extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly isOptional: boolean;
}

/** A loop over a list or a map; macros expand to these. */
export interface Fold extends Node {
  readonly kind: 'fold';
  readonly range: Expr;
  readonly variable: string;
  /** If set, this is the variable of the value, and `variable` that of the index or key. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expr;
  /** Condition to continue the loop. */
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** `a.b.c` as a name, if the expression is one. */
export function qualifiedNameInAst(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest) return undefined;
  const operand = qualifiedNameInAst(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}

/** Whether a loop over nothing only binds a value to a name, as macros do. */
export const isBindingFold = ({ range, condition }: Fold): boolean =>
  range.kind === 'list' && range.items.length === 0 && condition.kind === 'literal' && condition.value === false;

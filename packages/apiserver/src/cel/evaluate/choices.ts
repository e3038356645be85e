import { fail, Failure, Optional, type Value } from '../values/cel-value.ts';
import type { Context } from './context.ts';

/** A part of an expression that can be evaluated. */
export type Step = (context: Context) => Value;

/**
 * Plans `||` or `&&`. `decides` on either side is the result, even if the other side fails; otherwise the
 * first failure is.
 */
export function planLogic(left: Step, right: Step, decides: boolean): Step {
  return (context) => {
    const first = left(context);
    if (first === decides) return decides;
    const second = right(context);
    if (second === decides) return decides;
    if (typeof first !== 'boolean') return first instanceof Failure ? first : fail('no such overload');
    if (typeof second !== 'boolean') return second instanceof Failure ? second : fail('no such overload');
    return !decides;
  };
}

export function planConditional(condition: Step, yes: Step, no: Step): Step {
  return (context) => {
    const value = condition(context);
    if (value === true) return yes(context);
    if (value === false) return no(context);
    return value instanceof Failure ? value : fail('no such overload');
  };
}

/**
 * Plans `a.or(b)` and, with `isValue`, `a.orValue(b)`: the right side is evaluated only if there is no value
 * on the left.
 */
export function planOptionalOr(left: Step, right: Step, isValue: boolean): Step {
  return (context) => {
    const first = left(context);
    if (!(first instanceof Optional)) return first;
    if (first.content === undefined) return right(context);
    return isValue ? first.content : first;
  };
}

/** A named value that has not been read yet. */
class PendingLocal {
  readonly step: Step;
  constructor(step: Step) {
    this.step = step;
  }
}

/** Binds a value to a name for a result. The value is evaluated when the result first reads it. */
export function planBinding(at: number, value: Step, result: Step): Step {
  return (context) => {
    context.locals[at] = new PendingLocal(value) as unknown as Value;
    return result(context);
  };
}

/** The value of a loop variable, or of a name. */
export function readLocal(context: Context, at: number): Value {
  const { locals } = context;
  const found: unknown = locals[at];
  if (!(found instanceof PendingLocal)) return found as Value;
  // Loops inside the value reuse the slots of loops around it.
  const before = [...locals];
  const value = found.step(context);
  locals.splice(0, locals.length, ...before);
  locals[at] = value;
  return value;
}

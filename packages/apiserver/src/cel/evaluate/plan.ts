import type { Checked } from '../check/checker.ts';
import type { Environment, Overload } from '../check/environment.ts';
import {
  type Call, type Expr, type Fold, isBindingFold, type ListExpr, type MapExpr, type Select, type StructExpr,
} from '../syntax/ast.ts'; // prettier-ignore
import { isDynamicType, type Type } from '../types/type.ts';
import { typeKindOf, typeName } from '../values/type-name.ts';
import {
  ArrayList,
  fail,
  Failure,
  isCelListValue,
  isCelMapValue,
  isCelMapKeyValue,
  KeyedMap,
  OpaqueValue,
  Optional,
  type Value,
} from '../values/cel-value.ts';
import { CostExceeded } from '../values/cel-failure.ts';
import { spendWork } from '../values/work-meter.ts';
import { planBinding, planConditional, planLogic, planOptionalOr, readLocal, type Step } from './choices.ts';
import { memberElement, memberField, hasMemberField, optionalMemberElement } from './members.ts';

const IDENT_COST = 1;
const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;

/** Thrown for an expression that can never be evaluated. */
export class PlanFault extends Error {}

/** Functions that are called once, when the expression is planned, if their argument is a constant. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint',
]); // prettier-ignore

/** Turns a checked expression into a function. */
export function plan(checked: Checked, environment: Environment, variables: ReadonlySet<string>): Step {
  return new Planner(checked, environment, variables).plan(checked.expr);
}

class Planner {
  readonly #checked: Checked;
  readonly #environment: Environment;
  readonly #variables: ReadonlySet<string>;
  /** Names of the loop variables in scope, the innermost last. */
  #locals: readonly string[] = [];
  /** Steps that always return the same value. */
  readonly #constants = new Map<Step, Value>();

  constructor(checked: Checked, environment: Environment, variables: ReadonlySet<string>) {
    this.#checked = checked;
    this.#environment = environment;
    this.#variables = variables;
  }

  plan(expr: Expr): Step {
    switch (expr.kind) {
      case 'literal':
        return this.#constant(expr.value);
      case 'ident':
        return this.#name(expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'fold':
        return this.#fold(expr);
    }
  }

  #constant(value: Value): Step {
    const step: Step = () => value;
    this.#constants.set(step, value);
    return step;
  }

  #name(given: string): Step {
    const name = given.replace(/^\./, '');
    const index = this.#locals.lastIndexOf(name);
    if (index !== -1)
      return (context) => {
        context.spend(IDENT_COST);
        return readLocal(context, index);
      };
    const type = this.#environment.typeNamed(name);
    if (type !== undefined && !this.#variables.has(name)) return this.#constant(type.value);
    return (context) => {
      context.spend(IDENT_COST);
      return (
        context.variables.get(name) ?? (context.variables.has(name) ? null : fail(`no such attribute(s): ${name}`))
      );
    };
  }

  #select(expr: Select): Step {
    const name = this.#checked.names.get(expr);
    if (name !== undefined) return this.#name(name);
    const operand = this.plan(expr.operand);
    const base = isAttributeInPlan(expr.operand) ? 0 : IDENT_COST;
    const { field } = expr;
    if (expr.isTest) return (context) => hasMemberField(operand(context), field);
    return (context) => {
      const value = operand(context);
      context.spend(base + IDENT_COST);
      return memberField(value, field);
    };
  }

  #call(expr: Call): Step {
    const name = this.#checked.names.get(expr) ?? expr.name;
    const isQualified = this.#checked.names.has(expr);
    const operands = isQualified || expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const args = operands.map((arg) => this.plan(arg));
    const [first, second, third] = args as [Step, Step, Step];
    const [, yes, no] = operands as [Expr, Expr, Expr];
    switch (name) {
      case '_&&_':
        return planLogic(first, second, false);
      case '_||_':
        return planLogic(first, second, true);
      case '_?_:_':
        return planConditional(first, planUnpaid(second, yes), planUnpaid(third, no));
      case 'or':
      case 'orValue':
        return planOptionalOr(first, second, name === 'orValue');
      case '@not_strictly_false':
        return (context) => {
          const value = first(context);
          context.spend(1);
          return typeof value === 'boolean' ? value : true;
        };
      case '_[_]':
      case '_[?_]':
      case '_?._':
        return this.#index(expr, name, first, second);
      default:
    }
    const overloads = this.#checked.overloads.get(expr) ?? [];
    const types = operands.map((arg) => this.#checked.typeOf(arg));
    return this.#invoke(name, overloads, types, args);
  }

  #index(expr: Call, name: string, operand: Step, given: Step): Step {
    const [from, at] = expr.args as [Expr, Expr];
    const base = isAttributeInPlan(from) ? 0 : IDENT_COST;
    const index = planUnpaid(given, at);
    const isOptional = name !== '_[_]';
    return (context) => {
      const [value, key] = [operand(context), index(context)];
      if (value instanceof Failure) return value;
      if (key instanceof Failure) return key;
      const found = isOptional ? optionalMemberElement(value, key) : memberElement(value, key);
      // An absent optional element is not read.
      const isAbsent = isOptional && found instanceof Optional && found.content === undefined;
      context.spend(base + (isAbsent ? 0 : IDENT_COST));
      return found;
    };
  }

  #invoke(name: string, overloads: readonly Overload[], types: readonly Type[], args: readonly Step[]): Step {
    const only = overloads.length === 1 && !types.some(isDynamicType) ? overloads[0] : undefined;
    const isFixed = args.every((arg) => this.#constants.has(arg));
    const accepts = (overload: Overload, values: readonly Value[]): boolean =>
      overload.args.every((type, index) => planOverloadAccepts(type, values[index] as Value));
    // The checker accepts null for messages and opaque types; functions get none.
    const choose = (values: readonly Value[]): Overload | undefined =>
      only !== undefined && !values.includes(null) ? only : overloads.find((overload) => accepts(overload, values));
    if (isFixed && CONVERSIONS.has(name)) {
      const values = args.map((arg) => this.#constants.get(arg) as Value);
      const overload = choose(values);
      const value = overload === undefined ? noOverloadInPlan(name, values) : attemptPlanned(overload, values);
      if (value instanceof Failure) throw new PlanFault(value.message);
      return this.#constant(value);
    }
    if (only?.pattern !== undefined) this.#tryPattern(only, only.pattern, args);
    const list = args[1] === undefined ? undefined : this.#constants.get(args[1]);
    const isFree = name === '@in' && list !== undefined && isCelListValue(list);
    return (context) => {
      const values = args.map((arg) => arg(context));
      const failure = values.find((value) => value instanceof Failure);
      const overload = failure === undefined ? choose(values) : overloads[0];
      const result =
        failure ?? (overload === undefined ? noOverloadInPlan(name, values) : attemptPlanned(overload, values));
      if (!isFree) context.spend(overload?.cost?.actual(values, result) ?? 1);
      return result;
    };
  }

  /** Compiles a constant pattern once, so that its faults are those of the expression. */
  #tryPattern(overload: Overload, index: number, args: readonly Step[]): void {
    const step = args[index];
    const pattern = step === undefined ? undefined : this.#constants.get(step);
    if (typeof pattern !== 'string') return;
    const found = attemptPlanned(overload, ['', pattern]);
    if (found instanceof Failure) throw new PlanFault(found.message);
  }

  #list({ items, optional }: ListExpr): Step {
    const steps = items.map((item) => this.plan(item));
    if (optional.size === 0 && steps.every((step) => this.#constants.has(step)))
      return this.#constant(new ArrayList(steps.map((step) => this.#constants.get(step) as Value)));
    return (context) => {
      const values: Value[] = [];
      for (const [index, step] of steps.entries()) {
        const value = step(context);
        if (value instanceof Failure) return value;
        if (!optional.has(index)) values.push(value);
        else if (!(value instanceof Optional)) return fail('unsupported use of optional element');
        else if (value.content !== undefined) values.push(value.content);
      }
      context.spend(LIST_COST);
      return new ArrayList(values);
    };
  }

  #map({ entries }: MapExpr): Step {
    const steps = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }));
    const isFixed = steps.every(
      ({ key, value, isOptional }) =>
        !isOptional && isCelMapKeyValue(this.#constants.get(key) ?? null) && this.#constants.has(value),
    );
    if (isFixed) {
      const map = new KeyedMap();
      for (const { key, value } of steps)
        map.add(this.#constants.get(key) as Value, this.#constants.get(value) as Value);
      return this.#constant(map);
    }
    return (context) => {
      const map = new KeyedMap();
      for (const { key, value, isOptional } of steps) {
        const [name, given] = [key(context), value(context)];
        if (name instanceof Failure) return name;
        if (given instanceof Failure) return given;
        if (!isCelMapKeyValue(name)) return fail(`unsupported key type: ${typeName(name)}`);
        if (isOptional && given instanceof Optional && given.content === undefined) continue;
        const content = isOptional && given instanceof Optional ? (given.content as Value) : given;
        map.add(name, content);
      }
      context.spend(MAP_COST);
      return map;
    };
  }

  #struct({ type, fields }: StructExpr): Step {
    const found = this.#environment.structNamed(type);
    if (found === undefined) return this.#constant(fail(`unknown type: ${type}`));
    const steps = fields.map(({ name, value, isOptional }) => ({ name, value: this.plan(value), isOptional }));
    return (context) => {
      const values = new Map<string, Value>();
      for (const { name, value: step, isOptional } of steps) {
        const value = step(context);
        if (value instanceof Failure) return value;
        if (!isOptional) values.set(name, value);
        else if (!(value instanceof Optional)) return fail('unsupported use of optional field');
        else if (value.content !== undefined) values.set(name, value.content);
      }
      context.spend(STRUCT_COST);
      return found.build(values);
    };
  }

  #fold(expr: Fold): Step {
    const range = this.plan(expr.range);
    const initial = this.plan(expr.initial);
    const outer = this.#locals;
    const at = outer.length;
    this.#locals = [
      ...outer,
      expr.accumulator,
      expr.variable,
      ...(expr.variable2 === undefined ? [] : [expr.variable2]),
    ];
    const condition = this.plan(expr.condition);
    const step = this.plan(expr.step);
    this.#locals = [...outer, expr.accumulator];
    const result = this.plan(expr.result);
    this.#locals = outer;
    if (isBindingFold(expr)) return planBinding(at, initial, result);
    const isPair = expr.variable2 !== undefined;
    return (context) => {
      const over = range(context);
      if (over instanceof Failure) return over;
      const { locals } = context;
      locals[at] = initial(context);
      for (const [key, value] of planRangePairs(over)) {
        if (isPair) {
          locals[at + 1] = key;
          locals[at + 2] = value();
        } else locals[at + 1] = isCelListValue(over) ? value() : key;
        if (condition(context) !== true) break;
        locals[at] = step(context);
      }
      if (!isCelListValue(over) && !isCelMapValue(over))
        return fail(`got '${typeKindOf(over)}', expected iterable type`);
      return result(context);
    };
  }
}

function* planRangePairs(range: Value): Generator<readonly [Value, () => Value]> {
  if (isCelListValue(range))
    for (let index = 0; index < range.size; index += 1) yield [BigInt(index), () => range.item(index)];
  else if (isCelMapValue(range)) for (const key of range.keys()) yield [key, () => range.find(key) as Value];
}

const MEMBERS: ReadonlySet<string> = new Set(['_[_]', '_[?_]', '_?._']);

/**
 * Whether an expression is a field of a name, which is read together with the name; a field of the result of
 * a call costs one more.
 */
const isAttributeInPlan = (expr: Expr): boolean =>
  expr.kind === 'ident' ||
  (expr.kind === 'select' && !expr.isTest) ||
  (expr.kind === 'call' && (MEMBERS.has(expr.name) || expr.name === '_?_:_'));

/**
 * Makes a step free. Branches of a condition and indexes are charged with the expression they are part of:
 * the name itself costs nothing.
 */
function planUnpaid(step: Step, expr: Expr): Step {
  if (!isAttributeInPlan(expr) || (expr.kind === 'call' && expr.name === '_?_:_')) return step;
  return (context) => {
    context.refund(IDENT_COST);
    return step(context);
  };
}

/** Calls a library function, which may throw its failures. */
function attemptPlanned({ run }: Overload, values: readonly Value[]): Value {
  // Every function may read its texts.
  for (const value of values) if (typeof value === 'string' || value instanceof Uint8Array) spendWork(value.length);
  try {
    return run(values);
  } catch (error) {
    if (error instanceof Failure && !(error instanceof CostExceeded)) return error;
    throw error;
  }
}

function planOverloadAccepts({ kind, name }: Type, value: Value): boolean {
  if (kind === 'dyn' || kind === 'parameter') return true;
  if (kind !== typeKindOf(value)) return kind === 'struct' && isCelMapValue(value);
  if (kind !== 'opaque') return true;
  return value instanceof Optional
    ? name === 'optional_type'
    : value instanceof OpaqueValue && value.type.name === name;
}

/**
 * The failure of a call without a matching overload. Operators have one implementation for all types, so
 * their message names none; other functions name the types they got.
 */
function noOverloadInPlan(name: string, values: readonly Value[]): Failure {
  if (/[_@]/.test(name)) return fail('no such overload');
  return fail(`no such overload: ${name}(${values.map((value) => planTypeName(value)).join(', ')})`);
}

const planTypeName = (value: Value): string => {
  if (value instanceof OpaqueValue) return value.type.name;
  const kind = typeKindOf(value);
  return NAMED_BY_TYPE.has(kind) ? typeName(value) : kind;
};

const NAMED_BY_TYPE: ReadonlySet<string> = new Set(['null', 'timestamp', 'duration']);

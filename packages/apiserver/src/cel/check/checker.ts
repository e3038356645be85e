import {
  type Call,
  type Expr,
  type Fold,
  type ListExpr,
  type MapExpr,
  qualifiedNameInAst,
  type Select,
  type StructExpr,
} from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import { assignable, type Bindings, moreGeneralType, resolveType } from '../types/assign.ts';
import {
  BOOL, BYTES, DOUBLE, DYN, ERROR, INT, isDynamicType, isDynamicOrErrorType, isSameType, listType, mapType, NULL, optionalContentType, optionalType, parameterType,
  STRING, type Type, typeText, UINT,
} from '../types/type.ts'; // prettier-ignore
import { typeKindOf } from '../values/type-name.ts';
import type { Environment, Overload } from './environment.ts';

/** Results of checking an expression. */
export interface Checked {
  readonly expr: Expr;
  readonly type: Type;
  /** The possible overloads of each call: one, or several from which the values choose. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>;
  /** Full names of variables that are written as `a.b` selections, and of calls whose target is part of their name. */
  readonly names: ReadonlyMap<Expr, string>;
  readonly typeOf: (expr: Expr) => Type;
}

export type Variables = ReadonlyMap<string, Type>;

const LITERALS: ReadonlyMap<string, Type> = new Map(Object.entries({
  bool: BOOL, int: INT, uint: UINT, double: DOUBLE, string: STRING, bytes: BYTES, null: NULL,
})); // prettier-ignore

/** Finds the type of every part of an expression, with the rules and messages of cel-go. */
export function checkExpression(
  expr: Expr,
  environment: Environment,
  variables: Variables,
): { readonly checked: Checked; readonly issues: readonly Issue[] } {
  const checker = new Checker(environment, variables);
  checker.check(expr);
  const { overloads, names, issues } = checker;
  const typeOfExpr = (one: Expr): Type => checker.finalType(one);
  return { checked: { expr, type: typeOfExpr(expr), overloads, names, typeOf: typeOfExpr }, issues };
}

class Checker {
  readonly issues: Issue[] = [];
  readonly overloads = new Map<Expr, readonly Overload[]>();
  readonly names = new Map<Expr, string>();
  readonly #types = new Map<Expr, Type>();
  readonly #environment: Environment;
  /** Scopes, the innermost last. */
  readonly #scopes: Map<string, Type>[];
  #bindings: Bindings = new Map();
  #parameters = 0;
  /** Above zero while literals may contain values of different types. */
  #mixed = 0;

  constructor(environment: Environment, variables: Variables) {
    this.#environment = environment;
    this.#scopes = [new Map(variables)];
  }

  finalType(expr: Expr): Type {
    return resolveType(this.#bindings, this.#types.get(expr) ?? ERROR, true);
  }

  check(expr: Expr): Type {
    const type = this.#typeOf(expr);
    this.#types.set(expr, type);
    return type;
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return LITERALS.get(typeKindOf(expr.value)) ?? ERROR;
      case 'ident':
        return this.#variable(expr.name) ?? this.#undeclared(expr.at, expr.name);
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

  #issue(at: number, message: string): Type {
    this.issues.push({ at, message });
    return ERROR;
  }

  #undeclared(at: number, name: string): Type {
    return this.#issue(at, `undeclared reference to '${name}' (in container '')`);
  }

  #variable(name: string): Type | undefined {
    const plain = name.replace(/^\./, '');
    for (const scope of this.#scopes.toReversed()) {
      const type = scope.get(plain);
      if (type !== undefined) return type;
    }
    return this.#environment.typeNamed(plain)?.type;
  }

  #resolve(type: Type): Type {
    return resolveType(this.#bindings, type, false);
  }

  #isAssignable(a: Type, b: Type): boolean {
    const next = assignable(this.#bindings, [a], [b]);
    if (next !== undefined) this.#bindings = next;
    return next !== undefined;
  }

  #select(expr: Select): Type {
    const name = qualifiedNameInAst(expr);
    const variable = name === undefined ? undefined : this.#variable(name);
    if (name !== undefined && variable !== undefined) {
      this.names.set(expr, name);
      return variable;
    }
    const type = this.#fieldType(expr.at, expr.operand, expr.field, false);
    return expr.isTest ? BOOL : this.#resolve(type);
  }

  #fieldType(at: number, operand: Expr, field: string, isOptional: boolean): Type {
    const whole = this.#resolve(this.check(operand));
    const content = optionalContentType(whole);
    const result = this.#memberType(at, content ?? whole, field);
    return isOptional || content !== undefined ? optionalType(result) : result;
  }

  #memberType(at: number, type: Type, field: string): Type {
    if (type.kind === 'map') return type.parameters[1] as Type;
    if (type.kind === 'struct') return type.fields?.get(field) ?? this.#issue(at, `undefined field '${field}'`);
    if (type.kind === 'parameter') this.#isAssignable(DYN, type);
    else if (!isDynamicOrErrorType(type)) this.#issue(at, `type '${typeText(type)}' does not support field selection`);
    return DYN;
  }

  #call(expr: Call): Type {
    const { at, name, target, args } = expr;
    if (name === '_?._') return this.#optionalSelect(expr);
    // Its list holds values of any types.
    const isFormat = name === 'format' && target !== undefined;
    if (isFormat) this.#mixed += 1;
    for (const arg of args) this.check(arg);
    if (isFormat) this.#mixed -= 1;
    if (target === undefined) {
      const overloads = this.#environment.functionNamed(name);
      return overloads === undefined ? this.#undeclared(at, name) : this.#overload(expr, overloads, undefined);
    }
    const prefix = qualifiedNameInAst(target);
    const qualified = prefix === undefined ? undefined : this.#environment.functionNamed(`${prefix}.${name}`);
    if (qualified !== undefined) {
      this.names.set(expr, `${prefix}.${name}`);
      return this.#overload(expr, qualified, undefined);
    }
    this.check(target);
    const overloads = this.#environment.functionNamed(name);
    return overloads === undefined ? this.#undeclared(at, name) : this.#overload(expr, overloads, target);
  }

  #optionalSelect({ at, args }: Call): Type {
    const [operand, field] = args as [Expr, Expr];
    const name = field.kind === 'literal' && typeof field.value === 'string' ? field.value : '';
    this.#types.set(field, STRING);
    return this.#resolve(this.#fieldType(at, operand, name, true));
  }

  #overload(expr: Call, overloads: readonly Overload[], target: Expr | undefined): Type {
    const { at, args } = expr;
    const name = this.names.get(expr) ?? expr.name;
    const given = [...(target === undefined ? [] : [target]), ...args].map((arg) => this.#types.get(arg) ?? ERROR);
    if (name === '_&&_' || name === '_||_') return this.#logic(expr, overloads, given);
    const found: Overload[] = [];
    let result: Type | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const { args: wanted, result: gives } = this.#fresh(overload);
      const next = assignable(this.#bindings, given, wanted);
      if (next === undefined) continue;
      this.#bindings = next;
      found.push(overload);
      const type = this.#resolve(gives);
      if (result === undefined) result = type;
      else if (!isDynamicType(result) && !isSameType(type, result)) result = DYN;
    }
    if (result === undefined) {
      const shown = given.map((type) => typeText(resolveType(this.#bindings, type, true)));
      const signature = target === undefined ? `(${shown.join(', ')})` : `${shown[0]}.(${shown.slice(1).join(', ')})`;
      return this.#issue(at, `found no matching overload for '${name}' applied to '${signature}'`);
    }
    this.overloads.set(expr, found);
    return result;
  }

  #logic(expr: Call, overloads: readonly Overload[], given: readonly Type[]): Type {
    let isRight = true;
    for (const [index, type] of given.entries()) {
      if (this.#isAssignable(type, BOOL)) continue;
      isRight = false;
      const { at } = expr.args[index] as Expr;
      this.#issue(at, `expected type 'bool' but found '${typeText(this.#resolve(type))}'`);
    }
    this.overloads.set(expr, overloads);
    return isRight ? BOOL : ERROR;
  }

  /** The overload with type parameters of its own, so that two calls do not bind the same ones. */
  #fresh({ args, result }: Overload): { readonly args: Type[]; readonly result: Type } {
    const own = new Map<string, Type>();
    const renamed = (type: Type): Type => {
      if (type.kind === 'parameter') {
        let fresh = own.get(type.name);
        if (fresh === undefined) own.set(type.name, (fresh = this.#newParameter()));
        return fresh;
      }
      return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(renamed) };
    };
    return { args: args.map(renamed), result: renamed(result) };
  }

  #newParameter(): Type {
    this.#parameters += 1;
    return parameterType(`_var${this.#parameters - 1}`);
  }

  #joined(at: number, before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    if (this.#isAssignable(before, type)) return moreGeneralType(before, type);
    if (this.#mixed > 0) return DYN;
    return this.#issue(
      at,
      `expected type '${typeText(this.#resolve(before))}' but found '${typeText(this.#resolve(type))}'`,
    );
  }

  /** The type of an item, without the optional around it if a question mark removes that. */
  #element(expr: Expr, isOptional: boolean): Type {
    const type = this.check(expr);
    if (!isOptional) return type;
    const content = optionalContentType(type);
    if (content === undefined && !isDynamicType(type))
      this.#issue(expr.at, `expected type '${typeText(optionalType(type))}' but found '${typeText(type)}'`);
    return content ?? type;
  }

  #list({ items, optional }: ListExpr): Type {
    let type: Type | undefined;
    for (const [index, item] of items.entries())
      type = this.#joined(item.at, type, this.#element(item, optional.has(index)));
    return listType(type ?? this.#newParameter());
  }

  #map({ entries }: MapExpr): Type {
    let [keys, values]: (Type | undefined)[] = [];
    for (const { key, value, isOptional } of entries) {
      keys = this.#joined(key.at, keys, this.check(key));
      values = this.#joined(value.at, values, this.#element(value, isOptional));
    }
    return mapType(keys ?? this.#newParameter(), values ?? this.#newParameter());
  }

  #struct({ at, type: name, fields }: StructExpr): Type {
    const found = this.#environment.structNamed(name);
    if (found === undefined) return this.#undeclared(at, name);
    for (const { at: place, name: field, value, isOptional } of fields) {
      const given = this.#element(value, isOptional);
      const wanted = found.fieldType(field);
      if (wanted === undefined) this.#issue(place, `undefined field '${field}'`);
      else if (!this.#isAssignable(given, wanted))
        this.#issue(
          place,
          `expected type of field '${field}' is '${typeText(wanted)}' but provided type is '${typeText(this.#resolve(given))}'`,
        );
    }
    return found.type;
  }

  #fold(expr: Fold): Type {
    const range = this.#resolve(this.check(expr.range));
    const accumulator = this.check(expr.initial);
    this.#scopes.push(new Map([[expr.accumulator, accumulator]]));
    const [first, second] = this.#loopTypes(expr, range);
    const own = new Map([[expr.variable, first]]);
    if (expr.variable2 !== undefined) own.set(expr.variable2, second);
    this.#scopes.push(own);
    this.#expect(expr.condition, BOOL);
    this.#expect(expr.step, accumulator);
    this.#scopes.pop();
    const type = this.check(expr.result);
    this.#scopes.pop();
    return this.#resolve(type);
  }

  #loopTypes({ range: { at }, variable2 }: Fold, range: Type): readonly [Type, Type] {
    const isPair = variable2 !== undefined;
    if (range.kind === 'list')
      return isPair ? [INT, range.parameters[0] as Type] : [range.parameters[0] as Type, ERROR];
    if (range.kind === 'map') return range.parameters as unknown as readonly [Type, Type];
    if (isDynamicOrErrorType(range) || range.kind === 'parameter') {
      this.#isAssignable(DYN, range);
      return [DYN, DYN];
    }
    this.#issue(
      at,
      `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [ERROR, ERROR];
  }

  #expect(expr: Expr, wanted: Type): void {
    const type = this.check(expr);
    if (this.#isAssignable(wanted, type)) return;
    this.#issue(
      expr.at,
      `expected type '${typeText(this.#resolve(wanted))}' but found '${typeText(this.#resolve(type))}'`,
    );
  }
}

import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  typeOf,
  UINT,
} from '../types/type.ts';
import type { CallCost, CallEstimator } from '../cost/call-cost.ts';
import { TypeValue, type Value } from '../values/cel-value.ts';

/** One signature of a function, and its implementation. */
export interface Overload {
  readonly id: string;
  /** Whether it is called as `x.f(y)`; `args` begins with the type of x. */
  readonly isMember: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /**
   * Index of an argument that is a pattern: if it is a literal, it is compiled with the expression, and an
   * invalid one is refused.
   */
  readonly pattern?: number;
  /** Computes the result. Gets no failures; may return or throw one. */
  readonly run: (args: readonly Value[]) => Value;
  /** The cost of one call, apart from that of its arguments. @default 1 */
  readonly cost?: CallCost | undefined;
}

/** Functions by name, and names of types. */
export interface Library {
  readonly functions: Readonly<Record<string, readonly Overload[]>>;
  /** Opaque types that may be named in an expression. */
  readonly types?: readonly Type[];
  /** Estimates of `==` for values of an opaque type, by its name. */
  readonly equality?: ReadonlyMap<string, CallEstimator>;
  /** Messages that an expression may create: `Name{field: value}`. */
  readonly structs?: (name: string) => StructType | undefined;
}

/** A message that expressions may create. */
export interface StructType {
  readonly type: Type;
  /** The type of a field; undefined if there is no such field. */
  fieldType(name: string): Type | undefined;
  build(fields: ReadonlyMap<string, Value>): Value;
}

type Run = Overload['run'];
type Cost = Overload['cost'];

/** Declares a function that is called as `f(x, y)`. */
export const globalFunction = (id: string, args: readonly Type[], result: Type, run: Run, cost?: Cost): Overload => ({
  id, isMember: false, args, result, run, cost,
}); // prettier-ignore

/** Declares a function that is called as `x.f(y)`. */
export const memberFunction = (id: string, args: readonly Type[], result: Type, run: Run, cost?: Cost): Overload => ({
  id, isMember: true, args, result, run, cost,
}); // prettier-ignore

const BASIC: readonly (readonly [string, Type])[] = [
  ['bool', BOOL], ['int', INT], ['uint', UINT], ['double', DOUBLE], ['string', STRING], ['bytes', BYTES], ['null_type', NULL],
  ['list', listType(DYN)], ['map', mapType(DYN, DYN)], ['dyn', DYN],
  ['google.protobuf.Timestamp', TIMESTAMP], ['google.protobuf.Duration', DURATION], ['type', typeOf()],
]; // prettier-ignore

/** The functions and types that expressions may use. Variables are declared with each expression. */
export class Environment {
  readonly #functions = new Map<string, Overload[]>();
  readonly #types = new Map<string, Type>(BASIC);
  readonly #structs: ((name: string) => StructType | undefined)[] = [];
  readonly #equality = new Map<string, CallEstimator>();

  constructor(libraries: readonly Library[]) {
    for (const { functions, types = [], equality = [], structs } of libraries) {
      if (structs !== undefined) this.#structs.push(structs);
      for (const [name, overloads] of Object.entries(functions))
        this.#functions.set(name, [...(this.#functions.get(name) ?? []), ...overloads]);
      for (const type of types) this.#types.set(type.name, type);
      for (const [type, estimate] of equality) this.#equality.set(type, estimate);
    }
  }

  functionNamed(name: string): readonly Overload[] | undefined {
    return this.#functions.get(name.replace(/^\./, ''));
  }

  structNamed(name: string): StructType | undefined {
    for (const find of this.#structs) {
      const found = find(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The estimate of `==` for values of an opaque type, if it has one of its own. */
  equalityOf(type: Type): CallEstimator | undefined {
    return type.kind === 'opaque' ? this.#equality.get(type.name) : undefined;
  }

  /** The type that a name stands for in an expression, as `type(x)`. */
  typeNamed(name: string): { readonly type: Type; readonly value: Value } | undefined {
    const type = this.#types.get(name.replace(/^\./, ''));
    return type === undefined ? undefined : { type: typeOf(type), value: new TypeValue(type.name) };
  }
}

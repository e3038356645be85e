import type { Overload } from '../../src/cel/check/environment.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../../src/cel/types/type.ts';
import { Duration, Timestamp, type Value } from '../../src/cel/values/cel-value.ts'; // prettier-ignore

/** Values that no literal may have: the ends of what the types hold. */
export const EXTREMES: ReadonlyMap<string, readonly [Type, Value]> = new Map<string, readonly [Type, Value]>([
  ['t0', [TIMESTAMP, new Timestamp(-62_135_596_800_000_000_000n)]],
  ['t1', [TIMESTAMP, new Timestamp(253_402_300_799_999_999_999n, 840)]],
  ['t2', [TIMESTAMP, new Timestamp(0n)]],
  ['d0', [DURATION, new Duration(-9_223_372_036_854_775_808n)]],
  ['d1', [DURATION, new Duration(9_223_372_036_854_775_807n)]],
  ['d2', [DURATION, new Duration(0n)]],
  // Texts that are not literals, so that none is refused before it is converted.
  ['s0', [STRING, '1h']],
  ['s1', [STRING, '99999999999999999999h']],
  ['s2', [STRING, '2024-02-29T23:59:59Z']],
  ['n0', [DOUBLE, Number.NaN]],
  ['n1', [DOUBLE, Number.POSITIVE_INFINITY]],
  ['n2', [DOUBLE, -0]],
]);

/** Literals and variables by the name of their type. */
const LEAVES: ReadonlyMap<string, readonly string[]> = new Map([
  ['int', ['0', '1', '-1', '2', '7', '9223372036854775807', '-9223372036854775808']],
  ['uint', ['0u', '1u', '18446744073709551615u']],
  ['double', ['0.0', '-1.5', '1e308', '5e-324', '9.3e18', 'n0', 'n1', 'n2']],
  ['bool', ['true', 'false']],
  ['null_type', ['null']],
  ['bytes', ['b""', 'b"abc"', 'b"\\xff\\xfe"']],
  ['google.protobuf.Timestamp', ['t0', 't1', 't2']],
  ['google.protobuf.Duration', ['d0', 'd1', 'd2']],
  ['type', ['int', 'type(1)', 'type("")']],
  ['kubernetes.URL', ['url("https://a:1/b?c=%20&c")', 'url("http://[::1]")']],
  ['kubernetes.Quantity', ['quantity("1Ki")', 'quantity("-0.5")', 'quantity("1e999999999")']],
  ['net.IP', ['ip("::")', 'ip("127.0.0.1")', 'ip("fe80::1")']],
  ['net.CIDR', ['cidr("10.0.0.0/8")', 'cidr("::/0")', 'cidr("1.2.3.4/32")']],
  ['kubernetes.NamedFormat', ['format.uuid()', 'format.dns1123Label()', 'format.date()']],
  ['kubernetes.Semver', ['semver("1.2.3")', 'semver("0.0.0-a.1+b")']],
  ['string', ['s0', 's0', 's1', 's1', 's2', 's2', '""', '"a"', '"ab"', '"constructor"', '"__proto__"', '"\\U0001F600e\\u0301"', '"\\u0000"', '"-"', '"7"', '"1h"', '"1e999999999"', '"%s%d%.99f"', '"%x%e%b%"', '"(a|a)*"', '"["', '"[::1]"', '"1.2.3.4"', '"10.0.0.0/33"', '"http://a:99999/%"', '"1.2.3-x"', '"Europe/Berlin"', '"+99:99"', '"2024-02-29T23:59:59Z"', '"uuid"', '"true"']],
]); // prettier-ignore

/** Values around the ends of short texts and lists, where functions go wrong. */
const SMALL: ReadonlyMap<string, readonly string[]> = new Map([
  ['int', ['-1', '0', '1', '2', '3']],
  ['string', ['""', '"a"', '"ab"']],
  ['list', ['[]', '[1]']],
  ['double', ['0.0', 'n0', 'n1']],
]);
/** Maximum number of calls with small values, for each overload. */
const MAX_SMALL_CALLS = 75;

const SIMPLE = [INT, STRING, BOOL, DOUBLE, BYTES, UINT, TIMESTAMP, DURATION, listType(INT)];
const OPERATOR = /^_(.+)_$/;

/** Makes expressions whose types fit, so that functions are reached with every argument they may get. */
export class Expressions {
  readonly #below: (limit: number) => number;
  readonly #functions: readonly (readonly [string, Overload])[];

  /** `functions`: those to use inside. */
  constructor(random: () => number, functions: readonly (readonly [string, Overload])[]) {
    this.#below = (limit) => Math.floor(random() * limit);
    this.#functions = functions;
  }

  /** A call of one overload, with arguments of its types. */
  call(name: string, overload: Overload, depth: number): string {
    const bound = new Map<string, Type>();
    const args = overload.args.map((type) => this.of(this.#bind(type, bound), depth));
    return this.#written(name, overload, args);
  }

  /** Calls of one overload with every combination of small values. */
  smallCalls(name: string, overload: Overload): readonly string[] {
    let combinations: readonly (readonly string[])[] = [[]];
    for (const { kind } of overload.args) {
      const values = SMALL.get(kind);
      if (values === undefined) return [];
      combinations = combinations.flatMap((before) => values.map((value) => [...before, value]));
    }
    return combinations.slice(0, MAX_SMALL_CALLS).map((args) => this.#written(name, overload, args));
  }

  #written(name: string, { isMember }: Overload, [first = '', ...more]: readonly string[]): string {
    if (name === '_?_:_') return `(${first} ? ${more.join(' : ')})`;
    if (name === '_[_]') return `${first}[${more[0]}]`;
    if (name === '_[?_]') return `${first}[?${more[0]}]`;
    if (name === '@in') return `(${first} in ${more[0]})`;
    if (name === '!_' || name === '-_') return `(${name[0]}${first})`;
    const operator = OPERATOR.exec(name)?.[1];
    if (operator !== undefined) return `(${first} ${operator} ${more[0]})`;
    if (name === '@sortByAssociatedKeys') return `${first}.sortBy(x, ${more[0]}[0])`;
    if (name === 'cel.@mapInsert') return `${first}.transformMap(k, v, v)`;
    if (name === '@not_strictly_false') return `[1].all(x, ${first})`;
    return isMember ? `${first}.${name}(${more.join(', ')})` : `${name}(${[first, ...more].filter(Boolean).join(', ')})`;
  }

  /** An expression of a type. */
  of(type: Type, depth: number): string {
    const { kind, name, parameters } = type;
    const [a = INT, b = INT] = parameters;
    if (kind === 'dyn') return this.of(this.#pick(SIMPLE), depth);
    if (depth > 0 && this.#below(3) > 0) {
      const fitting = this.#functions.filter(([, { result }]) => result.kind === kind && result.name === name && result.parameters.every((one, at) => one.kind === parameters[at]?.kind));
      if (fitting.length > 0) return this.call(...this.#pick(fitting), depth - 1);
    }
    const items = (): string[] => Array.from({ length: this.#below(4) }, () => this.of(a, depth - 1));
    if (kind === 'list') return `[${items().join(', ')}]`;
    if (kind === 'map') return `{${[...new Set(items())].map((key) => `${key}: ${this.of(b, depth - 1)}`).join(', ')}}`;
    if (name === 'optional_type') return this.#below(4) === 0 ? 'optional.none()' : `optional.of(${this.of(a, depth - 1)})`;
    return this.#pick(LEAVES.get(name) ?? ['null']);
  }

  /** Replaces the parameters of a generic type, each by the same type everywhere in a call. */
  #bind(type: Type, bound: Map<string, Type>): Type {
    if (type.kind === 'parameter') {
      const known = bound.get(type.name) ?? this.#pick(SIMPLE);
      bound.set(type.name, known);
      return known;
    }
    return { ...type, parameters: type.parameters.map((one) => this.#bind(one, bound)) };
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T;
  }
} // prettier-ignore

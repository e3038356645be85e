import { seededRandom } from 'kube-informer/testing';
import { beforeAll, expect, test } from 'vitest';
import { KUBERNETES_LIBRARIES, ruleEnvironment } from '../../../src/api/rules/rule-environment.ts';
import type { Overload } from '../../../src/cel/check/environment.ts';
import { compileCel } from '../../../src/cel/expression.ts';
import { DYN, type Type } from '../../../src/cel/types/type.ts';
import { typeKindOf, typeName } from '../../../src/cel/values/type-name.ts';
import { Failure, isCelListValue, isCelMapValue, type Value } from '../../../src/cel/values/cel-value.ts';
import { StatusError } from '../../../src/core/status-error.ts';
import { Expressions, EXTREMES } from '../../rig/expressions.ts';

/** The server's limit of one evaluation. */
const COST = 1_000_000;
/** Expressions of each overload, and expressions of any types. Set FUZZ_SEED to evaluate those of an earlier run again. */
const CALLS = 6;
const BUDGET = 400;
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 32);
beforeAll(() =>
  console.info(
    `rules: seed ${SEED}, ${CALLS} calls of each function and ${BUDGET} others; again with FUZZ_SEED=${SEED}`,
  ),
);

const VALUES = new Map<string, Value>([...EXTREMES].map(([name, [, value]]) => [name, value]));
const TYPES = new Map<string, Type>([...EXTREMES].map(([name, [type]]) => [name, type]));
/** Variables of any type, so that most expressions are evaluated and not only checked. */
const ANY_TYPES = new Map<string, Type>([...EXTREMES.keys(), 'x'].map((name) => [name, DYN]));

type Result = 'refused' | 'failed' | 'value';

/** Evaluates an expression. Fails the test if it throws, or gives what is not a value of its type. */
function judge(source: string, types: ReadonlyMap<string, Type>): Result {
  try {
    const compiled = compileCel(source, ruleEnvironment, types);
    if (!('program' in compiled)) return 'refused';
    const { program } = compiled;
    const { value, cost } = program.run(VALUES, COST);
    expect(cost, source).toBeGreaterThanOrEqual(0);
    // A RangeError of a library would be taken for a stack that is too deep, and none of these is deep.
    if (value instanceof Failure) expect(value.message, source).not.toContain('recursion limit');
    else expectValueOf(program.type, value, source);
    expect(program.run(VALUES, COST).cost, source).toBe(cost);
    return value instanceof Failure ? 'failed' : 'value';
  } catch (error) {
    // The one other way out: a pattern that takes too much work is 413.
    if (error instanceof StatusError) return 'failed';
    throw new Error(`${source}, with FUZZ_SEED=${SEED}`, { cause: error });
  }
}

function expectValueOf(type: Type, value: Value, source: string): void {
  expect(['function', 'undefined'], source).not.toContain(typeof value);
  const [first = DYN, second = DYN] = type.parameters;
  if (type.kind === 'dyn' || type.kind === 'parameter') return;
  expect(typeKindOf(value), source).toBe(type.kind);
  if (type.kind === 'opaque') expect(typeName(value), source).toBe(type.name);
  if (type.kind === 'int') expect(BigInt.asIntN(64, value as bigint), source).toBe(value);
  if (isCelListValue(value)) for (let at = 0; at < Math.min(20, value.size); at += 1) expectValueOf(first, value.item(at), source);
  if (isCelMapValue(value))
    for (const key of value.keys().slice(0, 20)) {
      expectValueOf(first, key, source);
      expectValueOf(second, value.find(key) as Value, source);
    }
} // prettier-ignore

test('S113: every function, with arguments of its types, is refused, fails or gives a value of its type', () => {
  const functions = KUBERNETES_LIBRARIES.flatMap((library) =>
    Object.entries(library.functions).flatMap(([name, all]) => all.map((one): readonly [string, Overload] => [name, one])),
  ); // prettier-ignore
  const expressions = new Expressions(seededRandom(SEED), functions);
  const never: string[] = [];
  let values = 0;
  for (const [name, overload] of functions) {
    const calls = Array.from({ length: CALLS }, (_, at) => expressions.call(name, overload, at % 3));
    const results = calls.map((call) => judge(call, TYPES));
    const small = expressions.smallCalls(name, overload).map((call) => judge(call, TYPES));
    if ([...results, ...small].every((result) => result === 'refused')) never.push(overload.id);
    values += results.filter((result) => result === 'value').length;
  }
  // Or the test shows nothing about them. A few functions refuse most literals.
  expect(never.length, never.join(', ')).toBeLessThan(5);
  expect(values).toBeGreaterThan((functions.length * CALLS) / 3);
}, 60_000);

test('S113: random expressions are refused, fail or give a value, and none throws anything else', () => {
  const random = seededRandom(SEED);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const leaf = (): string =>
    pick([...EXTREMES.keys(), ...EXTREMES.keys(), 'x', 'x', '1', '-1', '1.5', '2u', '9223372036854775807', '"a"', '""', 'b"\\xff"', 'null', 'true', '[]', '{}', '"constructor"', '"__proto__"', '"1e999999999"', '"%s%d%.99f"', '"(a|a)*"', '"1h"', '"[::1]"', 'toString']); // prettier-ignore
  const member = (): string =>
    pick(['size', 'charAt', 'indexOf', 'lastIndexOf', 'replace', 'split', 'join', 'format', 'matches', 'find', 'findAll', 'substring', 'trim', 'sort', 'distinct', 'flatten', 'slice', 'sum', 'min', 'isSorted', 'getHours', 'contains', 'reverse', 'constructor', 'hasOwnProperty']); // prettier-ignore
  const global = (): string =>
    pick(['int', 'uint', 'double', 'string', 'bytes', 'duration', 'timestamp', 'type', 'dyn', 'size', 'matches', 'quantity', 'isQuantity', 'ip', 'cidr', 'url', 'semver', 'lists.range', 'sets.contains', 'optional.of', 'has', 'toString', '__proto__']); // prettier-ignore
  const expr = (depth: number): string => {
    if (depth === 0) return leaf();
    const one = (): string => expr(depth - 1);
    switch (Math.floor(random() * 9)) {
      case 0:
        return `${one()} ${pick(['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'])} ${one()}`;
      case 1:
        return `${one()}.${member()}(${pick([[], [one()], [one(), one()]]).join(', ')})`;
      case 2:
        return `${global()}(${pick([[one()], [one(), one()]]).join(', ')})`;
      case 3:
        return `${one()}.${pick(['all', 'exists', 'exists_one', 'map', 'filter', 'sortBy', 'transformMap'])}(x, ${one()})`;
      case 4:
        return `(${one()} ? ${one()} : ${one()})`;
      case 5:
        return `${one()}[${one()}]`;
      case 6:
        return `${one()}.${pick(['a', 'constructor', '__proto__', '?a'])}`;
      case 7:
        return `[${one()}, ${one()}]`;
      default:
        return `${pick(['!', '-', '', '('])}${one()}${pick(['', '', ')', '.', '$', '"'])}`;
    }
  };
  const results = Array.from({ length: BUDGET }, () => judge(expr(1 + Math.floor(random() * 4)), ANY_TYPES));
  expect(results.filter((result) => result !== 'refused').length).toBeGreaterThan(BUDGET / 20);
});

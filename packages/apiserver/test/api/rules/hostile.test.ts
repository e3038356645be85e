import { seededRandom } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { canonicalQuantity, compareQuantities, parseQuantity } from '../../../src/api/kinds/common/quantity.ts';
import { ruleEnvironment } from '../../../src/api/rules/environment.ts';
import { evaluateRules } from '../../../src/api/rules/evaluate-rules.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import { compile, WorkMeter } from '../../../src/cel/expression.ts';
import { DYN, INT, listOf, mapOf, STRING, type Type } from '../../../src/cel/types/type.ts';
import { ArrayList, Failure, KeyedMap, type Value } from '../../../src/cel/values/value.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/object.ts';
import { StatusError } from '../../../src/core/status.ts';

/** The server's limit of one evaluation. */
const COST = 1_000_000;
const TOO_EXPENSIVE = 'operation cancelled: actual cost limit exceeded';

const TYPES = new Map<string, Type>([
  ['s', STRING],
  ['l', listOf(INT)],
  ['t', listOf(STRING)],
  ['m', mapOf(STRING, INT)],
  ['d', DYN],
]);

function values(size: number): Map<string, Value> {
  const letters = 'a'.repeat(size * 20);
  const map = new KeyedMap();
  for (let at = 0; at < size / 5; at += 1) map.add(`k${at}`, BigInt(at));
  return new Map<string, Value>([
    ['s', letters],
    ['l', new ArrayList(Array.from({ length: size }, (_, at) => BigInt(at)))],
    ['t', new ArrayList(Array.from({ length: 20 }, () => `${letters}b`))],
    ['m', map],
    ['d', '9'.repeat(size)],
  ]);
}

function evaluate(source: string, size = 100, steps?: number): Value | string {
  const compiled = compile(source, ruleEnvironment, TYPES);
  if (!('program' in compiled)) return JSON.stringify(compiled);
  return compiled.program.run(values(size), COST, new WorkMeter(steps)).value;
}

/** The message of a failure; a value as it is. */
const shown = (value: Value | string): unknown => (value instanceof Failure ? value.message : value);

describe('rules of a definition', () => {
  test.each([
    ['a letter of a text, for each item', 'l.all(x, s.charAt(0) == "a")'],
    ['the length of a text, for each item', 'l.all(x, s.size() > 0)'],
    ['a search that almost matches everywhere', 's.indexOf(s.substring(0, 2000) + "b") < 0'],
    ['the same from the end', 's.lastIndexOf("b" + s.substring(0, 2000)) < 0'],
    ['a text that grows by the product', 's.replace("a", s) != ""'],
    ['the same between all letters', 's.replace("", s) != ""'],
    ['the same by its separator', 's.split("").join(s) != ""'],
    ['a text that doubles', `[s]${'.map(a, a + a)'.repeat(12)}.size() == 1`],
    ['a list that doubles', `[l]${'.map(a, a + a)'.repeat(12)}.size() == 1`],
    ['all items of a list with all others', 'l.distinct() == l'],
    ['two lists as sets', 'sets.contains(l, l)'],
    ['long texts that begin alike', 'l.all(x, !((s + "c") in t))'],
    ['lists inside of lists', 'l.all(x, [[t]] == [[t]])'],
    ['a format of long lists', '"%s%s%s%s".format([t, t, t, t]).size() > 0'],
    ['a map that grows by copies', 'm.transformMap(k, v, v).size() > 0'],
    ['a regular expression whose cost is one', 'l.all(x, matches(s.substring(0, 2000), "(a|b)*a"))'],
  ])('S111: work that the language does not count is counted: %s', (_, source) => {
    expect(shown(evaluate(source, 10_000, 500_000))).toBe(TOO_EXPENSIVE);
  });

  test('S111: ordinary work on large values is not refused', () => {
    expect(evaluate('l.map(x, x + 1).size() == 20000 && l.filter(x, x > 5).size() == 19994', 20_000)).toBe(true);
    expect(evaluate('s.contains("b") || s.indexOf("ab") < 0 && s.size() == 400000', 20_000)).toBe(true);
    expect(evaluate('m.all(k, m[k] >= 0) && t.all(x, x.endsWith("b"))', 5_000)).toBe(true);
  });

  test('S111: numbers of many digits are not made', () => {
    expect(shown(evaluate('int(string(d)) > 0', 100_000))).toBe("type conversion error from 'string' to 'int'");
    expect(shown(evaluate('duration(string(d) + "s") > duration("1s")', 100_000))).toContain('type conversion error');
    expect(evaluate('int("0000000000000000000000000000007") == 7')).toBe(true);
    expect(evaluate('duration("0000000000000000000000000000001.5s") == duration("1500ms")')).toBe(true);
    expect(evaluate('"%.101f".format([1.0]) == ""')).toContain('precision is limited to 100');
  });

  test('S111: no name that objects inherit is a number', () => {
    for (const name of ['constructor', '__proto__', 'toString'])
      expect(evaluate(`double("${name}") > 0.0`)).toContain("type conversion error from 'string' to 'double'");
  });

  test('S111: long and deep expressions are refused in a bounded text', () => {
    for (const source of [
      `d${'.a'.repeat(40_000)} == 1`,
      Array.from({ length: 25_000 }, () => '1').join('+'),
      Array.from({ length: 10_000 }, () => 'true').join(' && '),
      '$'.repeat(100_000),
      '('.repeat(200_000),
    ]) {
      const result = evaluate(source);
      if (typeof result === 'string') expect(result.length).toBeLessThan(1_000_000);
    }
    expect(evaluate('('.repeat(200_000))).toContain('expression code point size exceeds limit');
    expect(evaluate(`d${'.a'.repeat(40_000)} == 1`)).toContain('expression recursion limit exceeded');
  });

  test('S111: all rules of an object share the work', () => {
    const rules = [{ rule: 'self.text.charAt(0) == "a"' }];
    const item = { type: 'object', properties: { text: { type: 'string' } }, 'x-kubernetes-validations': rules };
    const schema = schemaFrom({
      type: 'object',
      properties: { items: { type: 'array', items: item } },
    } as unknown as JsonObject);
    const object = (count: number): ApiObject =>
      ({ items: Array.from({ length: count }, () => ({ text: 'a'.repeat(10_000) })) }) as unknown as ApiObject;
    expect(evaluateRules(object(10), schema).errors).toEqual([]);
    const { errors } = evaluateRules(object(500), schema);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('call cost exceeds limit')]);
  });
});

describe('quantities', () => {
  test('S112: a few characters cannot ask for a number of a billion digits', () => {
    const most = String(2n ** 63n - 1n);
    for (const text of ['1e999999999', '1e99999999999999999999', `${'9'.repeat(1_000_000)}Ei`, '1e400'])
      expect(canonicalQuantity(text).replace(/e0$/, '')).toBe(most);
    for (const text of ['1e-999999999', `0.${'0'.repeat(1_000_000)}1`]) expect(parseQuantity(text)?.nano).toBe(1n);
    expect(parseQuantity('0e999999999')?.nano).toBe(0n);
    expect(parseQuantity('-1e999999999')?.nano).toBe(-(2n ** 63n - 1n) * 1_000_000_000n);
  });

  test('S112: digits far behind the point still round up, and others are exact', () => {
    expect(parseQuantity(`1.${'0'.repeat(500)}1`)?.nano).toBe(1_000_000_001n);
    expect(parseQuantity(`1.${'0'.repeat(500)}`)?.nano).toBe(1_000_000_000n);
    expect(parseQuantity('1.5Gi')?.nano).toBe(1_610_612_736_000_000_000n);
    expect(parseQuantity('000123456789.123456789')?.nano).toBe(123_456_789_123_456_789n);
    expect(compareQuantities('1e3', '1k')).toBe(0);
  });
});

/** Variables of any type, so that most expressions are evaluated and not only checked. */
const ANY_TYPES = new Map<string, Type>([...TYPES.keys(), 'x'].map((name) => [name, DYN]));

/** Expressions of each run. Set FUZZ_SEED to evaluate those of an earlier run again. */
const BUDGET = 400;
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 32);

test('S113: random expressions are refused, fail or give a value, and none throws anything else', () => {
  console.info(`rules: seed ${SEED}, ${BUDGET} expressions; again with FUZZ_SEED=${SEED}`);
  const random = seededRandom(SEED);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const leaf = (): string =>
    pick(['s', 's', 'l', 'l', 't', 't', 'm', 'm', 'd', 'd', 'x', 'x', '1', '-1', '1.5', '2u', '9223372036854775807', '"a"', '""', 'b"\\xff"', 'null', 'true', '[]', '{}', '"constructor"', '"__proto__"', '"1e999999999"', '"%s%d%.99f"', '"(a|a)*"', '"1h"', '"[::1]"', 'toString']); // prettier-ignore
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
  let ran = 0;
  for (let count = 0; count < BUDGET; count += 1) {
    const source = expr(1 + Math.floor(random() * 4));
    try {
      const compiled = compile(source, ruleEnvironment, ANY_TYPES);
      if (!('program' in compiled)) continue;
      ran += 1;
      const { value, cost } = compiled.program.run(values(50), COST);
      expect(['function', 'undefined']).not.toContain(typeof value);
      expect(cost).toBeGreaterThanOrEqual(0);
    } catch (error) {
      // The one other way out: a pattern that takes too much work is 413.
      expect(error instanceof StatusError, `${source}: ${String(error)}`).toBe(true);
    }
  }
  expect(ran).toBeGreaterThan(BUDGET / 20);
});

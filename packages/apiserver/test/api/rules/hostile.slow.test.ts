import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { canonicalQuantity, compareQuantities, parseQuantity } from '../../../src/api/kinds/common/quantity.ts';
import { ruleEnvironment } from '../../../src/api/rules/rule-environment.ts';
import { evaluateRules } from '../../../src/api/rules/evaluate-rules.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import { compileCel, WorkMeter } from '../../../src/cel/expression.ts';
import { DYN, INT, listType, mapType, STRING, type Type } from '../../../src/cel/types/type.ts';
import { ArrayList, Failure, KeyedMap, type Value } from '../../../src/cel/values/cel-value.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';

/** The server's limit of one evaluation. */
const COST = 1_000_000;
const TOO_EXPENSIVE = 'operation cancelled: actual cost limit exceeded';

const TYPES = new Map<string, Type>([
  ['s', STRING],
  ['l', listType(INT)],
  ['t', listType(STRING)],
  ['m', mapType(STRING, INT)],
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
  const compiled = compileCel(source, ruleEnvironment, TYPES);
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
    expect(shown(evaluate('"%.101f".format([1.0]) == ""'))).toContain('precision is limited to 100');
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

/** Digits that numbers of amounts may have on the way. */
const MAX_DIGITS = 250;

/** Runs `read`, and throws as soon as it makes a number of too many digits, from a text or as a power. */
function withFewDigits<T>(read: () => T): T {
  const real = globalThis.BigInt;
  vi.stubGlobal('BigInt', (value: bigint | boolean | number | string): bigint => {
    // A number is an exponent or a length here.
    const digits = typeof value === 'string' ? value.length : Math.abs(Number(value));
    if (digits > MAX_DIGITS) throw new Error(`a number of ${digits} digits was made`);
    return real(value);
  });
  try {
    return read();
  } finally {
    vi.unstubAllGlobals();
  }
}

/** The amount without any limit on the way, and the limits of Go at its end. */
function exactNano(sign: string, whole: string, fraction: string, exponent: number): bigint {
  const power = exponent - fraction.length + 9;
  const digits = BigInt(`${whole}${fraction}`);
  const divisor = 10n ** BigInt(Math.max(0, -power));
  const size = (digits * 10n ** BigInt(Math.max(0, power)) + divisor - 1n) / divisor;
  const most = (2n ** 63n - 1n) * 1_000_000_000n;
  return (sign === '-' ? -1n : 1n) * (size > most ? most : size);
}

describe('quantities', () => {
  const nines = '9'.repeat(1_000_000);
  const zeros = '0'.repeat(1_000_000);
  const most = 2n ** 63n - 1n;
  test.each([
    ['a large exponent', '1e999999999', most * 1_000_000_000n],
    ['an exponent that is no safe number', '1e99999999999999999999', most * 1_000_000_000n],
    ['a large exponent below zero', '-1e999999999', -most * 1_000_000_000n],
    ['an exponent that is just too large', '1e10000000', most * 1_000_000_000n],
    ['zero with a large exponent', '0e999999999', 0n],
    ['a million digits', nines, most * 1_000_000_000n],
    ['a million digits with a unit', `${nines}Ei`, most * 1_000_000_000n],
    ['a million digits, and as many taken away', `1${zeros}e-1000000`, 1_000_000_000n],
    ['a million digits behind the point', `1.${nines}`, 2_000_000_000n],
    ['a million zeros in front', `${zeros}7`, 7_000_000_000n],
    ['a small exponent', '1e-999999999', 1n],
    ['a million zeros behind the point', `0.${zeros}1`, 1n],
    ['a million zeros behind the point, and as many brought back', `0.${zeros}1e1000001`, 1_000_000_000n],
  ])('S112: a few characters cannot ask for a number of a billion digits: %s', (_, text, nano) => {
    const written = withFewDigits(() => {
      compareQuantities(text, '1');
      return canonicalQuantity(text);
    });
    expect(withFewDigits(() => parseQuantity(text)?.nano)).toBe(nano);
    expect(parseQuantity(written)?.nano).toBe(nano);
  });

  test('S112: other amounts are exact, and what is smaller than 10^-9 rounds up', () => {
    const digit = fc.constantFrom('0', '0', '1', '2', '5', '8', '9', '9');
    const digits = (maxLength: number) => fc.array(digit, { minLength: 1, maxLength }).map((all) => all.join(''));
    const property = fc.property(
      fc.constantFrom('', '-', '+'), digits(80), digits(80), fc.integer({ min: -120, max: 120 }),
      (sign, whole, fraction, exponent) => {
        expect(parseQuantity(`${sign}${whole}.${fraction}e${exponent}`)?.nano).toBe(exactNano(sign, whole, fraction, exponent));
      },
    ); // prettier-ignore
    fc.assert(property, { numRuns: 500 });
    expect(parseQuantity('1.5Gi')?.nano).toBe(1_610_612_736_000_000_000n);
    expect(parseQuantity(`1.${'0'.repeat(500)}1`)?.nano).toBe(1_000_000_001n);
    expect(compareQuantities('1e3', '1k')).toBe(0);
  });
});

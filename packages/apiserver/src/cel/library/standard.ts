import { globalFunction, type Library, memberFunction, type Overload } from '../check/environment.ts';
import {
  BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listType, mapType, parameterType, STRING, TIMESTAMP, type Type, typeOf, UINT,
} from '../types/type.ts'; // prettier-ignore
import { compare, equalValues } from '../values/compare.ts';
import { typeName } from '../values/type-name.ts';
import { fail, Failure, isCelMapKeyValue, KeyedMap, type ListValue, type MapValue, TypeValue, type Value } from '../values/cel-value.ts'; // prettier-ignore
import { spendWork } from '../values/work-meter.ts';
import { COST_OF_AFFIX, COST_OF_SEARCH, COST_OF_SHORTER, costArgument, sizeForCost } from '../cost/costs.ts';
import { scaleCostRange } from '../cost/cost-range.ts';

const [A, B] = [parameterType('A'), parameterType('B')];
const ORDERED: readonly Type[] = [BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION];
const NUMBERS: readonly Type[] = [INT, UINT, DOUBLE];

/** Declares `<` and the like, for two values of one type, or two numbers. */
function standardOrdering(name: string, holds: (order: number) => boolean): Overload[] {
  const run = ([a, b]: readonly Value[]): Value => {
    const order = compare(a as Value, b as Value);
    if (order instanceof Failure) return order.message.startsWith('NaN') ? false : order;
    return holds(order);
  };
  const pairs = [
    ...ORDERED.map((type) => [type, type] as const),
    ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => a !== b).map((b) => [a, b] as const)),
  ];
  return pairs.map(([a, b]) =>
    globalFunction(
      `${name}_${a.kind}_${b.kind}`,
      [a, b],
      BOOL,
      run,
      a === STRING || a === BYTES ? COST_OF_SHORTER : undefined,
    ),
  );
}

function standardListContains(list: ListValue, value: Value): Value {
  let failure: Failure | undefined;
  for (let index = 0; index < list.size; index += 1) {
    const same = equalValues(list.item(index), value);
    if (same === true) return true;
    if (same instanceof Failure) failure ??= same;
  }
  return failure ?? false;
}

const standardNegation = (value: boolean | Failure): Value => (typeof value === 'boolean' ? !value : value);

const standardSize = (value: Value | undefined): Value => BigInt(sizeForCost(value as Value));
const SIZED: readonly Type[] = [STRING, BYTES, listType(A), mapType(A, B)];

const standardText = (value: Value | undefined): string => value as string;

/** Comparisons, logic, membership, sizes and the tests of strings that every expression has. */
export const standard: Library = {
  functions: {
    '_==_': [globalFunction('equals', [A, A], BOOL, ([a, b]) => equalValues(a as Value, b as Value), COST_OF_SHORTER)],
    '_!=_': [
      globalFunction(
        'not_equals',
        [A, A],
        BOOL,
        ([a, b]) => standardNegation(equalValues(a as Value, b as Value)),
        COST_OF_SHORTER,
      ),
    ],
    '_<_': standardOrdering('less', (order) => order < 0),
    '_<=_': standardOrdering('less_equals', (order) => order <= 0),
    '_>_': standardOrdering('greater', (order) => order > 0),
    '_>=_': standardOrdering('greater_equals', (order) => order >= 0),
    '!_': [globalFunction('logical_not', [BOOL], BOOL, ([a]) => !(a as boolean))],
    '_&&_': [globalFunction('logical_and', [BOOL, BOOL], BOOL, () => false)],
    '_||_': [globalFunction('logical_or', [BOOL, BOOL], BOOL, () => false)],
    '_?_:_': [globalFunction('conditional', [BOOL, A, A], A, () => false)],
    '@not_strictly_false': [globalFunction('not_strictly_false', [BOOL], BOOL, () => false)],
    '@in': [
      globalFunction('in_list', [A, listType(A)], BOOL, ([a, b]) => standardListContains(b as ListValue, a as Value), {
        actual: ([, list = null]) => sizeForCost(list),
        estimate: (args) => ({ cost: scaleCostRange(costArgument(args, 1).size, 1) }),
      }),
      globalFunction('in_map', [A, mapType(A, B)], BOOL, ([a, b]) => (b as MapValue).find(a as Value) !== undefined),
    ],
    '_[_]': [
      globalFunction('index_list', [listType(A), INT], A, () => false),
      globalFunction('index_map', [mapType(A, B), A], B, () => false),
    ],
    size: [
      ...SIZED.map((type) => globalFunction(`size_${type.kind}`, [type], INT, ([a]) => standardSize(a))),
      ...SIZED.map((type) => memberFunction(`${type.kind}_size`, [type], INT, ([a]) => standardSize(a))),
    ],
    type: [globalFunction('type', [A], typeOf(A), ([a]) => new TypeValue(typeName(a as Value)))],
    dyn: [globalFunction('to_dyn', [A], DYN, ([a]) => a as Value)],
    startsWith: [
      memberFunction(
        'starts_with_string',
        [STRING, STRING],
        BOOL,
        ([a, b]) => standardText(a).startsWith(standardText(b)),
        COST_OF_AFFIX,
      ),
    ],
    endsWith: [
      memberFunction(
        'ends_with_string',
        [STRING, STRING],
        BOOL,
        ([a, b]) => standardText(a).endsWith(standardText(b)),
        COST_OF_AFFIX,
      ),
    ],
    contains: [
      memberFunction(
        'contains_string',
        [STRING, STRING],
        BOOL,
        ([a, b]) => standardText(a).includes(standardText(b)),
        COST_OF_SEARCH,
      ),
    ],
    // The two-argument form adds to a map while it is built by a macro.
    'cel.@mapInsert': [
      globalFunction('@mapInsert_map_map', [mapType(A, B), mapType(A, B)], mapType(A, B), ([into, entries]) =>
        standardMapInsert(
          into as MapValue,
          (entries as MapValue).keys().map((key) => [key, (entries as MapValue).find(key) as Value]),
        ),
      ),
      globalFunction('@mapInsert_map_key_value', [mapType(A, B), A, B], mapType(A, B), ([into, key, value]) =>
        standardMapInsert(into as MapValue, [[key as Value, value as Value]]),
      ),
    ],
  },
};

/** A map with more entries; a key that already exists is a failure. */
function standardMapInsert(map: MapValue, entries: readonly (readonly [Value, Value])[]): Value {
  spendWork(map.size);
  const all = new KeyedMap();
  for (const key of map.keys()) all.add(key, map.find(key) as Value);
  for (const [key, value] of entries) {
    if (!isCelMapKeyValue(key)) return fail(`unsupported key type: ${typeName(key)}`);
    if (map.find(key) !== undefined) return fail(`insert failed: key ${key as string | bigint} already exists`);
    all.add(key, value);
  }
  return all;
}

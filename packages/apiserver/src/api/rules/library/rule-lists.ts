import { type Library, memberFunction, type Overload } from '../../../cel/check/environment.ts';
import { checkedIntArithmetic, checkedUintArithmetic } from '../../../cel/library/arithmetic.ts';
import type { CallCost } from '../../../cel/cost/call-cost.ts';
import { textCostOfScan } from '../../../cel/cost/text-costs.ts';
import { compareCelListItems } from '../../../cel/library/cel-lists.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listType,
  parameterType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../../../cel/types/type.ts';
import { equalValues } from '../../../cel/values/compare.ts';
import { checkedCelTimeSpan } from '../../../cel/values/cel-time.ts';
import {
  Duration,
  fail,
  Failure,
  isCelListValue,
  isCelMapValue,
  type ListValue,
  celValueItems,
  Uint,
  type Value,
} from '../../../cel/values/cel-value.ts';

const T = parameterType('T');
const ORDERED: readonly Type[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const ruleList = (list: Value | undefined): readonly Value[] => celValueItems(list as ListValue);

/** The cost of everything in a list; for texts it is rounded down. */
const COST_OF_LIST: CallCost = {
  actual: ([list]) => (list === undefined ? 1 : ruleListCost(list)),
  estimate: textCostOfScan,
};

function ruleListCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (isCelListValue(value)) return celValueItems(value).reduce((sum: number, item) => sum + ruleListCost(item), 0);
  if (!isCelMapValue(value)) return 1;
  return value.keys().reduce((sum: number, key) => sum + ruleListCost(key) + ruleListCost(value.find(key) ?? null), 0);
}

function isSortedRuleList([list]: readonly Value[]): Value {
  const all = ruleList(list);
  return all.every((item, index) => index === 0 || compareCelListItems(all[index - 1] as Value, item) <= 0);
}

function extremeOfRuleList(name: string, sign: number) {
  return ([list]: readonly Value[]): Value => {
    const all = ruleList(list);
    if (all.length === 0) return fail(`${name} called on empty list`);
    return all.reduce((best, item) => (compareCelListItems(item, best) * sign > 0 ? item : best));
  };
}

const ZERO: ReadonlyMap<Type, Value> = new Map<Type, Value>([
  [INT, 0n],
  [UINT, new Uint(0n)],
  [DOUBLE, 0],
  [DURATION, new Duration(0n)],
]);

function sumOfRuleList(a: Value, b: Value): Value {
  if (a instanceof Failure) return a;
  if (typeof a === 'number') return a + (b as number);
  if (a instanceof Uint) return checkedUintArithmetic(a.value + (b as Uint).value);
  if (a instanceof Duration) return checkedCelTimeSpan(a.nanos + (b as Duration).nanos);
  return checkedIntArithmetic((a as bigint) + (b as bigint));
}

function placeInRuleList([list, wanted]: readonly Value[], isLast: boolean): Value {
  const matches = (item: Value): boolean => equalValues(item, wanted as Value) === true;
  return BigInt(isLast ? ruleList(list).findLastIndex(matches) : ruleList(list).findIndex(matches));
}

const eachRuleListOverload = (
  name: string,
  types: readonly Type[],
  result: (type: Type) => Type,
  run: (type: Type) => Overload['run'],
): Overload[] =>
  types.map((type) =>
    memberFunction(`list_${type.kind}_${name}`, [listType(type)], result(type), run(type), COST_OF_LIST),
  );

/** Functions of lists that Kubernetes adds. */
export const lists: Library = {
  functions: {
    isSorted: eachRuleListOverload(
      'is_sorted',
      ORDERED,
      () => BOOL,
      () => isSortedRuleList,
    ),
    sum: eachRuleListOverload(
      'sum',
      [...ZERO.keys()],
      (type) => type,
      (type) =>
        ([list]) =>
          ruleList(list).reduce(sumOfRuleList, ZERO.get(type) as Value),
    ),
    max: eachRuleListOverload(
      'max',
      ORDERED,
      (type) => type,
      () => extremeOfRuleList('max', 1),
    ),
    min: eachRuleListOverload(
      'min',
      ORDERED,
      (type) => type,
      () => extremeOfRuleList('min', -1),
    ),
    indexOf: [
      memberFunction('list_index_of', [listType(T), T], INT, (args) => placeInRuleList(args, false), COST_OF_LIST),
    ],
    lastIndexOf: [
      memberFunction('list_last_index_of', [listType(T), T], INT, (args) => placeInRuleList(args, true), COST_OF_LIST),
    ],
  },
};

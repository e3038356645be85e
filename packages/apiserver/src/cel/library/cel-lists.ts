import { globalFunction, type Library, memberFunction } from '../check/environment.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  parameterType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../types/type.ts';
import {
  COST_OF_DISTINCT,
  COST_OF_FLATTEN,
  COST_OF_RANGE,
  COST_OF_REVERSE,
  COST_OF_SLICE,
  listCostOfSets,
  costOfSort,
} from '../cost/list-costs.ts';
import { compare, equalValues } from '../values/compare.ts';
import { spendWork } from '../values/work-meter.ts';
import {
  ArrayList,
  fail,
  Failure,
  isCelListValue,
  type ListValue,
  celValueItems,
  type Value,
} from '../values/cel-value.ts';

const T = parameterType('T');
const LIST = listType(T);
const ORDERED: readonly Type[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const celListItems = (list: Value | undefined): readonly Value[] => celValueItems(list as ListValue);

/** Compares two items. Throws the first failure inside a comparison. */
export function compareCelListItems(a: Value, b: Value): number {
  const order = compare(a, b);
  if (order instanceof Failure) throw order;
  return order;
}

function distinctCelListItems(list: readonly Value[]): Value {
  const found: Value[] = [];
  for (const item of list) if (!found.some((one) => equalValues(one, item) === true)) found.push(item);
  return new ArrayList(found);
}

function flattenedCelList(list: readonly Value[], depth: bigint): Value[] {
  return list.flatMap((item) =>
    isCelListValue(item) && depth > 0n ? flattenedCelList(celValueItems(item), depth - 1n) : [item],
  );
}

function rangeCelList(length: number): Value {
  spendWork(length);
  return new ArrayList(Array.from({ length }, (_, index) => BigInt(index)));
}

function slicedCelList([list, from, to]: readonly Value[]): Value {
  const [all, start, end] = [celListItems(list), from as bigint, to as bigint];
  if (start < 0n || end < 0n) return fail(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) return fail(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(all.length)) return fail(`cannot slice(${start}, ${end}), list is length ${all.length}`);
  return new ArrayList(all.slice(Number(start), Number(end)));
}

/** The items in the order of their keys; items with equal keys keep their order. */
function sortedCelListByKeys(list: readonly Value[], keys: readonly Value[]): Value {
  const order = [...keys.keys()].toSorted((a, b) => compareCelListItems(keys[a] as Value, keys[b] as Value));
  return new ArrayList(order.map((index) => list[index] as Value));
}

/** The lists extension, version 3. */
export const lists: Library = {
  functions: {
    slice: [memberFunction('list_slice', [LIST, INT, INT], LIST, slicedCelList, COST_OF_SLICE)],
    flatten: [
      memberFunction(
        'list_flatten',
        [listType(LIST)],
        LIST,
        ([list]) => new ArrayList(flattenedCelList(celListItems(list), 1n)),
        COST_OF_FLATTEN,
      ),
      memberFunction(
        'list_flatten_int',
        [listType(DYN), INT],
        listType(DYN),
        ([list, depth]) =>
          (depth as bigint) < 0n
            ? fail('level must be non-negative')
            : new ArrayList(flattenedCelList(celListItems(list), depth as bigint)),
        COST_OF_FLATTEN,
      ),
    ],
    'lists.range': [
      globalFunction(
        'lists_range',
        [INT],
        listType(INT),
        ([size]) =>
          (size as bigint) > 1_000_000n ? fail('range is too long') : rangeCelList(Math.max(0, Number(size))),
        COST_OF_RANGE,
      ),
    ],
    reverse: [
      memberFunction(
        'list_reverse',
        [LIST],
        LIST,
        ([list]) => new ArrayList(celListItems(list).toReversed()),
        COST_OF_REVERSE,
      ),
    ],
    distinct: [
      memberFunction(
        'list_distinct',
        [LIST],
        LIST,
        ([list]) => distinctCelListItems(celListItems(list)),
        COST_OF_DISTINCT,
      ),
    ],
    sort: ORDERED.map((type) =>
      memberFunction(
        `list_${type.kind}_sort`,
        [listType(type)],
        listType(type),
        ([list]) => new ArrayList(celListItems(list).toSorted(compareCelListItems)),
        costOfSort(type === STRING || type === BYTES),
      ),
    ),
    '@sortByAssociatedKeys': ORDERED.map((type) =>
      memberFunction(
        `list_${type.kind}_sortByAssociatedKeys`,
        [LIST, listType(type)],
        LIST,
        ([list, keys]) => sortedCelListByKeys(celListItems(list), celListItems(keys)),
        costOfSort(type === STRING || type === BYTES),
      ),
    ),
  },
};

const celListHolds = (list: readonly Value[], wanted: Value): boolean =>
  list.some((item) => equalValues(item, wanted) === true);
const celListContainsAll = (list: readonly Value[], part: readonly Value[]): boolean =>
  part.every((item) => celListHolds(list, item));

/** The sets extension: lists as sets. */
export const sets: Library = {
  functions: {
    'sets.contains': [
      globalFunction(
        'list_sets_contains_list',
        [LIST, LIST],
        BOOL,
        ([a, b]) => celListContainsAll(celListItems(a), celListItems(b)),
        listCostOfSets(1),
      ),
    ],
    'sets.intersects': [
      globalFunction(
        'list_sets_intersects_list',
        [LIST, LIST],
        BOOL,
        ([a, b]) => celListItems(b).some((item) => celListHolds(celListItems(a), item)),
        listCostOfSets(1),
      ),
    ],
    'sets.equivalent': [
      globalFunction(
        'list_sets_equivalent_list',
        [LIST, LIST],
        BOOL,
        ([a, b]) =>
          celListContainsAll(celListItems(a), celListItems(b)) && celListContainsAll(celListItems(b), celListItems(a)),
        listCostOfSets(2),
      ),
    ],
  },
};

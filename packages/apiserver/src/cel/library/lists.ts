import { globalFunction, type Library, memberFunction } from '../check/environment.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  parameter,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../types/type.ts';
import { sizeOf } from './cost.ts';
import { compare, equal } from '../values/compare.ts';
import { spendWork } from '../values/work.ts';
import { ArrayList, fail, Failure, isList, type ListValue, listItems, type Value } from '../values/value.ts';

const T = parameter('T');
const LIST = listOf(T);
const ORDERED: readonly Type[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const items = (list: Value | undefined): readonly Value[] => listItems(list as ListValue);

/** Throws the first failure inside a comparison. */
export function ordered(a: Value, b: Value): number {
  const order = compare(a, b);
  if (order instanceof Failure) throw order;
  return order;
}

function distinct(list: readonly Value[]): Value {
  const found: Value[] = [];
  for (const item of list) if (!found.some((one) => equal(one, item) === true)) found.push(item);
  return new ArrayList(found);
}

function flattened(list: readonly Value[], depth: bigint): Value[] {
  return list.flatMap((item) => (isList(item) && depth > 0n ? flattened(listItems(item), depth - 1n) : [item]));
}

function range(length: number): Value {
  spendWork(length);
  return new ArrayList(Array.from({ length }, (_, index) => BigInt(index)));
}

function sliced([list, from, to]: readonly Value[]): Value {
  const [all, start, end] = [items(list), from as bigint, to as bigint];
  if (start < 0n || end < 0n) return fail(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) return fail(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(all.length)) return fail(`cannot slice(${start}, ${end}), list is length ${all.length}`);
  return new ArrayList(all.slice(Number(start), Number(end)));
}

/** The items in the order of their keys; items with equal keys keep theirs. */
function sortedByKeys(list: readonly Value[], keys: readonly Value[]): Value {
  const order = [...keys.keys()].toSorted((a, b) => ordered(keys[a] as Value, keys[b] as Value));
  return new ArrayList(order.map((index) => list[index] as Value));
}

/** A list that is made costs 10, its items 1 each. */
const CREATE = 11;
const outputCost = (_: readonly Value[], result: Value): number => CREATE + sizeOf(result);

/** Every item may be compared with every other, at a cost of 2, and more for texts. */
function sortCost(args: readonly Value[]): number {
  const list = args.at(-1) as Value;
  const first = isList(list) && list.size > 0 ? list.item(0) : undefined;
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2.1 : 2;
  return CREATE + Math.ceil(sizeOf(list) ** 2 * factor);
}

/** The lists extension, version 3. */
export const lists: Library = {
  functions: {
    slice: [memberFunction('list_slice', [LIST, INT, INT], LIST, sliced, outputCost)],
    flatten: [
      memberFunction(
        'list_flatten',
        [listOf(LIST)],
        LIST,
        ([list]) => new ArrayList(flattened(items(list), 1n)),
        outputCost,
      ),
      memberFunction(
        'list_flatten_int',
        [listOf(DYN), INT],
        listOf(DYN),
        ([list, depth]) =>
          (depth as bigint) < 0n
            ? fail('level must be non-negative')
            : new ArrayList(flattened(items(list), depth as bigint)),
        outputCost,
      ),
    ],
    'lists.range': [
      globalFunction(
        'lists_range',
        [INT],
        listOf(INT),
        ([size]) => ((size as bigint) > 1_000_000n ? fail('range is too long') : range(Math.max(0, Number(size)))),
        outputCost,
      ),
    ],
    reverse: [
      memberFunction('list_reverse', [LIST], LIST, ([list]) => new ArrayList(items(list).toReversed()), outputCost),
    ],
    distinct: [memberFunction('list_distinct', [LIST], LIST, ([list]) => distinct(items(list)), sortCost)],
    sort: ORDERED.map((type) =>
      memberFunction(
        `list_${type.kind}_sort`,
        [listOf(type)],
        listOf(type),
        ([list]) => new ArrayList(items(list).toSorted(ordered)),
        sortCost,
      ),
    ),
    '@sortByAssociatedKeys': ORDERED.map((type) =>
      memberFunction(
        `list_${type.kind}_sortByAssociatedKeys`,
        [LIST, listOf(type)],
        LIST,
        ([list, keys]) => sortedByKeys(items(list), items(keys)),
        sortCost,
      ),
    ),
  },
};

const holds = (list: readonly Value[], wanted: Value): boolean => list.some((item) => equal(item, wanted) === true);
const containsAll = (list: readonly Value[], part: readonly Value[]): boolean =>
  part.every((item) => holds(list, item));
const product = ([a = null, b = null]: readonly Value[]): number => sizeOf(a) * sizeOf(b) + 1;
const productTwice = (args: readonly Value[]): number => product(args) * 2 - 1;

/** The sets extension: lists as sets. */
export const sets: Library = {
  functions: {
    'sets.contains': [
      globalFunction(
        'list_sets_contains_list',
        [LIST, LIST],
        BOOL,
        ([a, b]) => containsAll(items(a), items(b)),
        product,
      ),
    ],
    'sets.intersects': [
      globalFunction(
        'list_sets_intersects_list',
        [LIST, LIST],
        BOOL,
        ([a, b]) => items(b).some((item) => holds(items(a), item)),
        product,
      ),
    ],
    'sets.equivalent': [
      globalFunction(
        'list_sets_equivalent_list',
        [LIST, LIST],
        BOOL,
        ([a, b]) => containsAll(items(a), items(b)) && containsAll(items(b), items(a)),
        productTwice,
      ),
    ],
  },
};

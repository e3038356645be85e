import { type Library, memberFunction, type Overload } from '../../../cel/check/environment.ts';
import { checkedInt, checkedUint } from '../../../cel/library/arithmetic.ts';
import { ordered } from '../../../cel/library/lists.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  parameter,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../../../cel/types/type.ts';
import { equal } from '../../../cel/values/compare.ts';
import { checkedDuration } from '../../../cel/values/time.ts';
import {
  Duration,
  fail,
  Failure,
  isList,
  isMap,
  type ListValue,
  listItems,
  Uint,
  type Value,
} from '../../../cel/values/value.ts';

const T = parameter('T');
const ORDERED: readonly Type[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const items = (list: Value | undefined): readonly Value[] => listItems(list as ListValue);

/** The cost of everything in a list; of texts it is rounded down. */
function listCost([list]: readonly Value[]): number {
  return list === undefined ? 1 : contentCost(list);
}

function contentCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (isList(value)) return listItems(value).reduce((sum: number, item) => sum + contentCost(item), 0);
  if (!isMap(value)) return 1;
  return value.keys().reduce((sum: number, key) => sum + contentCost(key) + contentCost(value.find(key) ?? null), 0);
}

function isSorted([list]: readonly Value[]): Value {
  const all = items(list);
  return all.every((item, index) => index === 0 || ordered(all[index - 1] as Value, item) <= 0);
}

function extreme(name: string, sign: number) {
  return ([list]: readonly Value[]): Value => {
    const all = items(list);
    if (all.length === 0) return fail(`${name} called on empty list`);
    return all.reduce((best, item) => (ordered(item, best) * sign > 0 ? item : best));
  };
}

const ZERO: ReadonlyMap<Type, Value> = new Map<Type, Value>([
  [INT, 0n],
  [UINT, new Uint(0n)],
  [DOUBLE, 0],
  [DURATION, new Duration(0n)],
]);

function added(a: Value, b: Value): Value {
  if (a instanceof Failure) return a;
  if (typeof a === 'number') return a + (b as number);
  if (a instanceof Uint) return checkedUint(a.value + (b as Uint).value);
  if (a instanceof Duration) return checkedDuration(a.nanos + (b as Duration).nanos);
  return checkedInt((a as bigint) + (b as bigint));
}

function place([list, wanted]: readonly Value[], isLast: boolean): Value {
  const matches = (item: Value): boolean => equal(item, wanted as Value) === true;
  return BigInt(isLast ? items(list).findLastIndex(matches) : items(list).findIndex(matches));
}

const each = (
  name: string,
  types: readonly Type[],
  result: (type: Type) => Type,
  run: (type: Type) => Overload['run'],
): Overload[] =>
  types.map((type) => memberFunction(`list_${type.kind}_${name}`, [listOf(type)], result(type), run(type), listCost));

/** Functions of lists that Kubernetes adds. */
export const lists: Library = {
  functions: {
    isSorted: each(
      'is_sorted',
      ORDERED,
      () => BOOL,
      () => isSorted,
    ),
    sum: each(
      'sum',
      [...ZERO.keys()],
      (type) => type,
      (type) =>
        ([list]) =>
          items(list).reduce(added, ZERO.get(type) as Value),
    ),
    max: each(
      'max',
      ORDERED,
      (type) => type,
      () => extreme('max', 1),
    ),
    min: each(
      'min',
      ORDERED,
      (type) => type,
      () => extreme('min', -1),
    ),
    indexOf: [memberFunction('list_index_of', [listOf(T), T], INT, (args) => place(args, false), listCost)],
    lastIndexOf: [memberFunction('list_last_index_of', [listOf(T), T], INT, (args) => place(args, true), listCost)],
  },
};

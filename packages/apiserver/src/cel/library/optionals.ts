import { globalFunction, type Library, memberFunction } from '../check/environment.ts';
import { BOOL, INT, listOf, mapOf, opaque, optionalOf, parameter } from '../types/type.ts';
import { ArrayList, fail, type ListValue, listItems, Optional, Uint, type Value } from '../values/value.ts';
import { optionalElement } from '../evaluate/members.ts';
import { isList, isMap } from '../values/value.ts';

const A = parameter('A');
const B = parameter('B');
const OPTIONAL = optionalOf(A);

/** Zero, empty or null. */
function isZero(value: Value): boolean {
  if (isList(value) || isMap(value)) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Optional) return value.content === undefined;
  return value === null || value === false || value === 0 || value === 0n || value === '';
}

/** Values that may be absent: `optional.of`, `orValue`, `x.?y`. */
export const optionals: Library = {
  types: [opaque('optional_type', A)],
  functions: {
    'optional.of': [globalFunction('optional_of', [A], OPTIONAL, ([a]) => new Optional(a as Value))],
    'optional.none': [globalFunction('optional_none', [], OPTIONAL, () => new Optional())],
    'optional.ofNonZeroValue': [
      globalFunction('optional_ofNonZeroValue', [A], OPTIONAL, ([a]) =>
        isZero(a as Value) ? new Optional() : new Optional(a as Value),
      ),
    ],
    'optional.unwrap': [
      globalFunction('optional_unwrap', [listOf(OPTIONAL)], listOf(A), ([list]) => unwrapped(list as ListValue)),
    ],
    unwrapOpt: [
      memberFunction('optional_unwrapOpt', [listOf(OPTIONAL)], listOf(A), ([list]) => unwrapped(list as ListValue)),
    ],
    value: [
      memberFunction(
        'optional_value',
        [OPTIONAL],
        A,
        ([a]) => (a as Optional).content ?? fail('optional.none() dereference'),
      ),
    ],
    hasValue: [memberFunction('optional_hasValue', [OPTIONAL], BOOL, ([a]) => (a as Optional).content !== undefined)],
    or: [
      memberFunction('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL, ([a, b]) =>
        (a as Optional).content === undefined ? (b as Value) : (a as Value),
      ),
    ],
    orValue: [
      memberFunction('optional_orValue_value', [OPTIONAL, A], A, ([a, b]) => (a as Optional).content ?? (b as Value)),
    ],
    first: [memberFunction('list_first', [listOf(A)], OPTIONAL, ([list]) => optionalElement(list as ListValue, 0n))],
    last: [
      memberFunction('list_last', [listOf(A)], OPTIONAL, ([list]) =>
        optionalElement(list as ListValue, BigInt((list as ListValue).size - 1)),
      ),
    ],
    // Values come from the planner; these only have types.
    '_[?_]': [
      globalFunction('list_optindex_optional_int', [listOf(A), INT], OPTIONAL, none),
      globalFunction('optional_list_optindex_optional_int', [optionalOf(listOf(A)), INT], OPTIONAL, none),
      globalFunction('map_optindex_optional_value', [mapOf(B, A), B], OPTIONAL, none),
      globalFunction('optional_map_optindex_optional_value', [optionalOf(mapOf(B, A)), B], OPTIONAL, none),
    ],
    '_[_]': [
      globalFunction('optional_list_index_int', [optionalOf(listOf(A)), INT], OPTIONAL, none),
      globalFunction('optional_map_index_value', [optionalOf(mapOf(B, A)), B], OPTIONAL, none),
    ],
  },
};

function none(): Value {
  return new Optional();
}

const unwrapped = (list: ListValue): Value =>
  new ArrayList(
    listItems(list).flatMap((item) => (item instanceof Optional && item.content !== undefined ? [item.content] : [])),
  );

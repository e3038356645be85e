import { globalFunction, type Library, memberFunction } from '../check/environment.ts';
import { BOOL, INT, listType, mapType, opaqueType, optionalType, parameterType } from '../types/type.ts';
import { ArrayList, fail, type ListValue, celValueItems, Optional, Uint, type Value } from '../values/cel-value.ts';
import { optionalMemberElement } from '../evaluate/members.ts';
import { isCelListValue, isCelMapValue } from '../values/cel-value.ts';

const A = parameterType('A');
const B = parameterType('B');
const OPTIONAL = optionalType(A);

/** Whether a value is zero, empty or null. */
function isZeroForOptional(value: Value): boolean {
  if (isCelListValue(value) || isCelMapValue(value)) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Optional) return value.content === undefined;
  return value === null || value === false || value === 0 || value === 0n || value === '';
}

/** Functions for values that may be absent: `optional.of`, `orValue`, `x.?y`. */
export const optionals: Library = {
  types: [opaqueType('optional_type', A)],
  functions: {
    'optional.of': [globalFunction('optional_of', [A], OPTIONAL, ([a]) => new Optional(a as Value))],
    'optional.none': [globalFunction('optional_none', [], OPTIONAL, () => new Optional())],
    'optional.ofNonZeroValue': [
      globalFunction('optional_ofNonZeroValue', [A], OPTIONAL, ([a]) =>
        isZeroForOptional(a as Value) ? new Optional() : new Optional(a as Value),
      ),
    ],
    'optional.unwrap': [
      globalFunction('optional_unwrap', [listType(OPTIONAL)], listType(A), ([list]) =>
        unwrappedOptionals(list as ListValue),
      ),
    ],
    unwrapOpt: [
      memberFunction('optional_unwrapOpt', [listType(OPTIONAL)], listType(A), ([list]) =>
        unwrappedOptionals(list as ListValue),
      ),
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
    first: [
      memberFunction('list_first', [listType(A)], OPTIONAL, ([list]) => optionalMemberElement(list as ListValue, 0n)),
    ],
    last: [
      memberFunction('list_last', [listType(A)], OPTIONAL, ([list]) =>
        optionalMemberElement(list as ListValue, BigInt((list as ListValue).size - 1)),
      ),
    ],
    // Values come from the planner; these only have types.
    '_[?_]': [
      globalFunction('list_optindex_optional_int', [listType(A), INT], OPTIONAL, noneOptional),
      globalFunction('optional_list_optindex_optional_int', [optionalType(listType(A)), INT], OPTIONAL, noneOptional),
      globalFunction('map_optindex_optional_value', [mapType(B, A), B], OPTIONAL, noneOptional),
      globalFunction('optional_map_optindex_optional_value', [optionalType(mapType(B, A)), B], OPTIONAL, noneOptional),
    ],
    '_[_]': [
      globalFunction('optional_list_index_int', [optionalType(listType(A)), INT], OPTIONAL, noneOptional),
      globalFunction('optional_map_index_value', [optionalType(mapType(B, A)), B], OPTIONAL, noneOptional),
    ],
  },
};

function noneOptional(): Value {
  return new Optional();
}

const unwrappedOptionals = (list: ListValue): Value =>
  new ArrayList(
    celValueItems(list).flatMap((item) =>
      item instanceof Optional && item.content !== undefined ? [item.content] : [],
    ),
  );

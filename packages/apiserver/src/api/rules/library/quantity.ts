import { globalFunction, type Library, memberFunction, type Overload } from '../../../cel/check/environment.ts';
import { readsFirst } from '../../../cel/library/cost.ts';
import { BOOL, DOUBLE, INT, opaque, STRING, type Type } from '../../../cel/types/type.ts';
import { fail, OpaqueValue, type Value } from '../../../cel/values/value.ts';
import { goQuantityFault } from '../../../core/go/quantity.ts';
import { parseQuantity } from '../../kinds/common/quantity.ts';

const QUANTITY: Type = opaque('kubernetes.Quantity');
const NANO = 1_000_000_000n;

/** An amount of a resource, exact down to 10^-9. */
class QuantityValue extends OpaqueValue {
  readonly type = QUANTITY;
  readonly nano: bigint;

  constructor(nano: bigint) {
    super();
    this.nano = nano;
  }

  equals(other: Value): boolean {
    return other instanceof QuantityValue && other.nano === this.nano;
  }
}

const nano = (value: Value | undefined): bigint => (value as QuantityValue).nano;
const signOf = (value: bigint): bigint => (value < 0n ? -1n : value > 0n ? 1n : 0n);

function parsed(text: string): Value {
  const fault = goQuantityFault(text);
  if (fault !== undefined) return fail(fault);
  const quantity = parseQuantity(text);
  return quantity === undefined ? fail("unable to parse quantity's suffix") : new QuantityValue(quantity.nano);
}

const isWhole = (value: bigint): boolean =>
  value % NANO === 0n && value / NANO < 2n ** 63n && value / NANO >= -(2n ** 63n);

function whole([a]: readonly Value[]): Value {
  return isWhole(nano(a)) ? nano(a) / NANO : fail('cannot convert value to integer');
}

const member = (id: string, result: Type, run: Overload['run'], ...more: Type[]): Overload =>
  memberFunction(id, [QUANTITY, ...more], result, run);

/** `quantity('1Gi').isGreaterThan(quantity('1M'))` */
export const quantity: Library = {
  types: [QUANTITY],
  functions: {
    quantity: [globalFunction('string_to_quantity', [STRING], QUANTITY, ([a]) => parsed(a as string), readsFirst())],
    isQuantity: [
      globalFunction(
        'is_quantity_string',
        [STRING],
        BOOL,
        ([a]) => parsed(a as string) instanceof QuantityValue,
        readsFirst(),
      ),
    ],
    sign: [globalFunction('quantity_sign', [QUANTITY], INT, ([a]) => signOf(nano(a)))],
    isGreaterThan: [member('quantity_is_greater_than', BOOL, ([a, b]) => nano(a) > nano(b), QUANTITY)],
    isLessThan: [member('quantity_is_less_than', BOOL, ([a, b]) => nano(a) < nano(b), QUANTITY)],
    compareTo: [member('quantity_compare_to', INT, ([a, b]) => signOf(nano(a) - nano(b)), QUANTITY)],
    asApproximateFloat: [member('quantity_get_float', DOUBLE, ([a]) => Number(nano(a)) / 1e9)],
    asInteger: [member('quantity_get_int', INT, whole)],
    isInteger: [member('quantity_is_integer', BOOL, ([a]) => isWhole(nano(a)))],
    add: [
      member('quantity_add', QUANTITY, ([a, b]) => new QuantityValue(nano(a) + nano(b)), QUANTITY),
      member('quantity_add_int', QUANTITY, ([a, b]) => new QuantityValue(nano(a) + (b as bigint) * NANO), INT),
    ],
    sub: [
      member('quantity_sub', QUANTITY, ([a, b]) => new QuantityValue(nano(a) - nano(b)), QUANTITY),
      member('quantity_sub_int', QUANTITY, ([a, b]) => new QuantityValue(nano(a) - (b as bigint) * NANO), INT),
    ],
  },
};

import { globalFunction, type Library, memberFunction, type Overload } from '../../../cel/check/environment.ts';
import { UNIT_ESTIMATE } from '../../../cel/cost/call-cost.ts';
import { costOfFirst } from '../../../cel/cost/costs.ts';
import { BOOL, DOUBLE, INT, opaqueType, STRING, type Type } from '../../../cel/types/type.ts';
import { fail, OpaqueValue, type Value } from '../../../cel/values/cel-value.ts';
import { goQuantityFault } from '../../../core/go/go-quantity.ts';
import { parseQuantity } from '../../kinds/common/quantity.ts';

const QUANTITY: Type = opaqueType('kubernetes.Quantity');
const NANO = 1_000_000_000n;

/** A quantity of a resource, exact down to 10^-9. */
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

const ruleQuantityNano = (value: Value | undefined): bigint => (value as QuantityValue).nano;
const signOfRuleQuantity = (value: bigint): bigint => (value < 0n ? -1n : value > 0n ? 1n : 0n);

function parsedRuleQuantity(text: string): Value {
  const fault = goQuantityFault(text);
  if (fault !== undefined) return fail(fault);
  const quantity = parseQuantity(text);
  return quantity === undefined ? fail("unable to parse quantity's suffix") : new QuantityValue(quantity.nano);
}

const isWholeRuleQuantity = (value: bigint): boolean =>
  value % NANO === 0n && value / NANO < 2n ** 63n && value / NANO >= -(2n ** 63n);

function wholeRuleQuantity([a]: readonly Value[]): Value {
  return isWholeRuleQuantity(ruleQuantityNano(a))
    ? ruleQuantityNano(a) / NANO
    : fail('cannot convert value to integer');
}

const ruleQuantityMember = (id: string, result: Type, run: Overload['run'], ...more: Type[]): Overload =>
  memberFunction(id, [QUANTITY, ...more], result, run);

/** Functions of quantities: `quantity('1Gi').isGreaterThan(quantity('1M'))` */
export const quantity: Library = {
  types: [QUANTITY],
  equality: new Map([[QUANTITY.name, () => UNIT_ESTIMATE]]),
  functions: {
    quantity: [
      globalFunction('string_to_quantity', [STRING], QUANTITY, ([a]) => parsedRuleQuantity(a as string), costOfFirst()),
    ],
    isQuantity: [
      globalFunction(
        'is_quantity_string',
        [STRING],
        BOOL,
        ([a]) => parsedRuleQuantity(a as string) instanceof QuantityValue,
        costOfFirst(),
      ),
    ],
    sign: [globalFunction('quantity_sign', [QUANTITY], INT, ([a]) => signOfRuleQuantity(ruleQuantityNano(a)))],
    isGreaterThan: [
      ruleQuantityMember(
        'quantity_is_greater_than',
        BOOL,
        ([a, b]) => ruleQuantityNano(a) > ruleQuantityNano(b),
        QUANTITY,
      ),
    ],
    isLessThan: [
      ruleQuantityMember(
        'quantity_is_less_than',
        BOOL,
        ([a, b]) => ruleQuantityNano(a) < ruleQuantityNano(b),
        QUANTITY,
      ),
    ],
    compareTo: [
      ruleQuantityMember(
        'quantity_compare_to',
        INT,
        ([a, b]) => signOfRuleQuantity(ruleQuantityNano(a) - ruleQuantityNano(b)),
        QUANTITY,
      ),
    ],
    asApproximateFloat: [ruleQuantityMember('quantity_get_float', DOUBLE, ([a]) => Number(ruleQuantityNano(a)) / 1e9)],
    asInteger: [ruleQuantityMember('quantity_get_int', INT, wholeRuleQuantity)],
    isInteger: [ruleQuantityMember('quantity_is_integer', BOOL, ([a]) => isWholeRuleQuantity(ruleQuantityNano(a)))],
    add: [
      ruleQuantityMember(
        'quantity_add',
        QUANTITY,
        ([a, b]) => new QuantityValue(ruleQuantityNano(a) + ruleQuantityNano(b)),
        QUANTITY,
      ),
      ruleQuantityMember(
        'quantity_add_int',
        QUANTITY,
        ([a, b]) => new QuantityValue(ruleQuantityNano(a) + (b as bigint) * NANO),
        INT,
      ),
    ],
    sub: [
      ruleQuantityMember(
        'quantity_sub',
        QUANTITY,
        ([a, b]) => new QuantityValue(ruleQuantityNano(a) - ruleQuantityNano(b)),
        QUANTITY,
      ),
      ruleQuantityMember(
        'quantity_sub_int',
        QUANTITY,
        ([a, b]) => new QuantityValue(ruleQuantityNano(a) - (b as bigint) * NANO),
        INT,
      ),
    ],
  },
};

import { parseQuantity } from '../../api/kinds/common/quantity.ts';

const NANO_OF_MILLI = 1_000_000n;

/** A quantity in thousandths, rounded up: 250 for `250m`; undefined if the text is not a quantity. */
export function milliOf(text: string): number | undefined {
  const quantity = parseQuantity(text);
  return quantity === undefined ? undefined : Number((quantity.nano + NANO_OF_MILLI - 1n) / NANO_OF_MILLI);
}

/** A quantity in thousandths as text: `250m`, `2`. */
export const milliText = (milli: number): string => (milli % 1_000 === 0 ? String(milli / 1_000) : `${milli}m`);

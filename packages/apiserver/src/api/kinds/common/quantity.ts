/** A number with a unit, exact down to 10^-9, as quantities are. */
interface Quantity {
  readonly nano: bigint;
  readonly form: 'decimal' | 'binary' | 'exponent';
}

const NANO = 1_000_000_000n;
const MICRO = 1_000_000n;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: ReadonlyMap<string, number> = new Map<string, number>(Object.entries({
  n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18,
})); // prettier-ignore
const SYNTAX = /^([+-]?)(\d*(?:\.\d*)?)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d+))$/;

export function parseQuantity(text: string): Quantity | undefined {
  const match = SYNTAX.exec(text);
  if (match === null || text === '') return undefined;
  const [, sign = '', digits = '', binary, decimal = '', exponent] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  const power = exponent === undefined ? (DECIMAL.get(decimal) as number) : Number(exponent);
  const factor = binary === undefined ? 1n : 1024n ** BigInt(BINARY.indexOf(binary));
  const size = scaleQuantity(`${whole}${fraction}`.replace(/^0+/, ''), factor, power - fraction.length + 9);
  const form = binary !== undefined ? 'binary' : exponent === undefined ? 'decimal' : 'exponent';
  return { nano: sign === '-' ? -size : size, form };
}

/** The largest quantity: larger ones are cut to it, as in Go. */
const MAX_NANO = (2n ** 63n - 1n) * NANO;
/**
 * Maximum number of significant digits of a quantity: those of `MAX_NANO`, and as many again that a factor of
 * 1024 may move in front of the point.
 */
const MAX_DIGITS = 60;

/**
 * Digits without leading zeros, times a factor and a power of ten. Quantities below 10^-9 are rounded away
 * from zero, so that none becomes zero. A few characters can mean a number of a billion digits
 * (`1e999999999`), which is never computed.
 */
function scaleQuantity(digits: string, factor: bigint, power: number): bigint {
  if (digits === '') return 0n;
  if (digits.length + power > MAX_DIGITS) return MAX_NANO;
  if (digits.length + power < -MAX_DIGITS) return 1n;
  // Digits far after the point only decide whether the rest is rounded up.
  const kept = digits.slice(0, 2 * MAX_DIGITS);
  const isMore = digits.slice(kept.length).replaceAll('0', '') !== '';
  const value = BigInt(isMore ? `${kept}1` : kept) * factor;
  const left = power + digits.length - kept.length - (isMore ? 1 : 0);
  const size = left >= 0 ? value * 10n ** BigInt(left) : divideQuantity(value, 10n ** BigInt(-left));
  return size > MAX_NANO ? MAX_NANO : size;
}

const divideQuantity = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

/**
 * The canonical form of a quantity: no fraction, and the largest unit that allows that. A quantity of a
 * resource has at most three decimals. Invalid quantities stay as they are and are found by validation.
 */
export function canonicalQuantity(text: string, isResource = false): string {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return text;
  const { nano, form } = quantity;
  const size = nano < 0n ? -nano : nano;
  const written = quantitySizeText(isResource ? divideQuantity(size, MICRO) * MICRO : size, form);
  return nano < 0n ? `-${written}` : written;
}

function quantitySizeText(nano: bigint, form: Quantity['form']): string {
  if (nano === 0n) return '0';
  // Small or fractional numbers of bytes are written in decimal; otherwise digits would be lost.
  if (form === 'binary' && nano >= 1024n * NANO && nano % NANO === 0n) {
    let [value, unit] = [nano / NANO, 0];
    while (value % 1024n === 0n && unit < BINARY.length - 1) [value, unit] = [value / 1024n, unit + 1];
    return `${value}${BINARY[unit]}`;
  }
  let [value, power] = [nano, -9];
  while (value % 1000n === 0n && power < 18) [value, power] = [value / 1000n, power + 3];
  if (form === 'exponent') return `${value}${power === 0 ? '' : `e${power}`}`;
  return `${value}${[...DECIMAL.keys()].find((name) => DECIMAL.get(name) === power)}`;
}

/** Compares two quantities; undefined if one is invalid. */
export function compareQuantities(a: string, b: string): number | undefined {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  if (left === undefined || right === undefined) return undefined;
  return left.nano < right.nano ? -1 : left.nano > right.nano ? 1 : 0;
}

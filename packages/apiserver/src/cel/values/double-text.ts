/** A double as Go prints it: with an exponent if it is very large or small. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  if (size >= 1e-4 && size < 1e21) return Number.isInteger(value) ? BigInt(value).toString() : String(value);
  return value.toExponential().replace(/e([+-])(?=\d$)/, 'e$10');
}

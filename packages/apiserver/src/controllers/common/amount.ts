/** A number, or a percentage of `total`: `25%`. */
export function scaledAmount(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value !== 'string') return value ?? 0;
  const part = (Number.parseInt(value, 10) * total) / 100;
  return round === 'up' ? Math.ceil(part) : Math.floor(part);
}

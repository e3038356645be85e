/** `12,345` */
export function groupedNumber(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1.2 MB` */
export function byteNumberText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `3.2`, `120` */
export function rateNumberText(perSecond: number): string {
  if (perSecond === 0) return '0';
  return perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}

/** `1 object`, `2 objects` */
export function countedNumber(count: number, one: string, many = `${one}s`): string {
  return `${groupedNumber(count)} ${count === 1 ? one : many}`;
}

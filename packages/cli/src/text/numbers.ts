import { keptSafe, safe, type Safe } from './safe.ts';

/** A number with separators: `12,345` */
export function thousandsNumber(number: number): Safe {
  return keptSafe(String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ','));
}

/** A size: `1.2 MB` */
export function byteNumberText(bytes: number): Safe {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return keptSafe(`${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`);
}

/** A rate: `3.2`, `120` */
export function perSecondNumberText(perSecond: number): Safe {
  if (perSecond === 0) return safe`0`;
  return keptSafe(perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond)));
}

/** A count with its noun: `1 object`, `2 objects` */
export function pluralNumber(count: number, one: Safe, many: Safe = safe`${one}s`): Safe {
  return safe`${thousandsNumber(count)} ${count === 1 ? one : many}`;
}

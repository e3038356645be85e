const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970 of an RFC 3339 time, as Kubernetes writes it; undefined for other texts. */
export function parseTimestamp(text: string): number | undefined {
  const parts = RFC3339.exec(text);
  if (parts === null) return undefined;
  const [, day, time, fraction = '', zone = 'Z'] = parts;
  // oxlint-disable-next-line no-restricted-globals -- reads a text, not the clock
  const ms = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const SECONDS_PER_DAY = 86_400;

/** The last day that was formatted: most times of an object, and of its neighbours, are on the same day. */
let lastDay = Number.NaN;
let lastDayText = '';

/** The RFC 3339 text of whole seconds since 1970, for the years 1 to 9999: `2026-01-31T08:05:52Z`. */
export function formatTimestamp(seconds: number): string {
  const day = Math.floor(seconds / SECONDS_PER_DAY);
  const rest = seconds - day * SECONDS_PER_DAY;
  if (day !== lastDay) {
    // oxlint-disable-next-line no-restricted-globals -- writes a given time, not that of the clock
    lastDayText = new Date(day * SECONDS_PER_DAY * 1_000).toISOString().slice(0, 10);
    lastDay = day;
  }
  const hours = Math.floor(rest / 3_600);
  const minutes = Math.floor(rest / 60) % 60;
  return `${lastDayText}T${twoTimestampDigits(hours)}:${twoTimestampDigits(minutes)}:${twoTimestampDigits(rest % 60)}Z`;
}

function twoTimestampDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

/** RFC 3339 in UTC with whole seconds, as in metadata and conditions. */
export function timestamp(ms: number): string {
  return formatTimestamp(Math.floor(ms / 1_000));
}

/** RFC 3339 in UTC with six digits after the second: Kubernetes' MicroTime, in leases and events. */
export function microTimestamp(ms: number): string {
  const fraction = String(Math.floor(ms) % 1_000).padStart(3, '0');
  return `${timestamp(ms).slice(0, -1)}.${fraction}000Z`;
}

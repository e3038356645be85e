const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Tolerance for clocks that differ: this far in the future still counts as now. */
const TOLERATED_MS = 2 * SECOND;

/** A duration or age in its two largest units: `85s`, `3m5s`, `4h`, `2d3h`, `5y10d`. */
export function humanAgeCell(ms: number): string {
  if (ms <= -TOLERATED_MS) return '<invalid>';
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.trunc(ms / SECOND))}s`;
  if (ms < 10 * MINUTE) return ageCellFigures(ms, [MINUTE, 'm'], [SECOND, 's']);
  if (ms < 3 * HOUR) return ageCellFigures(ms, [MINUTE, 'm']);
  if (ms < 8 * HOUR) return ageCellFigures(ms, [HOUR, 'h'], [MINUTE, 'm']);
  if (ms < 2 * DAY) return ageCellFigures(ms, [HOUR, 'h']);
  if (ms < 8 * DAY) return ageCellFigures(ms, [DAY, 'd'], [HOUR, 'h']);
  if (ms < 2 * YEAR) return ageCellFigures(ms, [DAY, 'd']);
  if (ms < 8 * YEAR) return ageCellFigures(ms, [YEAR, 'y'], [DAY, 'd']);
  return ageCellFigures(ms, [YEAR, 'y']);
}

type Unit = readonly [ms: number, letter: string];

function ageCellFigures(ms: number, [large, largeLetter]: Unit, small?: Unit): string {
  const whole = `${Math.floor(ms / large)}${largeLetter}`;
  const rest = small === undefined ? 0 : Math.floor((ms % large) / small[0]);
  return rest === 0 ? whole : `${whole}${rest}${small?.[1]}`;
}

/** The age of a timestamp; `<unknown>` if it is not set. */
export function ageCellSince(timestamp: unknown, now: number): string {
  const since = ageCellInstant(timestamp);
  return since === undefined ? '<unknown>' : humanAgeCell(now - since);
}

/** Milliseconds since 1970; undefined for an invalid timestamp. */
export function ageCellInstant(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'string') return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}

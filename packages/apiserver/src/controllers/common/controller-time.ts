/** Milliseconds since 1970 of a timestamp; undefined without one. */
export function parseControllerTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Milliseconds of the units of a duration: `90s`, `1.5h`. */
export const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

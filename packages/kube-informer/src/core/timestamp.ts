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

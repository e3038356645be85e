/** RFC 3339 in UTC with whole seconds: every timestamp in metadata. */
export function serverTimestamp(ms: number): string {
  // oxlint-disable-next-line no-restricted-globals -- writes a time it was given, does not read the clock
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** The `Date` header. */
export function httpServerTimestamp(ms: number): string {
  // oxlint-disable-next-line no-restricted-globals -- writes a time it was given, does not read the clock
  return new Date(ms).toUTCString();
}

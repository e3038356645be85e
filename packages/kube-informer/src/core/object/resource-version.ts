/**
 * Compares resourceVersions. They are opaque, but since Kubernetes 1.35 those of
 * one resource type may be compared when both are digit strings (KEP-5504).
 *
 * They are compared by length, then as strings, never as numbers: they may have
 * more digits than a double can hold.
 */

/** Negative, zero or positive if `a` is older, the same or newer; undefined if the order is unknown. */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return a === '' ? undefined : 0;
  if (!isOrderedVersion(a) || !isOrderedVersion(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether `a` is known to be older than `b`; false if the order is unknown. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  const order = compareVersions(a, b);
  return order !== undefined && order < 0;
}

/** The newer of two; `b`, which arrived later, if the order is unknown. */
export function newerVersion(a: string, b: string): string {
  return isOlder(b, a) ? a : b;
}

/** Whether it can be ordered: digits without leading zeros, but not "0", which has a special meaning. */
export function isOrderedVersion(version: string): boolean {
  const { length } = version;
  if (length === 0) return false;
  const first = version.charCodeAt(0);
  if (first < 49 || first > 57) return false;
  for (let i = 1; i < length; i += 1) {
    const code = version.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** Whether it is a version of the history that a watch can resume from: "" means the newest state and "0" any state. */
export function isVersionPlaceInHistory(version: string): boolean {
  return version !== '' && version !== '0';
}

/** Whether `version` is known to be `other` or a later one. */
export function hasReachedVersion(version: string | undefined, other: string | undefined): boolean {
  const order = compareVersions(version, other);
  return order !== undefined && order >= 0;
}

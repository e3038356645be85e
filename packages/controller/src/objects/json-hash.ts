import { createHash } from 'node:crypto';

/** A hash of JSON that does not depend on the order of fields. */
export function jsonHashOf(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
  return createHash('sha256').update(text).digest('base64');
}

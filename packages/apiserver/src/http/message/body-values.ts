import { Work } from '../../core/work.ts';

/**
 * Maximum number of values in a body: objects, lists and plain values, whatever format they were sent in.
 * Every step of a write (types, defaults, validation, owners of fields) takes microseconds for each of them,
 * in the process that also runs the tests. The largest definitions of custom resources have some 30,000.
 */
const MAX_BODY_VALUES = 100_000;

/** The budget for reading a body whose values cost more than their bytes. Spending more throws 413. */
export const bodyValuesWork = (): Work => new Work('the body', MAX_BODY_VALUES);

/** Throws 413 when a body has too many values: a limit on bytes does not bound the work of a body of tiny ones. */
export function requireFewBodyValues(body: unknown): void {
  const work = bodyValuesWork();
  const waiting: unknown[] = [body];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const values = Object.values(next);
    work.spend(values.length);
    // Plain values need no further check. Not pushed with a spread: a list may be longer than the maximum number of
    // arguments.
    for (const value of values) if (typeof value === 'object' && value !== null) waiting.push(value);
  }
}

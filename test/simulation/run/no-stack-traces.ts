import { afterAll, beforeAll } from 'vitest';

/** Turns stack traces off for the tests of a file: those of simulated failures cost a third of the run. */
export function noStackTraces(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => void (Error.stackTraceLimit = 0));
  afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));
}

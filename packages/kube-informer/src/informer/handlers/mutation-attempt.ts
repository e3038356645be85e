import { errorMessageOf, hasCode } from '../../core/errors.ts';

/** Whether a handler failed because it tried to change a frozen object of the cache. */
export function isMutationAttempt(error: unknown): boolean {
  return (
    hasCode(error, 'CACHE_MUTATED') ||
    (isMutationAttemptError(error) &&
      /read only|not extensible|Cannot (assign|add|delete|define)/.test(errorMessageOf(error)))
  );
}

/** Whether an error is a TypeError. Safe for a Proxy that throws. */
function isMutationAttemptError(error: unknown): boolean {
  try {
    return error instanceof TypeError;
  } catch {
    return false;
  }
}

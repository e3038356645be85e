import { hasCode } from '../../core/errors.ts';

/** Whether a handler failed because the cache's objects are frozen. */
export function isMutationAttempt(error: unknown): boolean {
  return (
    hasCode(error, 'CACHE_MUTATED') ||
    (error instanceof TypeError && /read only|not extensible|Cannot (assign|add|delete|define)/.test(error.message))
  );
}

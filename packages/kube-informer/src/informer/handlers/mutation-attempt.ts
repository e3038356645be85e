import { hasCode } from '../../core/errors.ts';

/** Whether a handler failed because it tried to change a frozen object of the cache. */
export function isMutationAttempt(error: unknown): boolean {
  return (
    hasCode(error, 'CACHE_MUTATED') ||
    (error instanceof TypeError && /read only|not extensible|Cannot (assign|add|delete|define)/.test(error.message))
  );
}

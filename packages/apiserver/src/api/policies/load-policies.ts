import type * as PoliciesModule from './policies.ts';

type Policies = typeof PoliciesModule;

let loaded: Policies | undefined;

/** Loads the interpreter of policies, which is not loaded before there is a policy or a webhook. */
export async function loadPolicies(): Promise<Policies> {
  return (loaded ??= await import('./policies.ts'));
}

/** The interpreter, if it is loaded. */
export const loadedPolicies = (): Policies | undefined => loaded;

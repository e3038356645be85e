import type { Review } from '../auth/review/reviews.ts';

const REVIEW_GROUPS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/**
 * The review of a resource, if it is one: reviews are computed, not stored. The code is loaded when it is
 * first needed.
 */
export async function findReview(group: string, resource: string): Promise<Review | undefined> {
  if (!REVIEW_GROUPS.has(group)) return undefined;
  const { reviews } = await import('../auth/review/reviews.ts');
  return reviews.get(`${group}/${resource}`);
}

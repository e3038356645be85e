import { defined } from 'kube-informer/core';
import type { JsonObject } from '../../core/json.ts';
import type { User } from '../../core/user.ts';
import { serviceAccountOf } from '../user/service-account.ts';
import { API_AUDIENCE, withGroupOfUserTable, type KnownToken, type UserTable } from '../user/user-table.ts';

const INVALID = 'invalid bearer token';

/** The `status` of a TokenReview. `wanted` is empty if the review names no audience; then this server's is used. */
export function tokenReviewStatus(users: UserTable, token: string, wanted: readonly string[]): JsonObject {
  const known = users.find(token);
  if (known === undefined) return refusedTokenReview(INVALID);
  if (users.hasExpired(known)) return refusedTokenReview(tokenReviewError(known, 'service account token has expired'));
  if (users.hasLostObject(known))
    return refusedTokenReview(tokenReviewError(known, 'service account token has been invalidated'));
  const targets = wanted.length === 0 ? [API_AUDIENCE] : wanted;
  const audiences = targets.filter((audience) => known.audiences.includes(audience));
  if (audiences.length === 0) return refusedTokenReview(tokenReviewAudienceError(known, targets));
  return { authenticated: true, user: tokenReviewUserInfo(withGroupOfUserTable(known.user)), audiences };
}

/** A user as reviews show it. */
export function tokenReviewUserInfo({ name, uid, groups, extra = {} }: User): JsonObject {
  const keys = Object.keys(extra).toSorted();
  return {
    username: name,
    ...defined({ uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(keys.length === 0 ? {} : { extra: Object.fromEntries(keys.map((key) => [key, [...(extra[key] ?? [])]])) }),
  };
}

const refusedTokenReview = (error: string): JsonObject => ({ user: {}, error });

/** The error of a token; the problem is named for tokens of service accounts only. */
const tokenReviewError = ({ user }: KnownToken, problem: string): string =>
  serviceAccountOf(user.name) === undefined ? INVALID : `[${INVALID}, ${problem}]`;

const tokenReviewAudienceError = (known: KnownToken, targets: readonly string[]): string =>
  tokenReviewError(
    known,
    `token audiences ${quoteTokenReviewAudiences(known.audiences)} is invalid for the target audiences ${quoteTokenReviewAudiences(targets)}`,
  );

/** A list as Go's `%q` prints it. */
const quoteTokenReviewAudiences = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

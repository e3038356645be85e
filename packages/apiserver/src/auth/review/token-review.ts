import type { JsonObject } from '../../core/json.ts';
import type { User } from '../../core/user.ts';
import { serviceAccountOf } from '../user/service-account.ts';
import { API_AUDIENCE, asAuthenticated, type KnownToken, type UserTable } from '../user/user-table.ts';

const INVALID = 'invalid bearer token';

/** The `status` of a TokenReview. `wanted` is empty where the question names no audience: this server's is meant. */
export function tokenStatus(users: UserTable, token: string, wanted: readonly string[]): JsonObject {
  const known = users.find(token);
  if (known === undefined) return refused(INVALID);
  if (users.hasExpired(known)) return refused(why(known, 'service account token has expired'));
  const targets = wanted.length === 0 ? [API_AUDIENCE] : wanted;
  const audiences = targets.filter((audience) => known.audiences.includes(audience));
  if (audiences.length === 0) return refused(wrongAudience(known, targets));
  return { authenticated: true, user: userInfo(asAuthenticated(known.user)), audiences };
}

/** A user as reviews show it. */
export function userInfo({ name, uid, groups, extra = {} }: User): JsonObject {
  const keys = Object.keys(extra).toSorted();
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(keys.length === 0 ? {} : { extra: Object.fromEntries(keys.map((key) => [key, [...(extra[key] ?? [])]])) }),
  };
}

const refused = (error: string): JsonObject => ({ user: {}, error });

/** Only the tokens of service accounts are looked into; of others it is not said what is wrong. */
const why = ({ user }: KnownToken, problem: string): string =>
  serviceAccountOf(user.name) === undefined ? INVALID : `[${INVALID}, ${problem}]`;

const wrongAudience = (known: KnownToken, targets: readonly string[]): string =>
  why(known, `token audiences ${quoted(known.audiences)} is invalid for the target audiences ${quoted(targets)}`);

/** A list as Go's `%q` prints it. */
const quoted = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

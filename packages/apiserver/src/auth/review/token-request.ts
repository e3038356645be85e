import { randomUUID } from 'node:crypto';
import { defined } from 'kube-informer/core';
import { invalidFieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { invalidStatusError } from '../../core/status-error.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { serviceAccountUser } from '../user/service-account.ts';
import { API_AUDIENCE, type UserTable } from '../user/user-table.ts';
import { type Bound, boundObjectExtra, type FindBindable, findBoundObject } from './bound-object.ts';
import { reviewSpecObject, reviewSpecText } from './review-spec.ts';
import { TokenKey } from './token-key.ts';

export interface TokenRequest {
  /** The posted TokenRequest. */
  readonly object: ApiObject;
  /** The ServiceAccount the token is for. */
  readonly account: ApiObject;
  /** Finds the object that a token is to be bound to. */
  readonly find: FindBindable;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };

/**
 * Issues tokens of service accounts (`POST …/serviceaccounts/x/token`).
 *
 * A token is a signed JWT with the claims of a real one, so that clients can read its expiry, and others can
 * verify it with the published key. This server itself does not parse it: a token is valid if it is in the
 * table, and is revoked by removing it.
 */
export class TokenIssuer {
  readonly #users: UserTable;
  readonly #key: TokenKey;

  constructor(users: UserTable) {
    this.#users = users;
    this.#key = new TokenKey(users);
  }

  /** The public key, as a JSON Web Key Set. */
  keySet(): JsonObject {
    return this.#key.keySet();
  }

  /** Issues a token and returns the posted object with the token in its `status`. */
  issue({ object, account, find, now }: TokenRequest): ApiObject {
    const { name = '', namespace = '', uid = '' } = account.metadata ?? {};
    const spec = reviewSpecObject(object['spec']) ?? {};
    const asked = Array.isArray(spec['audiences']) ? spec['audiences'].map(reviewSpecText) : [];
    const audiences = asked.length === 0 ? [API_AUDIENCE] : asked;
    const seconds = typeof spec['expirationSeconds'] === 'number' ? spec['expirationSeconds'] : DEFAULT_SECONDS;
    checkTokenRequestName(object, name);
    checkTokenRequestSeconds(seconds);
    const reference = reviewSpecObject(spec['boundObjectRef']);
    const bound: Bound = reference === undefined ? {} : findBoundObject(reference, { name, namespace }, find);

    const expiresAt = (Math.floor(now / 1000) + seconds) * 1000;
    const id = randomUUID();
    const token = this.#key.sign({
      aud: audiences,
      exp: expiresAt / 1000,
      iat: Math.floor(now / 1000),
      iss: API_AUDIENCE,
      jti: id,
      'kubernetes.io': { namespace, ...(bound as JsonObject), serviceaccount: { name, uid } },
      nbf: Math.floor(now / 1000),
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
    const user = {
      ...serviceAccountUser({ namespace, name, uid }),
      extra: { ...boundObjectExtra(bound), 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] },
    };
    // A pod's token names its node, but does not become invalid with it.
    const { node, ...others } = bound;
    const ends = bound.pod === undefined ? { node, ...others } : others;
    const binding = { namespace, serviceaccount: { name, uid }, ...defined(ends) };
    this.#users.add(user, { token, expiresAt, audiences, bound: binding });
    return {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, uid, creationTimestamp: serverTimestamp(now) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: reference ?? null },
      status: { token, expirationTimestamp: serverTimestamp(expiresAt) },
    };
  }
}

function checkTokenRequestName({ metadata }: ApiObject, name: string): void {
  const given = metadata?.name ?? '';
  if (given === '' || given === name) return;
  const why = 'must match the service account name if specified';
  throw invalidStatusError(KIND, name, [invalidFieldError('metadata.name', given, why)]);
}

function checkTokenRequestSeconds(seconds: number): void {
  const why =
    seconds < MIN_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > MAX_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (why !== undefined)
    throw invalidStatusError(KIND, '', [invalidFieldError('spec.expirationSeconds', seconds, why)]);
}

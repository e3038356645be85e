import { randomBytes } from 'node:crypto';
import { defined, type Env } from 'kube-informer/core';
import type { User } from '../../core/user.ts';

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group whose members may do everything, regardless of the stored roles. */
export const MASTERS = 'system:masters';

/** The user of requests without credentials, if those are allowed. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

export const ADMIN: User = { name: 'admin', groups: [MASTERS] };

/** Default audience of a token: this server. */
export const API_AUDIENCE = 'https://kubernetes.default.svc';

/** The objects with which a token of a service account becomes invalid. */
export interface TokenBinding {
  readonly namespace: string;
  readonly serviceaccount: BoundReference;
  readonly pod?: BoundReference;
  readonly node?: BoundReference;
  readonly secret?: BoundReference;
}

export interface BoundReference {
  readonly name: string;
  readonly uid: string;
}

export interface TokenOptions {
  /** The token itself. @default a random one */
  readonly token?: string;
  /** Time from which the token is refused, in milliseconds since 1970. @default never */
  readonly expiresAt?: number;
  /** @default this server */
  readonly audiences?: readonly string[];
  /** The objects that it is bound to. @default none: the token is valid until it expires */
  readonly bound?: TokenBinding;
}

export interface KnownToken {
  readonly user: User;
  readonly expiresAt: number;
  readonly audiences: readonly string[];
  readonly bound?: TokenBinding;
}

/** A token as it is saved. */
export interface SavedToken extends TokenOptions {
  readonly token: string;
  readonly user: User;
}

/**
 * Bearer tokens and their users.
 *
 * A token works from the moment it is added until it expires, is revoked, or loses an object that it is bound
 * to; each takes effect with the next request, while open streams continue, as in a real cluster. Expired
 * tokens are kept long enough to report that they have expired, and forgotten when others are added.
 */
export class UserTable {
  readonly #env: Pick<Env, 'wallNow'>;
  readonly #tokens = new Map<string, KnownToken>();
  /** Called after every change. */
  onChange: () => void = () => {};
  /** Whether the objects of a binding still exist. Set by the server that has the objects. */
  isAlive: (bound: TokenBinding) => boolean = () => true;

  constructor(env: Pick<Env, 'wallNow'>) {
    this.#env = env;
  }

  /** Adds a user, and returns its token. */
  add(user: User, options: TokenOptions = {}): string {
    const {
      token = newUserTableToken(),
      expiresAt = Number.POSITIVE_INFINITY,
      audiences = [API_AUDIENCE],
      bound,
    } = options;
    this.#forgetLongExpired();
    this.#tokens.set(token, { user, expiresAt, audiences, ...defined({ bound }) });
    this.onChange();
    return token;
  }

  /** All tokens, expired ones too, in the form that `add` takes. */
  entries(): readonly SavedToken[] {
    return Array.from(this.#tokens, ([token, { user, expiresAt, audiences, bound }]) => ({
      token,
      user,
      ...(expiresAt === Number.POSITIVE_INFINITY ? {} : { expiresAt }),
      audiences,
      ...defined({ bound }),
    }));
  }

  revoke(token: string): boolean {
    const isKnown = this.#tokens.delete(token);
    if (isKnown) this.onChange();
    return isKnown;
  }

  /** Revokes all tokens of a user, whose service account is gone. Returns their number. */
  revokeUser(name: string): number {
    let count = 0;
    for (const [token, { user }] of this.#tokens) if (user.name === name && this.#tokens.delete(token)) count += 1;
    if (count > 0) this.onChange();
    return count;
  }

  /** Makes a token, or every token, expire at a time; the past is allowed. */
  expire(token: string | undefined, at: number = this.#env.wallNow()): void {
    for (const [known, entry] of this.#tokens)
      if (token === undefined || token === known) this.#tokens.set(known, { ...entry, expiresAt: at });
    this.onChange();
  }

  /** The entry of a token, expired or not. */
  find(token: string): KnownToken | undefined {
    return this.#tokens.get(token);
  }

  hasExpired({ expiresAt }: KnownToken): boolean {
    return expiresAt <= this.#env.wallNow();
  }

  /**
   * Whether an account or another object that the token is bound to is gone, or has been replaced by one of
   * the same name.
   */
  hasLostObject({ bound }: KnownToken): boolean {
    return bound !== undefined && !this.isAlive(bound);
  }

  /** The user of a token that is valid for this server now. */
  userOf(token: string): User | undefined {
    const known = this.#tokens.get(token);
    if (known === undefined || this.hasExpired(known) || this.hasLostObject(known)) return undefined;
    return known.audiences.includes(API_AUDIENCE) ? known.user : undefined;
  }

  #forgetLongExpired(): void {
    const limit = this.#env.wallNow() - REMEMBER_EXPIRED_MS;
    for (const [token, { expiresAt }] of this.#tokens) if (expiresAt < limit) this.#tokens.delete(token);
  }
}

const REMEMBER_EXPIRED_MS = 3_600_000;

/** A new random token. It must not repeat, not even in a run with repeatable random numbers. */
function newUserTableToken(): string {
  // Hexadecimal, because commands would take a token that begins with a dash for an option.
  return randomBytes(24).toString('hex');
}

/** Adds the group of all authenticated users. */
export function withGroupOfUserTable(user: User): User {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

import { defined } from 'kube-informer/core';
import type { IssuedCertificate } from '../auth/certificates/authority.ts';
import { signingKeys } from '../auth/user/signing-keys.ts';
import type { SavedToken, UserTable } from '../auth/user/user-table.ts';
import type { DataDirectory } from '../storage/durable/data-directory.ts';

/** Secrets that outlive a restart, so that earlier kubeconfigs still work. */
export interface Identity {
  /** The administrator's token. */
  readonly token: string;
  /** All tokens that were issued, including the administrator's. */
  readonly tokens?: readonly SavedToken[];
  /** The private key that signs tokens of service accounts, PEM. */
  readonly signingKey?: string | undefined;
  /** The certificate authority with its key. */
  readonly authority?: IssuedCertificate | undefined;
}

/** A data directory that also stores the identity of a server. */
export type ServerData = DataDirectory<Identity>;

/** Restores all users but the administrator, whose next token may be different. */
export function restoreIdentityUsers(users: UserTable, { token: admins, tokens = [], signingKey }: Identity): void {
  if (signingKey !== undefined) signingKeys.set(users, signingKey);
  for (const saved of tokens) if (saved.token !== admins) users.add(saved.user, saved);
}

/** The part of an identity that belongs to users. */
export const identityOfUsers = (users: UserTable): Pick<Identity, 'tokens' | 'signingKey'> => ({
  tokens: users.entries(),
  ...defined({ signingKey: signingKeys.get(users) }),
});

/** Whether a value read from a file is an identity, as far as the server relies on it. */
export function isIdentity(value: unknown): value is Identity {
  const { token, tokens = [], authority, signingKey = 'none' } = identityFields(value);
  return (
    isFilledIdentityText(token) &&
    isFilledIdentityText(signingKey) &&
    Array.isArray(tokens) &&
    tokens.every(
      (saved) =>
        isFilledIdentityText(identityFields(saved)['token']) && isServerIdentityUser(identityFields(saved)['user']),
    ) &&
    (authority === undefined ||
      (isFilledIdentityText(identityFields(authority)['certificate']) &&
        isFilledIdentityText(identityFields(authority)['key'])))
  );
}

const isServerIdentityUser = (value: unknown): boolean => {
  const { name, groups = [] } = identityFields(value);
  return typeof name === 'string' && Array.isArray(groups) && groups.every((group) => typeof group === 'string');
};

const isFilledIdentityText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const identityFields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

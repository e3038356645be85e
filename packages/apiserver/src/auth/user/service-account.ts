import { defined } from 'kube-informer/core';
import type { User } from '../../core/user.ts';

const PREFIX = 'system:serviceaccount:';
const ALL = 'system:serviceaccounts';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export const serviceAccountUserName = ({ namespace, name }: ServiceAccountName): string =>
  `${PREFIX}${namespace}:${name}`;

export const serviceAccountGroups = (namespace: string): string[] => [ALL, `${ALL}:${namespace}`];

/** The service account of a user name, if it belongs to one. */
export function serviceAccountOf(userName: string): ServiceAccountName | undefined {
  if (!userName.startsWith(PREFIX)) return undefined;
  const [namespace, name, ...rest] = userName.slice(PREFIX.length).split(':');
  if (namespace === undefined || name === undefined || rest.length > 0 || namespace === '' || name === '')
    return undefined;
  return { namespace, name };
}

/** The user of a pod with this account. */
export function serviceAccountUser(account: ServiceAccountName & { readonly uid?: string }): User {
  return {
    name: serviceAccountUserName(account),
    ...defined({ uid: account.uid }),
    groups: serviceAccountGroups(account.namespace),
  };
}

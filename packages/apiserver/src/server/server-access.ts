import { authenticator, openAuthenticator } from '../auth/authn/authenticate.ts';
import { allowAll } from '../auth/authz/authorize.ts';
import { isBoundObjectAlive } from '../auth/review/bound-object.ts';
import { ADMIN, ANONYMOUS, type UserTable } from '../auth/user/user-table.ts';
import { once } from '../core/run-once.ts';
import type { Backend } from '../http/backend.ts';
import type { Registry } from '../registry/registry.ts';
import type { LocalClient } from './local-client.ts';
import { storedRbac } from './stored-rbac.ts';

export type AuthMode = 'dev' | 'open' | 'rbac';

/** Makes the authenticator and the authorizer of a mode. */
export function serverAccessOf(
  auth: AuthMode,
  users: UserTable,
  registry: Registry,
  local: LocalClient,
): Pick<Backend, 'authenticate' | 'authorizer' | 'users' | 'tokens'> {
  const authorizer = auth === 'rbac' ? storedRbac(registry, local) : allowAll;
  users.isAlive = (binding) =>
    isBoundObjectAlive(
      binding,
      (resource, namespace, name) => local.get('', resource, namespace, name),
      local.env.wallNow(),
    );
  const anonymous = auth === 'rbac' ? ANONYMOUS : undefined;
  return {
    authenticate:
      auth === 'open' ? openAuthenticator(ADMIN, authorizer) : authenticator({ users, authorizer, anonymous }),
    authorizer,
    users,
    tokens: once(async () => new (await import('../auth/review/token-request.ts')).TokenIssuer(users)),
  };
}

import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import {
  authenticator,
  type AuthenticatorOptions,
  openAuthenticator,
  type Credentials,
} from '../../../src/auth/authn/authenticate.ts';
import type { PeerCertificate } from '../../../src/auth/authn/client-certificate.ts';
import { type Action, allowAll, type Authorizer } from '../../../src/auth/authz/authorize.ts';
import { ADMIN, ANONYMOUS, UserTable } from '../../../src/auth/user/user-table.ts';
import { StatusError } from '../../../src/core/status-error.ts';

const BOB = { name: 'bob', uid: 'u-1', groups: ['devs'] };
const CERTIFICATE: PeerCertificate = { trusted: true, name: 'carol', groups: ['ops'], fingerprint: 'ab12' };

function rig(options: Partial<AuthenticatorOptions> = {}) {
  const env = fakeEnv();
  const users = new UserTable(env);
  const token = users.add(BOB);
  const authenticate = authenticator({ users, authorizer: allowAll, ...options });
  const bearer = (text: string, ...rawHeaders: string[]) =>
    authenticate({ authorization: `Bearer ${text}`, rawHeaders });
  return { env, users, token, authenticate, bearer };
}

/** Allows the listed actions, each as `resource[/sub] name`. */
function only(...allowed: string[]): Authorizer & { asked: Action[] } {
  const asked: Action[] = [];
  return {
    ...allowAll,
    asked,
    allows(_user, action) {
      asked.push(action);
      const { resource, subresource, name } = action;
      const text = `${subresource === '' ? resource : `${resource}/${subresource}`} ${name}`;
      return { allowed: allowed.includes(text), reason: '' };
    },
  };
}

function statusOf(attempt: () => unknown): { code: number | undefined; message: string | undefined } {
  try {
    attempt();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.status.code, message: error.status.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('tokens', () => {
  test('a known token authenticates its user, who is also in system:authenticated', () => {
    const { token, bearer } = rig();
    expect(bearer(token)).toEqual({ ...BOB, groups: ['devs', 'system:authenticated'] });
  });

  test('the scheme may be written in any case, and space around the header does not matter', () => {
    const { token, authenticate } = rig();
    expect(authenticate({ authorization: `  bEARER ${token} ` }).name).toBe('bob');
  });

  test('an unknown token is refused, also if none is required', () => {
    expect(statusOf(() => rig().bearer('guess'))).toEqual({ code: 401, message: 'Unauthorized' });
    expect(statusOf(() => rig({ anonymous: ANONYMOUS }).bearer('guess')).code).toBe(401);
  });

  test.each([undefined, '', 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearer  two-spaces'])(
    'the header %j shows nothing',
    (authorization) => {
      expect(statusOf(() => rig().authenticate({ authorization })).code).toBe(401);
      expect(rig({ anonymous: ANONYMOUS }).authenticate({ authorization })).toEqual(ANONYMOUS);
    },
  );

  test('a token expires at its time', async () => {
    const { env, users, bearer } = rig();
    const token = users.add(BOB, { expiresAt: env.wallNow() + 1000 });
    await env.clock.advance(999);
    expect(bearer(token).name).toBe('bob');
    await env.clock.advance(1);
    expect(statusOf(() => bearer(token)).code).toBe(401);
  });

  test('a revoked token is refused from then on; others of the same user are not', () => {
    const { users, token, bearer } = rig();
    const second = users.add(BOB);
    expect(users.revoke(token)).toBe(true);
    expect(users.revoke(token)).toBe(false);
    expect(statusOf(() => bearer(token)).code).toBe(401);
    expect(bearer(second).name).toBe('bob');
  });

  test('a user can be removed with all tokens', () => {
    const { users, token, bearer } = rig();
    const [second, other] = [users.add(BOB), users.add(ADMIN)];
    expect(users.revokeUser('bob')).toBe(2);
    for (const gone of [token, second]) expect(statusOf(() => bearer(gone)).code).toBe(401);
    expect(bearer(other).name).toBe('admin');
  });

  test('one token or all of them can be made to expire', () => {
    const { users, token, bearer } = rig();
    const other = users.add(ADMIN);
    users.expire(token);
    expect(statusOf(() => bearer(token)).code).toBe(401);
    expect(bearer(other).name).toBe('admin');
    users.expire(undefined);
    expect(statusOf(() => bearer(other)).code).toBe(401);
  });

  test('tokens that expired long ago are forgotten when others come', async () => {
    const { env, users } = rig();
    const old = users.add(BOB, { expiresAt: env.wallNow() });
    await env.clock.advance(3_600_001);
    expect(users.find(old)).toBeDefined();
    users.add(BOB);
    expect(users.find(old)).toBeUndefined();
  });

  test('a token for another audience is refused', () => {
    const { users, bearer } = rig();
    expect(statusOf(() => bearer(users.add(BOB, { audiences: ['vault'] }))).code).toBe(401);
  });

  test('generated tokens are random and long', () => {
    const { users } = rig();
    const tokens = new Set(Array.from({ length: 50 }, () => users.add(BOB)));
    expect(tokens.size).toBe(50);
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{48}$/);
  });
});

describe('client certificates', () => {
  test('a trusted certificate authenticates its name and groups', () => {
    expect(rig().authenticate({ peerCertificate: CERTIFICATE })).toEqual({
      name: 'carol',
      groups: ['ops', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=ab12'] },
    });
  });

  test('it counts before a token, and one good proof is enough', () => {
    const { token, authenticate } = rig();
    const by = (peerCertificate: PeerCertificate, text: string): string =>
      authenticate({ peerCertificate, authorization: `Bearer ${text}` }).name;
    expect(by(CERTIFICATE, token)).toBe('carol');
    expect(by(CERTIFICATE, 'guess')).toBe('carol');
    expect(by({ ...CERTIFICATE, trusted: false }, token)).toBe('bob');
  });

  test('an untrusted one is refused, also if none is required', () => {
    const peerCertificate = { ...CERTIFICATE, trusted: false };
    expect(statusOf(() => rig({ anonymous: ANONYMOUS }).authenticate({ peerCertificate })).code).toBe(401);
  });

  test('one without a name authenticates no user', () => {
    expect(statusOf(() => rig().authenticate({ peerCertificate: { ...CERTIFICATE, name: '' } })).code).toBe(401);
  });
});

describe('impersonation', () => {
  test('an allowed request continues as the other user, with exactly the groups it names', () => {
    const { token, bearer } = rig();
    expect(
      bearer(
        token,
        'Impersonate-User', 'alice', 'impersonate-group', 'g1', 'Impersonate-Group', 'a, b',
        'Impersonate-Uid', 'u1', 'Impersonate-Extra-Scopes', 'x', 'Impersonate-Extra-Scopes', 'y',
        'Impersonate-Extra-acme.com%2Fproject', 'p',
      ), // prettier-ignore
    ).toEqual({
      name: 'alice',
      uid: 'u1',
      groups: ['g1', 'a, b', 'system:authenticated'],
      extra: { scopes: ['x', 'y'], 'acme.com/project': ['p'] },
    });
  });

  test('a service account has its groups unless others are named', () => {
    const { token, bearer } = rig();
    const user = ['Impersonate-User', 'system:serviceaccount:ns:robot'];
    expect(bearer(token, ...user).groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:ns',
      'system:authenticated',
    ]);
    expect(bearer(token, ...user, 'Impersonate-Group', 'g').groups).toEqual(['g', 'system:authenticated']);
  });

  test('the anonymous user, and a user impersonated with its group, is not in system:authenticated', () => {
    const { token, bearer } = rig();
    expect(bearer(token, 'Impersonate-User', 'system:anonymous').groups).toEqual(['system:unauthenticated']);
    expect(bearer(token, 'Impersonate-User', 'carol', 'Impersonate-Group', 'system:unauthenticated').groups).toEqual([
      'system:unauthenticated',
    ]);
  });

  test('every impersonated attribute needs its own permission', () => {
    const headers = [
      'Impersonate-User', 'alice', 'Impersonate-Group', 'g', 'Impersonate-Uid', 'u', 'Impersonate-Extra-Foo', 'v',
    ]; // prettier-ignore
    const parts = ['users alice', 'groups g', 'userextras/foo v', 'uids u'];
    const attempt = (...allowed: string[]) => {
      const { token, bearer } = rig({ authorizer: only(...allowed) });
      return () => bearer(token, ...headers);
    };
    expect(attempt(...parts)().name).toBe('alice');
    expect(statusOf(attempt('groups g', 'userextras/foo v', 'uids u'))).toEqual({
      code: 403,
      message:
        'users "alice" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
    });
    expect(statusOf(attempt('users alice', 'userextras/foo v', 'uids u')).message).toBe(
      'groups "g" is forbidden: User "bob" cannot impersonate resource "groups" in API group "" at the cluster scope',
    );
    expect(statusOf(attempt('users alice', 'groups g', 'uids u')).message).toBe(
      'userextras.authentication.k8s.io "v" is forbidden: User "bob" cannot impersonate resource "userextras/foo" in API group "authentication.k8s.io" at the cluster scope',
    );
    expect(statusOf(attempt('users alice', 'groups g', 'userextras/foo v')).message).toBe(
      'uids.authentication.k8s.io "u" is forbidden: User "bob" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
    );
  });

  test('impersonating a service account is authorized in its namespace', () => {
    const authorizer = only();
    const { token, bearer } = rig({ authorizer });
    expect(statusOf(() => bearer(token, 'Impersonate-User', 'system:serviceaccount:ns1:sa1')).message).toBe(
      'serviceaccounts "sa1" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns1"',
    );
    expect(authorizer.asked).toMatchObject([{ resource: 'serviceaccounts', namespace: 'ns1', name: 'sa1' }]);
  });

  test.each([
    [['Impersonate-Group', 'g'], 'UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)'],
    [['Impersonate-Uid', 'g'], 'UID:"g", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [['Impersonate-Extra-Foo', 'g'], 'UID:"", Groups:[]string(nil), Extra:map[string][]string{"foo":[]string{"g"}}'],
  ])('%j without a user is a bad request', (headers, text) => {
    const { token, bearer } = rig();
    expect(statusOf(() => bearer(token, ...headers))).toEqual({
      code: 400,
      message: `requested &user.DefaultInfo{Name:"", ${text}} without impersonating a user name`,
    });
  });

  test('other headers, and unknown ones of that prefix, change nothing', () => {
    const { token, bearer } = rig();
    expect(bearer(token, 'User-Agent', 'Impersonate-User', 'Impersonate-Colour', 'red').name).toBe('bob');
  });

  test('keys that are not escapes, or that name a prototype, stay plain keys', () => {
    const { token, bearer } = rig();
    const { extra } = bearer(
      token,
      'Impersonate-User',
      'a',
      'Impersonate-Extra-50%',
      'x',
      'Impersonate-Extra-__proto__',
      'y',
    );
    expect(Object.entries(extra ?? {})).toEqual([
      ['50%', ['x']],
      ['__proto__', ['y']],
    ]);
  });

  test('a request that is not authenticated cannot impersonate', () => {
    expect(statusOf(() => rig().bearer('guess', 'Impersonate-User', 'admin')).code).toBe(401);
  });
});

test('an open server authenticates every request as one user and still supports impersonation', () => {
  const authenticate = openAuthenticator(ADMIN, allowAll);
  const open = (shown: Credentials) => authenticate({ host: '127.0.0.1:6443', ...shown });
  expect(open({})).toEqual({ name: 'admin', groups: ['system:masters', 'system:authenticated'] });
  expect(open({ authorization: 'Bearer guess' }).name).toBe('admin');
  expect(open({ rawHeaders: ['Impersonate-User', 'bob'] }).name).toBe('bob');
  expect(() => authenticate({})).toThrow('the Host header must be');
});

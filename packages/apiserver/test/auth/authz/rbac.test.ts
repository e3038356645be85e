import { describe, expect, test } from 'vitest';
import { type Action, allowAll, type PolicyRule } from '../../../src/auth/authz/authorize.ts';
import { defaultRbacObjects } from '../../../src/auth/authz/default-rbac.ts';
import { forbiddenRequest } from '../../../src/auth/authz/forbidden.ts';
import { rbacRuleAllows } from '../../../src/auth/authz/rbac-rules.ts';
import { rbac, type RbacResource } from '../../../src/auth/authz/rbac.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import type { User } from '../../../src/core/user.ts';

const PLURAL: Readonly<Record<string, RbacResource>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

const action = (part: Partial<Action>): Action => ({
  verb: 'get',
  path: '',
  isResource: part.path === undefined,
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
  ...part,
});

const rule = (verbs: string, groups: string, resources: string, resourceNames?: string[]): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: groups.split(' '),
  resources: resources.split(' '),
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const role = (name: string, namespace: string, ...rules: PolicyRule[]): ApiObject => ({
  kind: namespace === '' ? 'ClusterRole' : 'Role',
  metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  rules,
});

const binding = (name: string, namespace: string, roleRef: string, ...subjects: string[]): ApiObject => ({
  kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  subjects: subjects.map((text) => {
    const [kind, subject, of] = text.split(' ');
    return { kind, name: subject, ...(of === undefined ? {} : { namespace: of }) };
  }),
  roleRef: { kind: roleRef.split(' ')[0], name: roleRef.split(' ')[1] },
});

const user = (name: string, ...groups: string[]): User => ({ name, groups });

function rig(...initial: ApiObject[]) {
  const objects = [...initial];
  let version = 0;
  let reads = 0;
  const authorizer = rbac({
    version: () => version,
    list: (resource) => {
      reads += 1;
      return objects.filter(({ kind = '' }) => PLURAL[kind] === resource);
    },
  });
  return {
    authorizer,
    reads: () => reads,
    add: (...more: ApiObject[]) => {
      objects.push(...more);
      version += 1;
    },
    may: (who: User, what: Partial<Action>): boolean => authorizer.allows(who, action(what)).allowed,
    why: (who: User, what: Partial<Action>): string => authorizer.allows(who, action(what)).reason,
  };
}

describe('one rule', () => {
  const covers = (of: PolicyRule, what: Partial<Action>): boolean => rbacRuleAllows(of, action(what));

  test('verb, group and resource must all be listed', () => {
    const pods = rule('get list', ' apps', 'pods services');
    expect(covers(pods, {})).toBe(true);
    expect(covers(pods, { verb: 'list', group: 'apps', resource: 'services' })).toBe(true);
    expect(covers(pods, { verb: 'watch' })).toBe(false);
    expect(covers(pods, { group: 'batch' })).toBe(false);
    expect(covers(pods, { resource: 'nodes' })).toBe(false);
  });

  test('a star matches every verb, group or resource; a request for the star itself needs a rule with it', () => {
    expect(covers(rule('*', '*', '*'), { verb: 'x', group: 'y', resource: 'z', subresource: 'w' })).toBe(true);
    expect(covers(rule('get', '', 'pods'), { verb: '*' })).toBe(false);
    expect(covers(rule('get', '', 'pods'), { resource: '*' })).toBe(false);
  });

  test('a resource does not include its subresources', () => {
    expect(covers(rule('get', '', 'pods'), { subresource: 'log' })).toBe(false);
    expect(covers(rule('get', '', 'pods/log'), { subresource: 'log' })).toBe(true);
    expect(covers(rule('get', '', 'pods/log'), {})).toBe(false);
    expect(covers(rule('get', '', '*/log'), { subresource: 'log' })).toBe(true);
    expect(covers(rule('get', '', '*/log'), { subresource: 'status' })).toBe(false);
    expect(covers(rule('get', '', '*/log'), {})).toBe(false);
    expect(covers(rule('get', '', 'pods/*'), { subresource: 'log' })).toBe(false);
  });

  test('resourceNames limit a rule to these names and exclude requests without a name', () => {
    const named = rule('get', '', 'pods', ['a', 'b']);
    expect(covers(named, { name: 'b' })).toBe(true);
    expect(covers(named, { name: 'c' })).toBe(false);
    expect(covers(named, {})).toBe(false);
    expect(covers(rule('get', '', 'pods', []), { name: 'c' })).toBe(true);
  });

  test('paths match exactly, or by a star at the end', () => {
    const paths = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });
    expect(covers(paths('/healthz'), { path: '/healthz' })).toBe(true);
    expect(covers(paths('/healthz'), { path: '/healthz/ping' })).toBe(false);
    expect(covers(paths('/healthz/*'), { path: '/healthz/ping/x' })).toBe(true);
    expect(covers(paths('/healthz/*'), { path: '/healthz' })).toBe(false);
    expect(covers(paths('/heal*'), { path: '/healthz' })).toBe(true);
    expect(covers(paths('/a/*/b'), { path: '/a/x/b' })).toBe(false);
    expect(covers(paths('*'), { path: '/anything' })).toBe(true);
    expect(covers(paths('*'), { path: '/anything', verb: 'post' })).toBe(false);
  });

  test('rules about resources do not match paths, and the other way round', () => {
    expect(covers(rule('*', '*', '*'), { path: '/healthz' })).toBe(false);
    expect(covers({ verbs: ['*'], nonResourceURLs: ['*'] }, {})).toBe(false);
  });
});

describe('bindings', () => {
  const READ = rule('get', '', 'pods');

  test('a cluster-wide binding applies to every namespace and to cluster-scoped resources; a local one only to its namespace', () => {
    const { may } = rig(
      role('r', '', READ),
      binding('all', '', 'ClusterRole r', 'User wide'),
      binding('here', 'ns', 'ClusterRole r', 'User local'),
    );
    expect(may(user('wide'), {})).toBe(true);
    expect(may(user('wide'), { namespace: 'other' })).toBe(true);
    expect(may(user('local'), { namespace: 'ns' })).toBe(true);
    expect(may(user('local'), { namespace: 'other' })).toBe(false);
    expect(may(user('local'), {})).toBe(false);
  });

  test('a role is looked up in the namespace of its binding', () => {
    const { may } = rig(
      role('r', 'a', READ),
      binding('b', 'b', 'Role r', 'User u'),
      binding('b', 'a', 'Role r', 'User v'),
    );
    expect(may(user('v'), { namespace: 'a' })).toBe(true);
    expect(may(user('u'), { namespace: 'b' })).toBe(false);
  });

  test('subjects are users, groups and service accounts, each by its own name', () => {
    const { may } = rig(
      role('r', '', READ),
      binding('b', 'ns', 'ClusterRole r', 'User x', 'Group g', 'ServiceAccount s other', 'ServiceAccount t', 'Robot z'),
    );
    const here = { namespace: 'ns' };
    expect(may(user('x'), here)).toBe(true);
    expect(may(user('g'), here)).toBe(false);
    expect(may(user('y', 'f', 'g'), here)).toBe(true);
    expect(may(user('y', 'x'), here)).toBe(false);
    expect(may(user('system:serviceaccount:other:s'), here)).toBe(true);
    expect(may(user('system:serviceaccount:ns:s'), here)).toBe(false);
    expect(may(user('system:serviceaccount:ns:t'), here)).toBe(true);
    expect(may(user('z'), here)).toBe(false);
  });

  test('an account without a namespace in a cluster-wide binding matches no user', () => {
    const { may } = rig(role('r', '', READ), binding('b', '', 'ClusterRole r', 'ServiceAccount s'));
    expect(may(user('system:serviceaccount::s'), {})).toBe(false);
  });

  test('a binding may have no subjects and a role no rules', () => {
    const bare = { kind: 'ClusterRole', metadata: { name: 'r' }, rules: null };
    const { may } = rig(bare, binding('b', '', 'ClusterRole r', 'User u'), {
      kind: 'ClusterRoleBinding',
      metadata: { name: 'c' },
      roleRef: { kind: 'ClusterRole', name: 'r' },
    });
    expect(may(user('u'), {})).toBe(false);
  });

  test('the reason names the binding, the role and the subject that allowed it', () => {
    const { why } = rig(
      role('r', '', READ),
      role('r', 'ns', READ),
      binding('wide', '', 'ClusterRole r', 'Group g'),
      binding('here', 'ns', 'Role r', 'User u', 'ServiceAccount s'),
    );
    expect(why(user('x', 'g'), {})).toBe('RBAC: allowed by ClusterRoleBinding "wide" of ClusterRole "r" to Group "g"');
    expect(why(user('u'), { namespace: 'ns' })).toBe('RBAC: allowed by RoleBinding "here/ns" of Role "r" to User "u"');
    expect(why(user('system:serviceaccount:ns:s'), { namespace: 'ns' })).toBe(
      'RBAC: allowed by RoleBinding "here/ns" of Role "r" to ServiceAccount "s/ns"',
    );
  });

  test('a refusal names the roles that were not found, and nothing else', () => {
    const { why } = rig(
      role('r', '', READ),
      binding('a', '', 'ClusterRole gone', 'User u', 'User w'),
      binding('b', 'ns', 'Role lost', 'User u'),
      binding('c', 'ns', 'Role lost', 'User u'),
      binding('d', '', 'ClusterRole r', 'User w'),
    );
    expect(why(user('nobody'), { namespace: 'ns' })).toBe('');
    expect(why(user('u'), {})).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found');
    expect(why(user('u'), { namespace: 'ns' })).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    );
    // A missing role does not matter if another one allows the request.
    expect(why(user('w'), {})).toContain('allowed by');
  });

  test('members of system:masters need no rule', () => {
    const { authorizer } = rig();
    expect(authorizer.allows(user('x', 'system:masters'), action({}))).toEqual({ allowed: true, reason: '' });
  });

  test('a change applies from the next request on; without one nothing is read again', () => {
    const { may, add, reads } = rig(role('r', '', READ));
    expect(may(user('u'), {})).toBe(false);
    const before = reads();
    expect(may(user('u'), {})).toBe(false);
    expect(reads()).toBe(before);
    add(binding('b', '', 'ClusterRole r', 'User u'));
    expect(may(user('u'), {})).toBe(true);
  });
});

describe('aggregation', () => {
  const gathering = (name: string, labels: Record<string, string>, ...clusterRoleSelectors: object[]): ApiObject => ({
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules: [rule('delete', '', 'pods')],
    aggregationRule: { clusterRoleSelectors },
  });
  const labelled = (name: string, labels: Record<string, string>, ...rules: PolicyRule[]): ApiObject => ({
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules,
  });

  test('a role has the rules of all that its selectors match, also through others, and none of its own', () => {
    const { may } = rig(
      gathering('top', {}, { matchLabels: { to: 'top' } }),
      gathering('middle', { to: 'top' }, { matchLabels: { to: 'middle' } }),
      labelled('a', { to: 'top' }, rule('get', '', 'pods')),
      labelled('b', { to: 'middle' }, rule('list', '', 'pods')),
      labelled('c', { to: 'elsewhere' }, rule('watch', '', 'pods')),
      binding('b', '', 'ClusterRole top', 'User u'),
    );
    const verbs = ['get', 'list', 'watch', 'delete'].filter((verb) => may(user('u'), { verb }));
    expect(verbs).toEqual(['get', 'list']);
  });

  test('roles that aggregate each other do not loop forever', () => {
    const { may } = rig(
      gathering('one', { ring: 'yes' }, { matchLabels: { ring: 'yes' } }),
      gathering('two', { ring: 'yes' }, { matchLabels: { ring: 'yes' } }),
      labelled('leaf', { ring: 'yes' }, rule('get', '', 'pods')),
      binding('b', '', 'ClusterRole two', 'User u'),
    );
    expect(may(user('u'), {})).toBe(true);
  });

  test.each([
    [{}, 'abc'],
    [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }, 'ab'],
    [{ matchExpressions: [{ key: 'k', operator: 'DoesNotExist' }] }, 'c'],
    [{ matchExpressions: [{ key: 'k', operator: 'In', values: ['1', '9'] }] }, 'a'],
    [{ matchExpressions: [{ key: 'k', operator: 'NotIn', values: ['1'] }] }, 'bc'],
    [{ matchLabels: { k: '2' }, matchExpressions: [{ key: 'k', operator: 'Exists' }] }, 'b'],
    [{ matchExpressions: [{ key: 'k', operator: 'Like', values: ['1'] }] }, ''],
  ])('the selector %j finds %j', (selector, expected) => {
    const { may } = rig(
      gathering('all', {}, selector),
      labelled('a', { k: '1' }, rule('a', '', 'pods')),
      labelled('b', { k: '2' }, rule('b', '', 'pods')),
      labelled('c', {}, rule('c', '', 'pods')),
      binding('x', '', 'ClusterRole all', 'User u'),
    );
    expect(['a', 'b', 'c'].filter((verb) => may(user('u'), { verb })).join('')).toBe(expected);
  });
});

describe('the rules of a user', () => {
  test('are those of all bindings that count in the namespace, cluster-wide ones first', () => {
    const [a, b, c] = [rule('get', '', 'a'), rule('get', '', 'b'), rule('get', '', 'c')];
    const { authorizer } = rig(
      role('a', 'ns', a),
      role('b', '', b),
      role('c', 'other', c),
      binding('1', 'ns', 'Role a', 'User u'),
      binding('2', '', 'ClusterRole b', 'User u'),
      binding('3', 'other', 'Role c', 'User u'),
      binding('4', 'ns', 'Role gone', 'User u'),
    );
    expect(authorizer.rulesFor(user('u'), 'ns')).toEqual({
      rules: [b, a],
      error: 'role.rbac.authorization.k8s.io "gone" not found',
    });
    expect(authorizer.rulesFor(user('x'), 'ns')).toEqual({ rules: [], error: '' });
  });
});

describe('the default roles', () => {
  const fresh = () =>
    rig(
      ...defaultRbacObjects(),
      ...['admin', 'edit', 'view'].map((name) => binding(name, 'ns', `ClusterRole ${name}`, `User ${name}`)),
    );
  const here = { namespace: 'ns' };

  test('view reads, but no secrets; edit writes, but no roles; admin writes roles, but no quota', () => {
    const { may } = fresh();
    const can = (name: string, verb: string, resource: string, group = ''): boolean =>
      may(user(name), { ...here, verb, resource, group });
    expect([can('view', 'list', 'pods'), can('view', 'get', 'secrets'), can('view', 'create', 'pods')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([can('edit', 'get', 'secrets'), can('edit', 'create', 'pods'), can('edit', 'list', 'pods')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(can('edit', 'create', 'roles', 'rbac.authorization.k8s.io')).toBe(false);
    expect([can('admin', 'create', 'roles', 'rbac.authorization.k8s.io'), can('admin', 'create', 'pods')]).toEqual([
      true,
      true,
    ]);
    expect(can('admin', 'update', 'resourcequotas')).toBe(false);
  });

  test('authenticated users may discover the API and review their own access; others see version and health only', () => {
    const { may } = fresh();
    const [someone, nobody] = [user('u', 'system:authenticated'), user('system:anonymous', 'system:unauthenticated')];
    expect([may(someone, { path: '/apis/apps/v1' }), may(nobody, { path: '/apis/apps/v1' })]).toEqual([true, false]);
    expect([may(someone, { path: '/version' }), may(nobody, { path: '/version' })]).toEqual([true, true]);
    expect([may(someone, { path: '/metrics' }), may(nobody, { path: '/healthz' })]).toEqual([false, true]);
    const review = { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' };
    expect([may(someone, review), may(nobody, review)]).toEqual([true, false]);
    expect(may(someone, { resource: 'pods', ...here })).toBe(false);
  });

  test('are stored with the aggregated rules filled in', () => {
    const rulesIn = (name: string): PolicyRule[] =>
      defaultRbacObjects().find(({ kind, metadata }) => kind === 'ClusterRole' && metadata?.name === name)?.[
        'rules'
      ] as PolicyRule[];
    expect(rulesIn('view')).toEqual(rulesIn('system:aggregate-to-view'));
    expect(rulesIn('admin')).toEqual(
      expect.arrayContaining([...rulesIn('edit'), ...rulesIn('system:aggregate-to-admin')]),
    );
    expect(rulesIn('edit')).toEqual(expect.arrayContaining(rulesIn('view')));
  });
});

test('a server that allows everything also lists rules that allow everything', () => {
  expect(allowAll.allows(user('x'), action({}))).toEqual({ allowed: true, reason: '' });
  expect(allowAll.rulesFor(user('x'), 'ns').rules).toEqual([
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]);
});

test.each([
  [
    { verb: 'list', namespace: 'default' },
    '',
    'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
    { kind: 'pods' },
  ],
  [
    { namespace: 'default', name: 'x' },
    '',
    'pods "x" is forbidden: User "bob" cannot get resource "pods" in API group "" in the namespace "default"',
    { name: 'x', kind: 'pods' },
  ],
  [
    { resource: 'nodes', name: 'n' },
    '',
    'nodes "n" is forbidden: User "bob" cannot get resource "nodes" in API group "" at the cluster scope',
    { name: 'n', kind: 'nodes' },
  ],
  [
    { group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'default', name: 'x' },
    '',
    'deployments.apps "x" is forbidden: User "bob" cannot get resource "deployments/scale" in API group "apps" in the namespace "default"',
    { name: 'x', group: 'apps', kind: 'deployments' },
  ],
  [{ verb: 'post', path: '/metrics' }, '', 'forbidden: User "bob" cannot post path "/metrics"', {}],
  [
    { resource: 'secrets', verb: 'list' },
    'RBAC: x not found',
    'secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" at the cluster scope: RBAC: x not found',
    { kind: 'secrets' },
  ],
])('the message of a refusal of %j is that of a real server', (what, reason, message, details) => {
  expect(forbiddenRequest(user('bob'), action(what), reason).status).toEqual({
    kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'Forbidden', details, code: 403,
  }); // prettier-ignore
});

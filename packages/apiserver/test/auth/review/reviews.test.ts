import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type Action, allowAll, type Authorizer } from '../../../src/auth/authz/authorize.ts';
import { type ReviewRequest, reviews } from '../../../src/auth/review/reviews.ts';
import { UserTable } from '../../../src/auth/user/user-table.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { StatusError } from '../../../src/core/status-error.ts';
import type { User } from '../../../src/core/user.ts';

const BOB: User = { name: 'bob', uid: 'bob-uid', groups: ['devs', 'system:authenticated'] };
const PODS = { namespace: 'default', verb: 'get', resource: 'pods' };

function rig(decision = { allowed: false, reason: '' }) {
  const asked: { user: User; action: Action }[] = [];
  const authorizer: Authorizer = {
    ...allowAll,
    allows: (user, action) => {
      asked.push({ user, action });
      return decision;
    },
  };
  const env = fakeEnv();
  const users = new UserTable(env);
  const ask = (name: string, object: ApiObject, more: Partial<ReviewRequest> = {}): unknown => {
    const review = reviews.get(name);
    if (review === undefined) throw new Error(`no review ${name}`);
    try {
      return review({ object, user: BOB, namespace: '', authorizer, users, now: env.wallNow(), ...more });
    } catch (error) {
      if (error instanceof StatusError) return error.status;
      throw error;
    }
  };
  return { asked, users, env, ask };
}

const SELF = 'authorization.k8s.io/selfsubjectaccessreviews';
const SUBJECT = 'authorization.k8s.io/subjectaccessreviews';
const LOCAL = 'authorization.k8s.io/localsubjectaccessreviews';
const RULES = 'authorization.k8s.io/selfsubjectrulesreviews';
const WHO_AM_I = 'authentication.k8s.io/selfsubjectreviews';
const TOKEN = 'authentication.k8s.io/tokenreviews';

const invalid = (message: string, field: string, detail: string): object => ({
  code: 422,
  reason: 'Invalid',
  message: `.authorization.k8s.io "" is invalid: ${message}`,
  details: { group: 'authorization.k8s.io', causes: [{ reason: 'FieldValueInvalid', message: detail, field }] },
});

describe('access reviews', () => {
  test('SelfSubjectAccessReview: the requesting user is checked, and the response repeats the spec, with keys in the order of a real server', () => {
    const { ask, asked } = rig({ allowed: true, reason: 'RBAC: because' });
    const spec = {
      resourceAttributes: { resource: 'pods', name: '', verb: 'get', version: '*', namespace: 'default', group: '' },
    };
    expect(JSON.stringify(ask(SELF, { spec, status: { allowed: false, reason: 'mine' } }))).toBe(
      '{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{"resourceAttributes":{"namespace":"default","verb":"get","version":"*","resource":"pods"}},"status":{"allowed":true,"reason":"RBAC: because"}}',
    );
    expect(asked).toMatchObject([
      { user: BOB, action: { isResource: true, verb: 'get', group: '', resource: 'pods', namespace: 'default' } },
    ]);
  });

  test('SelfSubjectAccessReview: of a path', () => {
    const { ask, asked } = rig();
    expect(ask(SELF, { spec: { nonResourceAttributes: { verb: 'get', path: '/version' } } })).toMatchObject({
      spec: { nonResourceAttributes: { path: '/version', verb: 'get' } },
      status: { allowed: false },
    });
    expect(asked).toMatchObject([{ action: { isResource: false, verb: 'get', path: '/version' } }]);
  });

  test('SelfSubjectAccessReview: a user in the spec is ignored', () => {
    const { ask, asked } = rig();
    expect(ask(SELF, { spec: { resourceAttributes: PODS, user: 'admin', groups: ['system:masters'] } })).toMatchObject({
      spec: { resourceAttributes: PODS },
    });
    expect(asked[0]?.user).toBe(BOB);
  });

  test('SubjectAccessReview: exactly the given subject is checked, without groups of its own', () => {
    const { ask, asked } = rig();
    const spec = { uid: 'u', extra: { A: ['b'] }, groups: ['g'], user: 'eve', resourceAttributes: PODS };
    expect(JSON.stringify(ask(SUBJECT, { spec }))).toBe(
      '{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{"resourceAttributes":{"namespace":"default","verb":"get","resource":"pods"},"user":"eve","groups":["g"],"extra":{"A":["b"]},"uid":"u"},"status":{"allowed":false}}',
    );
    expect(asked[0]?.user).toEqual({ name: 'eve', uid: 'u', groups: ['g'] });
  });

  test('LocalSubjectAccessReview: the namespace of the path is filled in', () => {
    const { ask } = rig();
    expect(ask(LOCAL, { spec: { user: 'eve', resourceAttributes: PODS } }, { namespace: 'default' })).toMatchObject({
      kind: 'LocalSubjectAccessReview',
      metadata: { namespace: 'default' },
      status: { allowed: false },
    });
  });

  test.each([
    [SELF, {}],
    [SELF, { spec: {} }],
    [SELF, { spec: { resourceAttributes: null } }],
    [SUBJECT, { spec: { user: 'a' } }],
  ])('%s with %j is refused: it has no attributes', (name, object) => {
    const detail = 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified';
    expect(rig().ask(name, object)).toMatchObject(
      invalid(`spec.resourceAttributes: ${detail}`, 'spec.resourceAttributes', detail),
    );
  });

  test('the details of these responses have no kind', () => {
    const { details } = rig().ask(SELF, {}) as { details: object };
    expect(Object.keys(details)).toEqual(['group', 'causes']);
  });

  test('resource and non-resource attributes together are refused', () => {
    const spec = { user: 'a', resourceAttributes: { verb: 'get' }, nonResourceAttributes: { verb: 'get' } };
    const detail =
      'Invalid value: {"Path":"","Verb":"get"}: cannot be specified in combination with resourceAttributes';
    expect(rig().ask(SUBJECT, { spec })).toMatchObject(
      invalid(`spec.nonResourceAttributes: ${detail}`, 'spec.nonResourceAttributes', detail),
    );
  });

  test('a review without a user and groups is refused; a group is enough', () => {
    const { ask } = rig();
    const detail = 'Invalid value: "": at least one of user or group must be specified';
    expect(ask(SUBJECT, { spec: { resourceAttributes: PODS } })).toMatchObject(
      invalid(`spec.user: ${detail}`, 'spec.user', detail),
    );
    expect(ask(SUBJECT, { spec: { groups: ['g'], resourceAttributes: PODS } })).toMatchObject({
      status: { allowed: false },
    });
  });

  test('all errors are reported at once', () => {
    expect(rig().ask(SUBJECT, { spec: {} })).toMatchObject({
      message:
        '.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified]',
    });
  });

  test('a review has no name and no labels; what the server itself adds does not count', () => {
    const { ask } = rig();
    const spec = { user: 'a', resourceAttributes: PODS };
    const detail = 'Invalid value: {"name":"x"}: must be empty';
    expect(ask(SUBJECT, { metadata: { name: 'x' }, spec })).toMatchObject(
      invalid(`metadata: ${detail}`, 'metadata', detail),
    );
    expect(ask(LOCAL, { metadata: { name: 'x' }, spec }, { namespace: 'default' })).toMatchObject({
      message: `.authorization.k8s.io "" is invalid: metadata: ${detail} except for namespace`,
    });
    expect(ask(SUBJECT, { metadata: { managedFields: [], namespace: 'x' }, spec })).toMatchObject({
      status: { allowed: false },
    });
  });

  test('a local review is about resources of its own namespace only', () => {
    const { ask } = rig();
    const elsewhere = 'Invalid value: "other": must match metadata.namespace';
    const at = { namespace: 'default' };
    expect(ask(LOCAL, { spec: { user: 'a', resourceAttributes: { ...PODS, namespace: 'other' } } }, at)).toMatchObject(
      invalid(`spec.resourceAttributes.namespace: ${elsewhere}`, 'spec.resourceAttributes.namespace', elsewhere),
    );
    const path = 'Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request';
    expect(ask(LOCAL, { spec: { user: 'a', nonResourceAttributes: { verb: 'get', path: '/x' } } }, at)).toMatchObject(
      invalid(`spec.nonResourceAttributes: ${path}`, 'spec.nonResourceAttributes', path),
    );
  });
});

describe('rules reviews', () => {
  test('the response has resource rules and path rules, without the spec', () => {
    const authorizer: Authorizer = {
      ...allowAll,
      rulesFor: () => ({
        rules: [
          { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
          { verbs: ['get'], nonResourceURLs: ['/version'] },
        ],
        error: 'role.rbac.authorization.k8s.io "gone" not found',
      }),
    };
    expect(JSON.stringify(rig().ask(RULES, { spec: { namespace: 'default' } }, { authorizer }))).toBe(
      '{"kind":"SelfSubjectRulesReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{},"status":{"resourceRules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]}],"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/version"]}],"incomplete":false,"evaluationError":"role.rbac.authorization.k8s.io \\"gone\\" not found"}}',
    );
  });

  test('a namespace must be named', () => {
    expect(rig().ask(RULES, { spec: {} })).toMatchObject({ code: 400, message: 'no namespace on request' });
  });
});

describe('SelfSubjectReview', () => {
  test('returns the user and nothing of the posted body', () => {
    const { ask, env } = rig();
    const user = { ...BOB, extra: { b: ['2'], a: ['1'] } };
    const now = Date.parse('2026-11-16T00:25:06.789Z');
    expect(env.wallNow()).not.toBe(now);
    expect(JSON.stringify(ask(WHO_AM_I, { metadata: { labels: { a: 'b' } } }, { user, now }))).toBe(
      '{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","metadata":{"creationTimestamp":"2026-11-16T00:25:06Z"},"status":{"userInfo":{"username":"bob","uid":"bob-uid","groups":["devs","system:authenticated"],"extra":{"a":["1"],"b":["2"]}}}}',
    );
  });
});

describe('token reviews', () => {
  test('a valid token has its user and audience in the status', () => {
    const { ask, users } = rig();
    users.add({ name: 'bob', groups: ['devs'] }, { token: 't' });
    expect(JSON.stringify(ask(TOKEN, { spec: { token: 't' } }))).toBe(
      '{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},"spec":{"token":"t"},"status":{"authenticated":true,"user":{"username":"bob","groups":["devs","system:authenticated"]},"audiences":["https://kubernetes.default.svc"]}}',
    );
  });

  test('of several audiences the status has those of the token', () => {
    const { ask, users } = rig();
    users.add(BOB, { token: 't', audiences: ['vault', 'store'] });
    expect(ask(TOKEN, { spec: { token: 't', audiences: ['x', 'vault'] } })).toMatchObject({
      spec: { token: 't', audiences: ['x', 'vault'] },
      status: { authenticated: true, audiences: ['vault'] },
    });
  });

  test('an unknown token is not authenticated, which is not a failure of the review', () => {
    expect(rig().ask(TOKEN, { spec: { token: 'nope' } })).toMatchObject({
      status: { user: {}, error: 'invalid bearer token' },
    });
  });

  test('the error explains an invalid token of a service account, and no other token', () => {
    const { ask, users, env } = rig();
    const robot = { name: 'system:serviceaccount:ns:robot', groups: [] };
    const errorOf = (token: string, audiences: string[] = []): unknown =>
      (ask(TOKEN, { spec: { token, audiences } }) as { status: { error?: string } }).status.error;
    expect(errorOf(users.add(robot), ['x'])).toBe(
      '[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target audiences ["x"]]',
    );
    expect(errorOf(users.add(robot, { expiresAt: env.wallNow() }))).toBe(
      '[invalid bearer token, service account token has expired]',
    );
    expect(errorOf(users.add(BOB), ['x', 'y'])).toBe('invalid bearer token');
    expect(errorOf(users.add(BOB, { expiresAt: env.wallNow() }))).toBe('invalid bearer token');
  });

  test('a token is needed', () => {
    expect(rig().ask(TOKEN, { spec: {} })).toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });
});

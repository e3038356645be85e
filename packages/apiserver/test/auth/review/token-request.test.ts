import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { authenticator } from '../../../src/auth/authn/authenticate.ts';
import { allowAll } from '../../../src/auth/authz/authorize.ts';
import { TokenIssuer } from '../../../src/auth/review/token-request.ts';
import { signingKeys } from '../../../src/auth/user/signing-keys.ts';
import { UserTable } from '../../../src/auth/user/user-table.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { StatusError } from '../../../src/core/status-error.ts';
import type { User } from '../../../src/core/user.ts';

const ACCOUNT: ApiObject = { metadata: { name: 'robot', namespace: 'ns', uid: 'robot-uid' } };
const OBJECTS: Readonly<Record<string, ApiObject>> = {
  'pods/ns/p': { metadata: { uid: 'p-uid' }, spec: { serviceAccountName: 'robot', nodeName: 'n' } },
  'pods/ns/lonely': { metadata: { uid: 'l-uid' }, spec: { serviceAccountName: 'robot', nodeName: 'gone' } },
  'pods/ns/other': { metadata: { uid: 'o-uid' }, spec: { serviceAccountName: 'default' } },
  'nodes//n': { metadata: { uid: 'n-uid' } },
  'secrets/ns/s': { metadata: { uid: 's-uid' } },
};

interface Answer extends ApiObject {
  readonly spec: object;
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

function rig() {
  const env = fakeEnv();
  const users = new UserTable(env);
  const issuer = new TokenIssuer(users);
  const authenticate = authenticator({ users, authorizer: allowAll });
  const request = (object: ApiObject): Answer =>
    issuer.issue({
      object,
      account: ACCOUNT,
      find: (resource, namespace, name) => OBJECTS[`${resource}/${namespace}/${name}`],
      now: env.wallNow(),
    }) as Answer;
  const refusal = (object: ApiObject): object => {
    try {
      request(object);
    } catch (error) {
      if (error instanceof StatusError) return error.status;
      throw error;
    }
    throw new Error('nothing was thrown');
  };
  const use = (answer: Answer): User => authenticate({ authorization: `Bearer ${answer.status.token}` });
  return { env, request, refusal, use };
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

test('a token authenticates its service account until it expires', async () => {
  const { env, request, use } = rig();
  const answer = request({ spec: { expirationSeconds: 600 } });
  expect(use(answer)).toMatchObject({
    name: 'system:serviceaccount:ns:robot',
    uid: 'robot-uid',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
  });
  await env.clock.advance(599_999);
  expect(use(answer).name).toBe('system:serviceaccount:ns:robot');
  await env.clock.advance(1);
  expect(() => use(answer)).toThrow('Unauthorized');
});

test('the response is the request with defaults and the name of the account', () => {
  const { request } = rig();
  const answer = request({});
  expect(Object.keys(answer)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
  expect(answer).toMatchObject({
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: 'robot', namespace: 'ns', uid: 'robot-uid', creationTimestamp: '2023-11-14T22:13:20Z' },
    spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 3600, boundObjectRef: null },
    status: { expirationTimestamp: '2023-11-14T23:13:20Z' },
  });
});

test('a token is a JWT with the account and the expiry', () => {
  const { request, use } = rig();
  const answer = request({ spec: { audiences: ['https://kubernetes.default.svc', 'vault'] } });
  const claims = claimsOf(answer.status.token);
  expect(claims).toMatchObject({
    aud: ['https://kubernetes.default.svc', 'vault'],
    exp: 1_700_003_600,
    iat: 1_700_000_000,
    nbf: 1_700_000_000,
    iss: 'https://kubernetes.default.svc',
    sub: 'system:serviceaccount:ns:robot',
    'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'robot-uid' } },
  });
  expect(use(answer).extra).toEqual({ 'authentication.kubernetes.io/credential-id': [`JTI=${String(claims['jti'])}`] });
});

test('two tokens are never the same', () => {
  const { request } = rig();
  expect(request({}).status.token).not.toBe(request({}).status.token);
});

test('a token for another audience is refused by this server', () => {
  const { request, use } = rig();
  expect(() => use(request({ spec: { audiences: ['vault'] } }))).toThrow('Unauthorized');
});

test('a token bound to a pod has the pod and its node in its claims', () => {
  const { request, use } = rig();
  const bind = (kind: string, name: string): Answer =>
    request({ spec: { boundObjectRef: { kind, apiVersion: 'v1', name } } });
  const pod = bind('Pod', 'p');
  expect(claimsOf(pod.status.token)['kubernetes.io']).toEqual({
    namespace: 'ns',
    node: { name: 'n', uid: 'n-uid' },
    pod: { name: 'p', uid: 'p-uid' },
    serviceaccount: { name: 'robot', uid: 'robot-uid' },
  });
  expect(use(pod).extra).toMatchObject({
    'authentication.kubernetes.io/node-name': ['n'],
    'authentication.kubernetes.io/node-uid': ['n-uid'],
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/pod-uid': ['p-uid'],
  });
  expect(use(bind('Pod', 'lonely')).extra).not.toHaveProperty('authentication.kubernetes.io/node-name');
  expect(use(bind('Node', 'n')).extra).toHaveProperty('authentication.kubernetes.io/node-name');
  const secret = bind('Secret', 's');
  expect(claimsOf(secret.status.token)['kubernetes.io']).toMatchObject({ secret: { name: 's', uid: 's-uid' } });
  expect(Object.keys(use(secret).extra ?? {})).toEqual(['authentication.kubernetes.io/credential-id']);
});

test.each([
  [{ kind: 'Pod', apiVersion: 'v1', name: 'x' }, 404, 'pods "x" not found'],
  [{ kind: 'Foo', apiVersion: 'v1', name: 'x' }, 400, 'cannot bind token to object of type /v1, Kind=Foo'],
  [{ kind: 'Pod', apiVersion: 'apps/v1', name: 'p' }, 400, 'cannot bind token to object of type apps/v1, Kind=Pod'],
  [
    { kind: 'Pod', apiVersion: 'v1', name: 'other' },
    400,
    'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
  ],
  [
    { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'zzz' },
    409,
    'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (zzz) does not match the UID in record. The object might have been deleted and then recreated',
  ],
])('a token cannot be bound to %j', (boundObjectRef, code, message) => {
  expect(rig().refusal({ spec: { boundObjectRef } })).toMatchObject({ code, message });
});

test.each([
  [599, 'may not specify a duration less than 10 minutes'],
  [2 ** 32 + 1, 'may not specify a duration larger than 2^32 seconds'],
])('a token of %d seconds is refused', (expirationSeconds, why) => {
  expect(rig().refusal({ spec: { expirationSeconds } })).toMatchObject({
    code: 422,
    message: `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ${expirationSeconds}: ${why}`,
    details: { group: 'authentication.k8s.io', kind: 'TokenRequest' },
  });
});

test('a name in the request must be that of the account', () => {
  const { request, refusal } = rig();
  expect(request({ metadata: { name: 'robot' } }).metadata?.name).toBe('robot');
  expect(refusal({ metadata: { name: 'zz' }, spec: { expirationSeconds: 4 } })).toMatchObject({
    code: 422,
    message:
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "zz": must match the service account name if specified',
    details: { name: 'robot' },
  });
});

test('the key that signs tokens is kept with the users, so that it is the same after a restart', () => {
  const before = new UserTable(fakeEnv());
  let changes = 0;
  before.onChange = () => (changes += 1);
  const issuer = new TokenIssuer(before);
  expect(changes).toBe(1);
  const after = new UserTable(fakeEnv());
  signingKeys.set(after, signingKeys.get(before) ?? '');
  expect(new TokenIssuer(after).keySet()).toEqual(issuer.keySet());
  expect(new TokenIssuer(new UserTable(fakeEnv())).keySet()).not.toEqual(issuer.keySet());
});

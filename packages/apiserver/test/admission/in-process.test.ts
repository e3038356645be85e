import { expect, test } from 'vitest';
import { type AdmissionReview, type ApiServer, startApiServer } from '../../src/index.ts';
import { type Answer, ask } from '../rig/http-client.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const post = (server: ApiServer, name: string, data: object = {}): Promise<Answer> =>
  ask(server, 'POST', MAPS, { body: map(name, data) });

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const configuration = (clientConfig: object) => ({
  metadata: { name: 'hooks' },
  webhooks: [
    {
      name: 'maps.example.com',
      clientConfig,
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

test('a function of this process changes and refuses objects', async () => {
  await using server = await startApiServer({ tls: false });
  const hook = server.admission({
    on: 'v1/configmaps',
    mutate(object) {
      object['data'] = { ...(object['data'] as object), added: 'x' };
    },
    validate: (object, { operation }) => (object.metadata?.name === 'bad' ? `${operation} of bad` : undefined),
  });
  expect((await post(server, 'a', { own: '1' })).body.data).toEqual({ own: '1', added: 'x' });
  const refused = await post(server, 'bad');
  expect(refused.body).toMatchObject({
    code: 403,
    reason: 'Forbidden',
    message: 'admission webhook "in-process.kube-informer.dev" denied the request: CREATE of bad',
  });
  expect(hook.calls).toBe(4);
  hook.remove();
  expect((await post(server, 'bad')).status).toBe(201);
});

test('a function that throws fails the request', async () => {
  await using server = await startApiServer({ tls: false });
  using _hook = server.admission({
    on: ['v1/configmaps'],
    name: 'broken.example.com',
    operations: ['DELETE'],
    validate() {
      throw new Error('out of order');
    },
  });
  expect((await post(server, 'a')).status).toBe(201);
  expect((await ask(server, 'DELETE', `${MAPS}/a`)).body).toMatchObject({
    code: 500,
    message:
      'Internal error occurred: failed calling webhook "broken.example.com": failed to call webhook: out of order',
  });
});

test('a stored configuration is answered in this process: its rules decide, and nothing leaves it', async () => {
  await using server = await startApiServer({ tls: false });
  const service = { namespace: 'system', name: 'hooks', path: '/check' };
  expect((await ask(server, 'POST', CONFIGURATIONS, { body: configuration({ service }) })).status).toBe(201);
  const before = await post(server, 'a');
  expect(before.status).toBe(500);
  expect(before.body.message).toContain(`server.admission({ service: "system/hooks", review })`);
  const seen: string[] = [];
  server.admission({
    service: 'system/hooks',
    review({ apiVersion, kind, request }: AdmissionReview) {
      seen.push(`${request?.operation} ${request?.name}`);
      return { apiVersion, kind, response: { uid: request?.uid, allowed: request?.name !== 'bad' } };
    },
  });
  expect((await post(server, 'a')).status).toBe(201);
  expect((await post(server, 'bad')).body.message).toBe(
    'admission webhook "maps.example.com" denied the request without explanation',
  );
  expect((await ask(server, 'DELETE', `${MAPS}/a`)).status).toBe(200);
  expect(seen).toEqual(['CREATE a', 'CREATE bad', 'DELETE a']);
});

test('no request goes to another address', async () => {
  await using server = await startApiServer({ tls: false });
  const body = configuration({ url: 'https://webhook.example.com/check' });
  expect((await ask(server, 'POST', CONFIGURATIONS, { body })).status).toBe(201);
  const refused = await post(server, 'a');
  expect(refused.status).toBe(500);
  expect(refused.body.message).toContain('calls webhooks on the loopback only');
  expect(refused.body.message).toContain('{ webhooks: { hosts: ["webhook.example.com"] } }');
});

test('an object that another request changed while a webhook was waiting is patched anew', async () => {
  await using server = await startApiServer({ tls: false });
  await post(server, 'a', { n: '0' });
  let release = (): void => {};
  let arrive = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let calls = 0;
  using hook = server.admission({
    on: 'v1/configmaps',
    operations: ['UPDATE'],
    validate: async () => {
      calls += 1;
      arrive();
      if (calls === 1) await held;
      return undefined;
    },
  });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const first = ask(server, 'PATCH', `${MAPS}/a`, { headers, body: { data: { first: '1' } } });
  await arrived;
  await ask(server, 'PATCH', `${MAPS}/a`, { headers, body: { data: { second: '2' } } });
  release();
  expect((await first).body.data).toEqual({ n: '0', first: '1', second: '2' });
  expect(hook.calls).toBe(3);
});

test('writes of the server itself are checked by policies and by functions that do not wait', async () => {
  await using server = await startApiServer({ tls: false });
  server.admission({ on: '*', operations: ['CREATE'], validate: async () => Promise.resolve('too late') });
  using hook = server.admission({
    on: 'v1/configmaps',
    mutate: (object) => ({ ...object, data: { added: 'x' } }),
    validate: (object) => (object.metadata?.name === 'bad' ? 'no' : undefined),
  });
  await post(server, 'loads');
  const local = (name: string) => ({ ...map(name), metadata: { name, namespace: 'default' } });
  expect(server.local.create('', 'configmaps', local('local'))['data']).toEqual({ added: 'x' });
  expect(() => server.local.create('', 'configmaps', local('bad'))).toThrow('denied the request: no');
  hook.remove();
  const group = '/apis/admissionregistration.k8s.io/v1';
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];
  const spec = { matchConstraints: { resourceRules }, validations: [{ expression: 'false', message: 'no' }] };
  await ask(server, 'POST', `${group}/validatingadmissionpolicies`, { body: { metadata: { name: 'p' }, spec } });
  const binding = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } };
  await ask(server, 'POST', `${group}/validatingadmissionpolicybindings`, { body: binding });
  const again = { ...map('again'), metadata: { name: 'again', namespace: 'default' } };
  expect(() => server.local.create('', 'configmaps', again)).toThrow(
    `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
  );
});

test('a hook that nothing could call is refused', async () => {
  await using server = await startApiServer({ tls: false });
  const add = (options: object) => () => server.admission(options);
  expect(add({ validate: () => undefined })).toThrow("expected on, for example 'v1/pods', or service, or url");
  expect(add({ on: 'v1/pods' })).toThrow('expected mutate, validate or review');
  expect(add({ service: 'a/b', validate: () => undefined })).toThrow('service and url need review');
  expect(add({ on: 'v1/pods', operation: 'CREATE', validate: () => undefined })).toThrow('operation');
});

test('policies with very many parameters end with 413 instead of stopping the process', async () => {
  await using server = await startApiServer({ tls: false });
  server.load(
    Array.from({ length: 400 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `s${index}`, namespace: 'default', labels: { of: 'policy' } },
    })),
  );
  const group = '/apis/admissionregistration.k8s.io/v1';
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];
  const validations = [{ expression: "authorizer.path('/x').check('get').allowed()" }];
  const paramKind = { apiVersion: 'v1', kind: 'Secret' };
  const spec = { paramKind, matchConstraints: { resourceRules }, validations };
  await ask(server, 'POST', `${group}/validatingadmissionpolicies`, { body: { metadata: { name: 'p' }, spec } });
  const paramRef = { selector: { matchLabels: { of: 'policy' } }, parameterNotFoundAction: 'Deny' };
  const binding = { metadata: { name: 'b' }, spec: { policyName: 'p', paramRef, validationActions: ['Deny'] } };
  await ask(server, 'POST', `${group}/validatingadmissionpolicybindings`, { body: binding });
  const refused = await post(server, 'a');
  expect([refused.status, refused.body.message]).toEqual([
    413,
    expect.stringContaining('evaluating admission policies'),
  ]);
});

import { expect, test } from 'vitest';
import { expectFailure } from '../../rig/failures.ts';
import { configMap, type Fixture, ok, type Space } from '../../rig/fixture.ts';
import { type Answer, until } from '../../rig/target.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;

const CONFIG_MAPS = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
];

const KEY =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** The cause for an expression with a fault in this column. */
const undeclared = (field: string, text: string, column: number, fault: string): string =>
  `${field}: Invalid value: ${JSON.stringify(text)}: compilation failed: ERROR: <input>:1:${column}: ${fault}\n | ${text}\n | ${'.'.repeat(column - 1)}^`;

/** Constraints that keep a policy to one case. */
const within = ({ name }: Space, resourceRules: readonly object[] = CONFIG_MAPS, more: object = {}): object => ({
  resourceRules,
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
  ...more,
});

interface Policy {
  readonly spec: object;
  readonly binding?: object;
  /** A request that shows that the policy is in force, and when it does. */
  readonly ready: () => Promise<boolean>;
}

/** Creates a policy with its binding, runs the case and removes both. */
async function withPolicy(
  f: Fixture,
  name: string,
  { spec, binding = {}, ready }: Policy,
  run: () => Promise<void>,
): Promise<void> {
  await f.create(POLICIES, { metadata: { name }, spec });
  await f.create(BINDINGS, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'], ...binding } });
  try {
    await until(`policy ${name} is in force`, ready);
    await run();
  } finally {
    await f.remove(`${BINDINGS}/${name}`);
    await f.remove(`${POLICIES}/${name}`);
  }
}

/** ValidatingAdmissionPolicies and their bindings. */
export function policyCases(fixture: () => Fixture): void {
  const dry = { query: { dryRun: 'All' } };
  const tryOut = (f: Fixture, path: string, body: object): Promise<Answer> =>
    f.http.ask('POST', path, { body, ...dry });

  test('point (x): a request that breaks a policy is refused, with the message and reason of the first validation', async () => {
    const f = fixture();
    const space = await f.space();
    const name = `${space.name}-x`;
    const spec = {
      matchConstraints: within(space),
      matchConditions: [{ name: 'not-exempt', expression: "!object.metadata.name.startsWith('exempt')" }],
      variables: [
        { name: 'keys', expression: 'has(object.data) ? size(object.data) : 0' },
        { name: 'many', expression: 'variables.keys > 2' },
      ],
      validations: [
        { expression: '!variables.many', messageExpression: "'too many keys: ' + string(variables.keys)" },
        { expression: "object.metadata.name != 'bad'", message: 'a bad name', reason: 'Forbidden' },
        { expression: "object.data.must == 'be'" },
        {
          expression: "request.operation == 'CREATE' || oldObject.data.must == object.data.must",
          reason: 'RequestEntityTooLarge',
        },
      ],
      auditAnnotations: [{ key: 'seen', valueExpression: "'by ' + request.userInfo.username" }],
    };
    const ready = async (): Promise<boolean> =>
      (await tryOut(f, space.configMaps, configMap('bad', { must: 'be' }))).status !== 201;
    await withPolicy(f, name, { spec, ready }, async () => {
      const by = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request:`;
      const post = (body: object): Promise<Answer> => f.http.ask('POST', space.configMaps, { body });
      expectFailure(await post(configMap('a', { a: '1', b: '2', c: '3' })), 422, 'Invalid', {
        message: `configmaps "a" is forbidden: ${by} too many keys: 3`,
        details: { name: 'a', kind: 'configmaps', causes: [{ message: `${by} too many keys: 3` }] },
      });
      expectFailure(await post(configMap('bad', { must: 'be' })), 403, 'Forbidden', {
        message: `configmaps "bad" is forbidden: ${by} a bad name`,
      });
      expectFailure(await post(configMap('a', { must: 'not' })), 422, 'Invalid', {
        message: `configmaps "a" is forbidden: ${by} failed expression: object.data.must == 'be'`,
      });
      expectFailure(await post({ metadata: { name: 'a' } }), 422, 'Invalid', {
        message: `configmaps "a" is forbidden: ${by} expression 'object.data.must == 'be'' resulted in error: no such key: data`,
      });
      ok(await post(configMap('exempt', { must: 'not' })), 201);
      ok(await post(configMap('a', { must: 'be' })), 201);
      ok(await f.patch('merge', `${space.configMaps}/a`, { data: { other: 'x' } }));
      expectFailure(await f.patch('merge', `${space.configMaps}/a`, { data: { must: 'x' } }), 422, 'Invalid', {
        message: `configmaps "a" is forbidden: ${by} failed expression: object.data.must == 'be'`,
      });
      const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { must: 'x' } };
      expectFailure(await f.patch('apply', `${space.configMaps}/b`, applied, { fieldManager: 'm' }), 422, 'Invalid');
      expectFailure(await post({ metadata: { generateName: 'gen-' }, data: { must: 'x' } }), 422, 'Invalid', {
        message: new RegExp(`^configmaps "gen-.*" is forbidden: ${by} failed expression: `),
      });
    });
  });

  test('point (x2): a binding may only warn, and failures of expressions may be ignored', async () => {
    const f = fixture();
    const space = await f.space();
    const name = `${space.name}-x2`;
    const spec = {
      failurePolicy: 'Ignore',
      matchConstraints: within(space),
      validations: [
        { expression: 'object.data.a.b == 1' },
        { expression: "object.data.a == 'x'", message: 'a is not x' },
      ],
    };
    const warned = ({ headers }: Answer): string => String(headers['warning'] ?? '');
    const ready = async (): Promise<boolean> =>
      warned(await tryOut(f, space.configMaps, configMap('a', { a: 'y' }))) !== '';
    const binding = { validationActions: ['Warn', 'Audit'] };
    await withPolicy(f, name, { spec, binding, ready }, async () => {
      const answer = await f.http.ask('POST', space.configMaps, { body: configMap('a', { a: 'y' }) });
      expect(answer.status).toBe(201);
      expect(warned(answer)).toBe(
        `299 - "Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}': a is not x"`,
      );
      expect(warned(await f.http.ask('POST', space.configMaps, { body: configMap('b', { c: 'y' }) }))).toBe('');
    });
  });

  test('point (x3): a policy is evaluated for each of its parameters; without any the binding decides', async () => {
    const f = fixture();
    const space = await f.space();
    const name = `${space.name}-x3`;
    const params = { 'params-of': space.name };
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      matchConstraints: within(space),
      validations: [
        {
          expression: "!object.data.v.startsWith(params.metadata.annotations['prefix'])",
          messageExpression: "'forbidden by ' + params.metadata.name",
        },
      ],
    };
    const selector = { matchLabels: params };
    const binding = { paramRef: { selector, parameterNotFoundAction: 'Deny' } };
    const secrets = `/api/v1/namespaces/${space.name}/secrets`;
    const ready = async (): Promise<boolean> =>
      (await tryOut(f, space.configMaps, configMap('a', { v: 'x' }))).status !== 201;
    await withPolicy(f, name, { spec, binding, ready }, async () => {
      const by = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request:`;
      expectFailure(await tryOut(f, space.configMaps, configMap('a', { v: 'x' })), 422, 'Invalid', {
        message: `configmaps "a" is forbidden: ${by} failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
      });
      for (const prefix of ['a', 'b'])
        await f.create(secrets, { metadata: { name: `no-${prefix}`, labels: params, annotations: { prefix } } });
      await until('parameters are known', async () => {
        const answers = await Promise.all(
          ['axe', 'bee'].map((v) => tryOut(f, space.configMaps, configMap('a', { v }))),
        );
        return answers.every(({ body }) => body.message?.includes('forbidden by'));
      });
      expectFailure(await tryOut(f, space.configMaps, configMap('a', { v: 'bee' })), 422, 'Invalid', {
        message: `configmaps "a" is forbidden: ${by} forbidden by no-b`,
      });
      ok(await tryOut(f, space.configMaps, configMap('a', { v: 'c' })), 201);
    });
  });

  test('point (x4): expressions see the request, the namespace and the rights of the user', async () => {
    const f = fixture();
    const space = await f.space();
    const name = `${space.name}-x4`;
    const shown = [
      'request.operation',
      'request.kind.kind',
      'request.resource.resource',
      'request.requestKind.version',
      'string(request.dryRun)',
      "has(request.subResource) ? request.subResource : 'none'",
      'request.name',
      'string(request.namespace == namespaceObject.metadata.name)',
      "string(namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == request.namespace)",
      'string(request.options.fieldManager)',
      'string(request.options.kind)',
      'string(object == null)',
      'string(oldObject == null)',
      'string(object.kind + object.apiVersion + object.metadata.name)',
      'string(type(object.metadata.creationTimestamp) == string)',
      'string(has(object.metadata.uid))',
    ];
    const rights = [
      "authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
      "!authorizer.serviceAccount('default', 'nobody').group('').resource('pods').check('create').allowed()",
      "authorizer.requestResource.check('update').allowed()",
      "authorizer.path('/healthz').check('get').allowed()",
    ];
    const spec = {
      matchConstraints: within(space),
      validations: [
        ...rights.map((expression) => ({ expression })),
        {
          expression: "request.name != 'show'",
          messageExpression: `[${shown.map((one) => `(${one})`).join(', ')}].join(' ')`,
        },
      ],
    };
    const show = (): Promise<Answer> =>
      f.http.ask('POST', space.configMaps, { body: configMap('show'), query: { dryRun: 'All', fieldManager: 'me' } });
    const ready = async (): Promise<boolean> => (await show()).status !== 201;
    await withPolicy(f, name, { spec, ready }, async () => {
      expect((await show()).body.message.split('denied request: ')[1]).toBe(
        'CREATE ConfigMap configmaps v1 true none show true true me CreateOptions false true ConfigMapv1show true true',
      );
    });
  });

  test('point (x5): deletes, subresources and other kinds are matched by rules; excluded names are not', async () => {
    const f = fixture();
    const space = await f.space();
    const name = `${space.name}-x5`;
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] },
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        operations: ['UPDATE'],
        resources: ['deployments/scale', 'deployments/status'],
      },
      { apiGroups: [f.group], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] },
    ];
    const excludeResourceRules = [{ ...rules[0], resourceNames: ['free'] }];
    const objectSelector = { matchExpressions: [{ key: 'ignored', operator: 'DoesNotExist' }] };
    const spec = {
      matchConstraints: within(space, rules, { excludeResourceRules, objectSelector }),
      validations: [
        {
          expression:
            "request.operation != 'DELETE' && object.spec.?replicas.orValue(9) < 3 && object.spec.?size.orValue(0) < 3",
          messageExpression: "request.kind.kind + ' ' + (has(request.subResource) ? request.subResource : 'whole')",
        },
      ],
    };
    for (const one of ['held', 'free', 'unseen'])
      await f.create(space.configMaps, configMap(one, {}, one === 'unseen' ? { labels: { ignored: 'x' } } : {}));
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'none' }] } };
    await f.create(space.deployments, {
      metadata: { name: 'd' },
      spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template },
    });
    const ready = async (): Promise<boolean> =>
      (await f.http.ask('DELETE', `${space.configMaps}/held`, { query: { dryRun: 'All' } })).status !== 200;
    await withPolicy(f, name, { spec, ready }, async () => {
      const message = (answer: Answer): string =>
        answer.body.message?.split('denied request: ')[1] ?? String(answer.status);
      expectFailure(await f.http.ask('DELETE', `${space.configMaps}/held`), 422, 'Invalid', {
        message: `configmaps "held" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ConfigMap whole`,
      });
      ok(await f.http.ask('DELETE', `${space.configMaps}/free`));
      ok(await f.http.ask('DELETE', `${space.configMaps}/unseen`));
      expect(message(await f.patch('merge', `${space.deployments}/d/scale`, { spec: { replicas: 5 } }))).toBe(
        'Scale scale',
      );
      ok(await f.patch('merge', `${space.deployments}/d/scale`, { spec: { replicas: 2 } }));
      ok(await f.patch('merge', `${space.deployments}/d`, { spec: { replicas: 5 } }));
      expect(message(await f.patch('merge', `${space.deployments}/d/status`, { status: { replicas: 1 } }))).toBe(
        'Deployment status',
      );
      // The second version is another way to the same objects.
      const widgets = space.widgets.replace('/v1/', '/v2/');
      const widget = { ...f.widget('w', { size: 5, replicas: 1 }), apiVersion: `${f.group}/v2` };
      expect(message(await f.http.ask('POST', widgets, { body: widget }))).toBe('Widget whole');
      expect(message(await f.http.ask('DELETE', space.configMaps))).toBe('ConfigMap whole');
    });
  });

  test('point (x6): policies and bindings that cannot work are refused', async () => {
    const f = fixture();
    const space = await f.space();
    const name = `${space.name}-x6`;
    const resourceRules = [
      { apiGroups: ['*', ''], apiVersions: [], operations: ['TOUCH'], resources: ['*', 'pods'], scope: 'x' },
    ];
    const broken = {
      failurePolicy: 'Maybe',
      matchConstraints: { resourceRules, namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
      matchConditions: [
        { name: 'a b', expression: 'object.x + 1' },
        { name: '', expression: '1' },
      ],
      variables: [
        { name: 'if', expression: 'variables.later' },
        { name: 'later', expression: 'nobody' },
      ],
      validations: [
        { expression: 'object.a > params.b', reason: 'Unknown' },
        { expression: '1 + 1', message: ' ', messageExpression: 'authorizer' },
        { expression: "request.userinfo == 'x'" },
        { expression: "object.a in ['x', object.b]" },
      ],
    };
    const policy = await f.http.ask('POST', POLICIES, { body: { metadata: { name }, spec: broken } });
    expectFailure(policy, 422, 'Invalid');
    const texts = (answer: Answer): string[] =>
      (answer.body.details.causes ?? []).map(({ field, message }) => `${field}: ${message}`).sort();
    expect(texts(policy)).toEqual([
      'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      'spec.matchConditions[0].expression: Invalid value: "object.x + 1": must evaluate to bool but got int',
      `spec.matchConditions[0].name: Invalid value: "a b": ${KEY}`,
      'spec.matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int',
      'spec.matchConditions[1].name: Required value',
      'spec.matchConstraints.namespaceSelector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      `spec.matchConstraints.resourceRules[0].apiGroups: Invalid value: ["*",""]: if '*' is present, must not specify other API groups`,
      'spec.matchConstraints.resourceRules[0].apiVersions: Required value',
      'spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "TOUCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      `spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      'spec.matchConstraints.resourceRules[0].scope: Unsupported value: "x": supported values: "*", "Cluster", "Namespaced"',
      undeclared(
        'spec.validations[0].expression',
        'object.a > params.b',
        12,
        "undeclared reference to 'params' (in container '')",
      ),
      'spec.validations[0].reason: Unsupported value: "Unknown": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[1].expression: Invalid value: "1 + 1": must evaluate to bool but got int',
      'spec.validations[1].message: Invalid value: " ": must be non-empty if specified',
      undeclared(
        'spec.validations[1].messageExpression',
        'authorizer',
        1,
        "undeclared reference to 'authorizer' (in container '')",
      ),
      undeclared('spec.validations[2].expression', "request.userinfo == 'x'", 8, "undefined field 'userinfo'"),
      undeclared(
        'spec.validations[3].expression',
        "object.a in ['x', object.b]",
        25,
        "expected type 'string' but found 'dyn'",
      ),
      undeclared('spec.variables[0].expression', 'variables.later', 10, "undefined field 'later'"),
      'spec.variables[0].name: Invalid value: "if": must be a valid CEL identifier',
      undeclared('spec.variables[1].expression', 'nobody', 1, "undeclared reference to 'nobody' (in container '')"),
    ]);
    const binding = {
      policyName: 'A b',
      validationActions: ['Deny', 'Warn', 'Deny', 'Shout'],
      paramRef: { name: 'a/b', selector: {} },
      matchResources: { matchPolicy: 'Roughly' },
    };
    const answer = await f.http.ask('POST', BINDINGS, { body: { metadata: { name }, spec: binding } });
    expectFailure(answer, 422, 'Invalid');
    expect(texts(answer)).toEqual([
      'spec.matchResources.matchPolicy: Unsupported value: "Roughly": supported values: "Equivalent", "Exact"',
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      `spec.paramRef.name: Invalid value: "a/b": may not contain '/'`,
      'spec.paramRef.parameterNotFoundAction: Required value',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      expect.stringMatching(/^spec.policyName: Invalid value: "A b": a lowercase RFC 1123 subdomain must consist/),
      'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Shout"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      'spec.validationActions[2]: Duplicate value: "Deny"',
      'spec.validationActions[3]: Unsupported value: "Shout": supported values: "Audit", "Deny", "Warn"',
    ]);
  });
}

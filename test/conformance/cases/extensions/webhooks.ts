import { expect, test } from 'vitest';
import {
  answered,
  patched,
  type Reply,
  type ReviewBody,
  WebhookServer,
} from '../../../../packages/apiserver/test/rig/webhook-server.ts';
import { expectFailure } from '../../rig/failures.ts';
import { configMap, type Fixture, ok, type Space } from '../../rig/fixture.ts';
import { type Answer, until } from '../../rig/target.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
type Kind = 'validating' | 'mutating';

interface Hook {
  readonly path: string;
  readonly more?: object;
}

const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];

/** Stores a configuration whose webhooks see one namespace, waits until it is in force, runs the case and removes it. */
async function withWebhooks(
  f: Fixture,
  space: Space,
  kind: Kind,
  { server, hooks, ready }: { server: WebhookServer; hooks: readonly Hook[]; ready: () => Promise<boolean> },
  run: () => Promise<void>,
): Promise<void> {
  const name = `${space.name}-${kind}`;
  const path = `${GROUP}/${kind}webhookconfigurations`;
  await f.create(path, {
    metadata: { name },
    webhooks: hooks.map(({ path: at, more = {} }, index) => ({
      name: `hook-${index}.${space.name}.example.com`,
      clientConfig: { url: server.url(at), caBundle: server.caBundle },
      rules: RULES,
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': space.name } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...more,
    })),
  });
  try {
    await until(`webhooks ${name} are in force`, ready);
    await run();
  } finally {
    await f.remove(`${path}/${name}`);
  }
}

/** Validating and mutating webhooks, called over HTTPS on the loopback. */
export function webhookCases(fixture: () => Fixture): void {
  const hook = (space: Space, index = 0): string => `"hook-${index}.${space.name}.example.com"`;

  test('point (y): a validating webhook refuses with its own status, and may warn', async () => {
    const f = fixture();
    const space = await f.space();
    const replies = new Map<string, (review: ReviewBody) => Reply>([
      ['silent', (review) => answered(review, { allowed: false })],
      ['reason', (review) => answered(review, { allowed: false, status: { reason: 'Teapot', code: 418 } })],
      ['whole', (review) => answered(review, { allowed: false, status: { message: 'no', reason: 'Invalid', code: 422, details: { name: 'n', causes: [{ message: 'm', field: 'f' }] } } })],
      ['low', (review) => answered(review, { allowed: false, status: { message: 'low', code: 200, status: 'Success' } })],
      ['warned', (review) => answered(review, { allowed: true, warnings: ['be careful'] })],
    ]); // prettier-ignore
    await using server = await WebhookServer.start(
      (review) => replies.get(review.request.name ?? '')?.(review) ?? answered(review, { allowed: true }),
    );
    const post = (name: string, query = {}): Promise<Answer> =>
      f.http.ask('POST', space.configMaps, { body: configMap(name), query });
    const ready = async (): Promise<boolean> => (await post('silent', { dryRun: 'All' })).status === 400;
    await withWebhooks(f, space, 'validating', { server, hooks: [{ path: '/check' }], ready }, async () => {
      const by = `admission webhook ${hook(space)} denied the request`;
      const silent = await post('silent');
      expect(silent.status).toBe(400);
      expect(silent.body).toEqual({
        kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: `${by} without explanation`, code: 400,
      }); // prettier-ignore
      expectFailure(await post('reason'), 418, 'Teapot', { message: `${by}: Teapot` });
      expectFailure(await post('whole'), 422, 'Invalid', {
        message: `${by}: no`,
        details: { name: 'n', causes: [{ message: 'm', field: 'f' }] },
      });
      expectFailure(await post('low'), 400, undefined, { message: `${by}: low` });
      const warned = await post('warned');
      expect(warned.status).toBe(201);
      expect(warned.headers['warning']).toBe('299 - "be careful"');
      ok(await f.patch('merge', `${space.configMaps}/warned`, { data: { a: 'b' } }, { fieldManager: 'me' }));
      const { path, review } = server.reviews.at(-1) as (typeof server.reviews)[number];
      expect(path).toBe('/check?timeout=10s');
      const { uid, object, oldObject, userInfo, options, ...request } = review.request;
      expect(request).toEqual({
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name: 'warned',
        namespace: space.name,
        operation: 'UPDATE',
        dryRun: false,
      });
      expect(uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(userInfo).toMatchObject({ groups: expect.arrayContaining(['system:masters']) });
      expect(options).toEqual({ kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' });
      expect(object).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'warned' },
        data: { a: 'b', k: '1' },
      });
      expect(oldObject).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: '1' } });
    });
  });

  test('point (y2): a mutating webhook changes the object; one that asked for it is called again', async () => {
    const f = fixture();
    const space = await f.space();
    const seen: string[] = [];
    await using server = await WebhookServer.start((review, path) => {
      const at = path.split('?', 1)[0] as string;
      const data = review.request.object?.data ?? {};
      if (review.request.name === 'a') seen.push(`${at} ${Object.keys(data).sort().join()}`);
      return patched(review, [
        { op: 'add', path: `/data/${at.slice(1)}`, value: at },
        { op: 'add', path: '/nonsense', value: 1 },
      ]);
    });
    const again = { reinvocationPolicy: 'IfNeeded' };
    const hooks = [{ path: '/first', more: again }, { path: '/second' }, { path: '/third', more: again }];
    const ready = async (): Promise<boolean> => {
      const query = { dryRun: 'All' };
      const { body } = await f.http.ask('POST', space.configMaps, { body: configMap('ready'), query });
      return body.data?.['third'] !== undefined;
    };
    await withWebhooks(f, space, 'mutating', { server, hooks, ready }, async () => {
      const created = await f.create(space.configMaps, configMap('a', { own: '1' }));
      expect(created.data).toEqual({ own: '1', first: '/first', second: '/second', third: '/third' });
      expect(seen).toEqual([
        '/first own',
        '/second first,own',
        '/third first,own,second',
        '/first first,own,second,third',
      ]);
      expect((await f.get(`${space.configMaps}/a`)).data).toEqual(created.data);
    });
  });

  test('point (y3): a webhook that fails refuses the request, unless its failures are ignored', async () => {
    const f = fixture();
    const space = await f.space();
    await using server = await WebhookServer.start((review) => {
      switch (review.request.name ?? '') {
        case 'broken':
          return { status: 500, text: 'oh no' };
        case 'lost':
          return { status: 404, text: 'nothing here' };
        case 'alien':
          return { ...answered(review, { allowed: true }), apiVersion: 'admission.k8s.io/v1beta1' };
        case 'other':
          return { ...(answered(review, { allowed: true }) as object), response: { uid: 'x', allowed: true } };
        case 'empty':
          return { apiVersion: review.apiVersion, kind: review.kind };
        case 'patching':
          return patched(review, [{ op: 'add', path: '/data/x', value: 'y' }]);
        case 'slow':
          return 'nothing';
        default:
          return answered(review, { allowed: review.request.name !== 'ready' });
      }
    });
    const post = (name: string, query = {}): Promise<Answer> =>
      f.http.ask('POST', space.configMaps, { body: configMap(name), query });
    const ready = async (): Promise<boolean> => (await post('ready', { dryRun: 'All' })).status === 400;
    const hooks = [{ path: '/x', more: { timeoutSeconds: 1 } }];
    await withWebhooks(f, space, 'validating', { server, hooks, ready }, async () => {
      const failed = `Internal error occurred: failed calling webhook ${hook(space)}:`;
      const message = async (name: string): Promise<string> => {
        const answer = await post(name);
        expectFailure(answer, 500, 'InternalError');
        return answer.body.message.replace(/response.uid="[^"]*"/, 'response.uid="…"');
      };
      expect(await message('broken')).toBe(
        `${failed} failed to call webhook: an error on the server ("oh no") has prevented the request from succeeding`,
      );
      expect(await message('lost')).toBe(
        `${failed} failed to call webhook: the server could not find the requested resource`,
      );
      const invalid = `${failed} received invalid webhook response:`;
      expect(await message('alien')).toBe(
        `${failed} failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
      );
      expect(await message('other')).toBe(`${invalid} expected response.uid="…", got "x"`);
      expect(await message('empty')).toBe(`${invalid} webhook response was absent`);
      expect(await message('patching')).toBe(`${invalid} validating webhook may not return response.patch`);
      expect(await message('slow')).toBe(
        `${failed} failed to call webhook: Post "${server.url('/x?timeout=1s')}": context deadline exceeded`,
      );
    });
    const ignored = [{ path: '/x', more: { failurePolicy: 'Ignore' } }];
    await withWebhooks(f, space, 'validating', { server, hooks: ignored, ready }, async () => {
      for (const name of ['broken', 'alien']) ok(await post(name), 201);
    });
  });

  test('point (y4): rules, selectors and conditions decide which requests a webhook gets', async () => {
    const f = fixture();
    const space = await f.space();
    await using server = await WebhookServer.start((review, path) =>
      answered(review, { allowed: false, status: { message: `${path.split('?', 1)[0]} ${review.request.operation} ${review.request.kind.kind}/${review.request.kind.version}` } }),
    ); // prettier-ignore
    const every = ['*'];
    const widgets = { apiGroups: [f.group], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] };
    const hooks = [
      {
        path: '/labelled',
        more: {
          rules: [{ apiGroups: [''], apiVersions: every, operations: every, resources: ['configmaps'] }],
          objectSelector: { matchExpressions: [{ key: 'held', operator: 'Exists' }] },
          matchConditions: [{ name: 'not-free', expression: "request.name != 'free'" }],
        },
      },
      { path: '/exact', more: { rules: [{ ...widgets, operations: ['DELETE'] }], matchPolicy: 'Exact' } },
      { path: '/equivalent', more: { rules: [widgets] } },
      {
        path: '/error',
        more: {
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
          matchConditions: [{ name: 'fails', expression: "object.metadata.labels['x'] == 'y'" }],
        },
      },
    ];
    const held = { labels: { held: 'x' } };
    const post = (name: string, metadata = {}): Promise<Answer> =>
      f.http.ask('POST', space.configMaps, { body: configMap(name, {}, metadata), query: { dryRun: 'All' } });
    const ready = async (): Promise<boolean> => (await post('a', held)).status === 400;
    await withWebhooks(f, space, 'validating', { server, hooks, ready }, async () => {
      const message = ({ body, status }: Answer): string => body.message?.split('request: ')[1] ?? String(status);
      expect(message(await post('a', held))).toBe('/labelled CREATE ConfigMap/v1');
      ok(await post('a'), 201);
      ok(await post('free', held), 201);
      const v2 = (path: string): string => path.replace('/v1/', '/v2/');
      const widget = { ...f.widget('w'), apiVersion: `${f.group}/v2` };
      expect(message(await f.http.ask('POST', v2(space.widgets), { body: widget }))).toBe(
        '/equivalent CREATE Widget/v1',
      );
      const secrets = `/api/v1/namespaces/${space.name}/secrets`;
      expectFailure(await f.http.ask('POST', secrets, { body: { metadata: { name: 's' } } }), 403, 'Forbidden', {
        message: `secrets "s" is forbidden: expression 'object.metadata.labels['x'] == 'y'' resulted in error: no such key: labels`,
      });
    });
  });

  test('point (y6): a bundle may be the certificate itself, and paths are cleaned: as envtest writes them', async () => {
    const f = fixture();
    const space = await f.space();
    await using server = await WebhookServer.start((review, path) =>
      answered(review, { allowed: false, status: { message: path.split('?')[0] } }),
    );
    const clientConfig = { url: server.url('//a//b/../c/'), caBundle: server.certificate };
    const ask = () => f.http.ask('POST', space.configMaps, { body: configMap('a'), query: { dryRun: 'All' } });
    const ready = async () => (await ask()).status !== 201;
    await withWebhooks(
      f,
      space,
      'validating',
      { server, hooks: [{ path: '', more: { clientConfig } }], ready },
      async () => {
        expectFailure(await ask(), 400, undefined, {
          message: `admission webhook ${hook(space)} denied the request: /a/c`,
        });
      },
    );
  });

  test('point (y5): configurations that cannot work are refused', async () => {
    const f = fixture();
    const space = await f.space();
    const name = `${space.name}-y5`;
    const webhooks = [
      { name: 'short', clientConfig: { url: 'http://user@a/?b#c' }, admissionReviewVersions: ['v7'], sideEffects: 'Some', timeoutSeconds: 31 },
      { name: 'a.b.c', clientConfig: {}, admissionReviewVersions: [], rules: [{ operations: ['CREATE'] }], reinvocationPolicy: 'Sometimes', failurePolicy: 'Maybe' },
      { name: 'a.b.c', clientConfig: { service: { name: 'n', namespace: '', path: 'p' } }, admissionReviewVersions: ['v1'], sideEffects: 'None', matchConditions: [{ name: 'x', expression: 'params.x' }] },
    ]; // prettier-ignore
    const body = { metadata: { name }, webhooks };
    const answer = await f.http.ask('POST', `${GROUP}/mutatingwebhookconfigurations`, { body });
    expectFailure(answer, 422, 'Invalid');
    const form = '; desired format: https://host[/path]';
    expect((answer.body.details.causes ?? []).map((cause) => `${cause.field}: ${cause.message}`).sort()).toEqual([
      'webhooks[0].admissionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1',
      `webhooks[0].clientConfig.url: Invalid value: "b": query parameters are not permitted in the URL`,
      `webhooks[0].clientConfig.url: Invalid value: "c": fragments are not permitted in the URL`,
      `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`,
      'webhooks[0].clientConfig.url: Invalid value: "user": user information is not permitted in the URL',
      'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
      'webhooks[1].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      'webhooks[1].clientConfig: Required value: exactly one of url or service is required',
      'webhooks[1].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      'webhooks[1].reinvocationPolicy: Unsupported value: "Sometimes": supported values: "IfNeeded", "Never"',
      'webhooks[1].rules[0].apiGroups: Required value',
      'webhooks[1].rules[0].apiVersions: Required value',
      'webhooks[1].rules[0].resources: Required value',
      'webhooks[1].sideEffects: Required value: must specify one of None, NoneOnDryRun',
      // The real server takes the namespace for the name.
      'webhooks[2].clientConfig.service.name: Required value',
      `webhooks[2].clientConfig.service.path: Invalid value: "p": must start with a '/'`,
      'webhooks[2].clientConfig.service.path: Invalid value: "p": segment[0] may not be empty',
      expect.stringMatching(
        /^webhooks\[2\].matchConditions\[0\].expression: Invalid value: "params.x": compilation failed/,
      ),
      'webhooks[2].name: Duplicate value: "a.b.c"',
    ]);
  });
}

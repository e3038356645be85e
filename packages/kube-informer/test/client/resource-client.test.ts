import type { Deployment, Pod } from '@kube-informer/kubernetes';
import { describe, expect, test } from 'vitest';
import { isApplyConflict, applyConflictsOf } from '../../src/client/apply-conflict.ts';
import type { KubeError } from '../../src/core/errors.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '../../src/core/status.ts';
import { body, failureOf } from './rig/bodies.ts';
import { type Answer, clientRig, status } from './rig/client-rig.ts';

interface Widget extends KubeObject {
  readonly spec: { readonly ids: readonly number[] };
}

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'web' } };
const OK: Answer = { body: POD };
const ok = (count: number): Answer[] => Array.from({ length: count }, () => OK);

function rig(script: readonly Answer[] = [OK], options: Parameters<typeof clientRig>[1] = {}) {
  const made = clientRig(script, options);
  return {
    ...made,
    pods: made.client.resource('v1/pods'),
    deployments: made.client.resource('apps/v1/deployments'),
    nodes: made.client.resource('v1/nodes'),
  };
}

/** Method, path with query, content type and body of the last request. */
function last({ transport }: Pick<ReturnType<typeof clientRig>, 'transport'>): {
  line: string;
  type: unknown;
  body: unknown;
} {
  const { method, path, headers, body: sent } = transport.last;
  return {
    line: `${method} ${path}`,
    type: headers['content-type'],
    body: typeof sent === 'string' ? (JSON.parse(sent) as unknown) : sent,
  };
}

describe('reading', () => {
  test('get: by key, in the default namespace, cluster-scoped', async () => {
    const { pods, nodes, transport } = rig(ok(4));
    expect(await pods.get('web/a')).toEqual(POD);
    await pods.get('a');
    await nodes.get('n1');
    await pods.get('web/a', { resourceVersion: '0' });
    expect(transport.lines).toEqual([
      'GET /api/v1/namespaces/web/pods/a',
      'GET /api/v1/namespaces/home/pods/a',
      'GET /api/v1/nodes/n1',
      'GET /api/v1/namespaces/web/pods/a?resourceVersion=0',
    ]);
    expect(transport.last.headers['accept']).toBe('application/json');
    expect(transport.last.body).toBeUndefined();
  });

  test('a full name with a namespace needs no discovery', async () => {
    const { client, transport } = clientRig([OK, { body: { kind: 'PodList', items: [] } }]);
    transport.routes.clear();
    await client.resource('v1/pods').get('web/a');
    await client.resource('v1/pods').list();
    expect(transport.lines).toEqual(['GET /api/v1/namespaces/web/pods/a', 'GET /api/v1/pods']);
  });

  test.each(['Deployment', 'deployments', 'deploy', 'deployments.apps', 'apps/v1/Deployment'])(
    'a resource by another name: %s',
    async (name) => {
      const { client, transport } = clientRig([OK]);
      await client.resource<Deployment>(name).get('web/a');
      expect(transport.lines).toEqual(['GET /apis/apps/v1/namespaces/web/deployments/a']);
    },
  );

  test('LW-07, STR-09: list: no or an empty namespace is all of them, and items get their kind', async () => {
    const list = {
      body: {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '7' },
        items: [{ metadata: { name: 'a' } }],
      },
    };
    const { pods, transport } = rig([list, list, list]);
    const { items, metadata } = await pods.list();
    expect(items).toEqual([{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }]);
    expect(metadata).toEqual({ resourceVersion: '7' });
    await pods.list({ namespace: '' });
    await pods.list({
      namespace: 'web',
      labelSelector: { app: 'shop' },
      fieldSelector: 'metadata.name=a',
      limit: 5,
      resourceVersion: '3',
      resourceVersionMatch: 'Exact',
      continue: 'x+y',
      timeoutSeconds: 0,
    });
    expect(transport.lines).toEqual([
      'GET /api/v1/pods',
      'GET /api/v1/pods',
      'GET /api/v1/namespaces/web/pods?labelSelector=app%3Dshop&fieldSelector=metadata.name%3Da&resourceVersion=3&resourceVersionMatch=Exact&limit=5&continue=x%2By&timeoutSeconds=0',
    ]);
  });

  test('STR-08: a Status in place of a list is its error', async () => {
    const { pods } = rig([
      { body: { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired', message: 'too old' } },
    ]);
    expect(await failureOf(pods.list())).toMatchObject({
      code: 'API_STATUS',
      message: 'GET /api/v1/pods: too old',
      status: { reason: 'Expired' },
    });
  });

  test('S29: metadata only: the same paths, another representation, also on watches', async () => {
    const list = { body: { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', items: [] } };
    const { pods, transport } = rig([OK, list, { body: '' }]);
    const bare = pods.metadataOnly();
    await bare.get('web/a');
    await bare.list({ namespace: 'web' });
    await bare.watch({ namespace: 'web' })[Symbol.asyncIterator]().next();
    const one = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
    expect(transport.sent.map(({ path, headers }) => [path, headers['accept']])).toEqual([
      ['/api/v1/namespaces/web/pods/a', one],
      [
        '/api/v1/namespaces/web/pods',
        'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,' +
          'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      ],
      [
        '/api/v1/namespaces/web/pods?watch=true',
        `application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${one}`,
      ],
    ]);
  });
});

describe('writing', () => {
  const pod: Pod = { metadata: { name: 'a' }, spec: { containers: [] } };

  test('create: in its own namespace, in the default one, in none', async () => {
    const { pods, nodes, transport } = rig(ok(4));
    await pods.create({ ...pod, metadata: { generateName: 'a-', namespace: 'web' } });
    expect(last({ transport })).toEqual({
      line: 'POST /api/v1/namespaces/web/pods',
      type: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: 'a-', namespace: 'web' },
        spec: { containers: [] },
      },
    });
    await pods.create(pod);
    await pods.create({ ...pod, metadata: { name: 'a', namespace: '' } });
    await nodes.create(
      { metadata: { name: 'n1' } },
      { dryRun: true, fieldManager: 'me & you', fieldValidation: 'Strict' },
    );
    expect(transport.lines.slice(1)).toEqual([
      'POST /api/v1/namespaces/home/pods',
      'POST /api/v1/namespaces/home/pods',
      'POST /api/v1/nodes?dryRun=All&fieldManager=me+%26+you&fieldValidation=Strict',
    ]);
  });

  test('F54: get and replace do not change an int64 beyond 2^53: the write is refused with the path, whatever copy is written', async () => {
    const text =
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"web"},"spec":{"ids":[7,9007199254740993]}}';
    const { client, transport } = rig([{ body: text }]);
    const widgets = client.resource<Widget>('example.com/v1/widgets');
    const widget = await widgets.get('web/w');
    const copies = [widget, { ...widget }, structuredClone(widget), { ...widget, spec: { ...widget.spec } }];
    const message = expect.stringMatching(/spec\.ids\[1\].*beyond 2\^53.*patch\(\)/);
    for (const copy of copies)
      expect(await failureOf(widgets.replace(copy))).toMatchObject({ code: 'INVALID_OPTION', message });
    expect(await failureOf(widgets.create(widget))).toMatchObject({ code: 'INVALID_OPTION', message });
    expect(await failureOf(widgets.patch('web/w', { spec: widget.spec }))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(transport.lines).toHaveLength(1);
  });

  test('F41: a create is sent once, even if the server requests a retry with Retry-After', async () => {
    const { pods, transport, env } = rig([status(504, { details: { retryAfterSeconds: 1 } }), OK]);
    const failed = failureOf(pods.create({ metadata: { generateName: 'a-', namespace: 'web' } }));
    await env.clock.advance(60_000);
    expect(await failed).toMatchObject({ code: 'API_STATUS' });
    expect(transport.lines).toEqual(['POST /api/v1/namespaces/web/pods']);
  });

  test('replace: the object names its namespace and name', async () => {
    const { pods, transport } = rig(ok(2));
    const whole = { ...pod, metadata: { name: 'a', namespace: 'web', resourceVersion: '5' } };
    await pods.replace(whole);
    expect(last({ transport })).toEqual({
      line: 'PUT /api/v1/namespaces/web/pods/a',
      type: 'application/json',
      body: { apiVersion: 'v1', kind: 'Pod', ...whole },
    });
    await pods.replace(whole, { subresource: 'status', fieldManager: 'me' });
    expect(last({ transport }).line).toBe('PUT /api/v1/namespaces/web/pods/a/status?fieldManager=me');
    expect(await failureOf(pods.replace({ ...pod, metadata: {} }))).toMatchObject({ code: 'INVALID_KEY' });
  });

  test.each([
    ['merge by default', { spec: null }, {}, 'application/merge-patch+json', ''],
    ['json for an array', [{ op: 'remove', path: '/a' }], {}, 'application/json-patch+json', ''],
    [
      'strategic',
      { spec: {} },
      { type: 'strategic', dryRun: true },
      'application/strategic-merge-patch+json',
      '?dryRun=All',
    ],
    [
      'apply',
      { kind: 'Pod' },
      { type: 'apply', fieldManager: 'me', force: true },
      'application/apply-patch+yaml',
      '?fieldManager=me&force=true',
    ],
    [
      'apply without force',
      { kind: 'Pod' },
      { type: 'apply', fieldManager: 'me', force: false },
      'application/apply-patch+yaml',
      '?fieldManager=me&force=false',
    ],
    ['of the status', { status: {} }, { subresource: 'status' }, 'application/merge-patch+json', '', '/status'],
  ] as const)('D5: patch: %s', async (_, patch, options, type, query, face?: string) => {
    const { pods, transport } = rig();
    await pods.patch('web/a', patch, options);
    expect(last({ transport })).toEqual({
      line: `PATCH /api/v1/namespaces/web/pods/a${face ?? ''}${query}`,
      type,
      body: patch,
    });
  });

  test.each([
    [{}, { type: 'apply' }],
    [{}, { type: 'merge', force: true }],
    [{}, { force: false }],
    [{}, { type: 'json' }],
    [[], { type: 'merge' }],
    [{}, { type: 'yaml' }],
    [{}, { fieldManager: '' }],
    [{}, { fieldManager: 'a\nb' }],
    [{}, { fieldManager: 'x'.repeat(129) }],
  ])('D5, S3: a patch of %j with %j is refused before anything is sent', async (patch, options) => {
    const { pods, transport } = rig();
    expect(await failureOf(pods.patch('a', patch, options as object))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(transport.sent).toEqual([]);
  });

  test('D5: apply', async () => {
    const { deployments, transport } = rig(ok(2));
    const applied = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a', namespace: 'web' },
      spec: { replicas: 3 },
    };
    await deployments.apply(applied, { fieldManager: 'me' });
    expect(last({ transport })).toEqual({
      line: 'PATCH /apis/apps/v1/namespaces/web/deployments/a?fieldManager=me',
      type: 'application/apply-patch+yaml',
      body: applied,
    });
    await deployments.apply(applied, { fieldManager: 'me', force: true, subresource: 'status', dryRun: true });
    expect(last({ transport }).line).toBe(
      'PATCH /apis/apps/v1/namespaces/web/deployments/a/status?dryRun=All&fieldManager=me&force=true',
    );
  });

  test.each<[object, object]>([
    [{ metadata: { name: 'a', namespace: 'web' } }, {}],
    [{ kind: 'Deployment', metadata: { name: 'a', namespace: 'web' } }, {}],
    [{ apiVersion: 'apps/v1', metadata: { name: 'a', namespace: 'web' } }, { subresource: 'status' }],
  ])('D5: apply adds the type of what is built in: %j with %j', async (object, options) => {
    const { deployments, transport } = rig();
    await deployments.apply(object, { fieldManager: 'me', ...options });
    expect(last({ transport }).body).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', ...object });
    const { client, transport: core } = rig();
    await client.resource('v1/configmaps').apply({ metadata: { name: 'a', namespace: 'web' } }, { fieldManager: 'me' });
    expect(last({ transport: core }).body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  test('D5: create, replace and apply ask discovery for the type of a custom resource or a kind', async () => {
    const { client, transport } = rig(ok(4));
    const object = { metadata: { name: 'a', namespace: 'web' } };
    const widgets = client.resource<KubeObject>('example.com/v1/widgets');
    for (const write of [
      () => widgets.create(object),
      () => widgets.replace(object),
      () => widgets.apply(object, { fieldManager: 'me' }),
    ]) {
      await write();
      expect(last({ transport }).body).toEqual({ apiVersion: 'example.com/v1', kind: 'Widget', ...object });
    }
    await client.resource<Deployment>('Deployment').apply(object, { fieldManager: 'me' });
    expect(last({ transport }).body).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', ...object });
    const unknown = client.resource<Deployment>('apps/v9/deployments').create(object);
    expect(await failureOf(unknown)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('D5: a subresource with a type of its own is not given the type of the resource', async () => {
    const { deployments, transport } = rig();
    const object = { metadata: { name: 'a', namespace: 'web' } };
    const scale = failureOf(deployments.apply(object, { fieldManager: 'me', subresource: 'scale' }));
    expect(await scale).toMatchObject({ code: 'INVALID_OPTION' });
    expect(transport.sent).toEqual([]);
  });

  test('S3: a value that is not an object, or that JSON cannot hold, is refused before anything is sent', async () => {
    const { client, pods, transport } = rig();
    const circle: { self?: object } = {};
    circle.self = circle;
    const good = { metadata: { name: 'a', namespace: 'web' } };
    for (const wrong of [
      null,
      undefined,
      [],
      'text',
      5,
      { ...good, big: 1n },
      { ...good, circle },
      { ...good, toJSON: () => undefined },
    ])
      for (const work of [
        () => pods.create(wrong as Pod),
        () => pods.replace(wrong as Pod),
        () => pods.apply(wrong as object, { fieldManager: 'me' }),
        ...(Array.isArray(wrong) ? [] : [() => pods.patch('web/a', wrong as object)]),
        ...(wrong === undefined ? [] : [() => pods.subresource('web/a', 'eviction', { body: wrong as object })]),
        ...(typeof wrong === 'object' && wrong !== null && !Array.isArray(wrong)
          ? [() => client.request({ method: 'POST', path: '/x', body: wrong })]
          : []),
      ])
        expect(await failureOf(work()), String(work)).toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringMatching(
            /(?:object|patch|body): expected (?:an object, got|a value that JSON can hold)/,
          ) as string,
        });
    expect(transport.sent).toEqual([]);
  });

  test.each([
    [{ apiVersion: 'apps/v1', kind: 'Deployment' }, 'metadata.name'],
    [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', managedFields: [] } }, 'managedFields'],
  ])('D5: an object that cannot be applied is refused: %j', async (object, word) => {
    const { deployments, transport } = rig();
    expect(((await failureOf(deployments.apply(object, { fieldManager: 'me' }))) as Error).message).toContain(word);
    expect(transport.sent).toEqual([]);
  });

  test('D5: an apply conflict has a type, and is not a version conflict', async () => {
    const causes = [
      { reason: 'FieldManagerConflict', message: 'conflict with "hpa" using apps/v1', field: '.spec.replicas' },
    ];
    const { deployments, pods } = rig([
      status(409, { reason: 'Conflict', message: 'Apply failed with 1 conflict', details: { causes } }),
      status(409, { reason: 'Conflict', message: 'the object has been modified' }),
    ]);
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace: 'web' } };
    const refused = await failureOf(deployments.apply(applied, { fieldManager: 'me' }));
    expect(applyConflictsOf(refused)).toEqual([{ manager: 'hpa', field: '.spec.replicas' }]);
    const outdated = await failureOf(pods.replace({ ...pod, metadata: { name: 'a', namespace: 'web' } }));
    expect([isConflict(refused), isConflict(outdated), isApplyConflict(outdated)]).toEqual([true, true, false]);
  });

  test('delete: options travel in the body, and there is none without them', async () => {
    const { pods, transport } = rig(ok(2));
    await pods.delete('web/a');
    expect(last({ transport })).toEqual({
      line: 'DELETE /api/v1/namespaces/web/pods/a',
      type: undefined,
      body: undefined,
    });
    await pods.delete('web/a', {
      gracePeriodSeconds: 0,
      propagation: 'Foreground',
      preconditions: { uid: 'u', resourceVersion: '5' },
      dryRun: true,
    });
    expect(last({ transport })).toEqual({
      line: 'DELETE /api/v1/namespaces/web/pods/a',
      type: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u', resourceVersion: '5' },
        dryRun: ['All'],
      },
    });
  });

  test('deleteCollection: selected, in one namespace; the response is not read', async () => {
    const answer = body(['{"kind":"PodList",', '"items":[']);
    const { pods, nodes, transport } = rig([{ body: answer }, { body: {} }]);
    await pods.deleteCollection({
      namespace: 'web',
      labelSelector: 'app=shop',
      fieldSelector: { 'status.phase': 'Failed' },
      limit: 3,
      propagation: 'Background',
    });
    expect(last({ transport })).toEqual({
      line: 'DELETE /api/v1/namespaces/web/pods?labelSelector=app%3Dshop&fieldSelector=status.phase%3DFailed&limit=3',
      type: 'application/json',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
    });
    expect(answer).toMatchObject({ pulled: 0, closed: 1 });
    await nodes.deleteCollection({ labelSelector: 'old' });
    expect(last({ transport }).line).toBe('DELETE /api/v1/nodes?labelSelector=old');
  });

  test.each([undefined, ''])(
    'S1: deleteCollection in the namespace %j is refused: it must be named',
    async (namespace) => {
      const { pods, transport } = rig();
      const options = namespace === undefined ? {} : { namespace };
      expect(await failureOf(pods.deleteCollection(options))).toMatchObject({ code: 'INVALID_OPTION' });
      expect(transport.sent).toEqual([]);
    },
  );

  test('subresources: scale, status, and any other', async () => {
    const scale = { body: { kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 2 } } };
    const { deployments, pods, transport } = rig([scale, scale, ...ok(4)]);
    expect((await deployments.getScale('web/a')).status?.replicas).toBe(2);
    await deployments.scale('web/a', 3, { dryRun: true });
    expect(last({ transport })).toEqual({
      line: 'PATCH /apis/apps/v1/namespaces/web/deployments/a/scale?dryRun=All',
      type: 'application/merge-patch+json',
      body: { spec: { replicas: 3 } },
    });
    await pods.subresource('web/a', 'status');
    await pods.subresource('web/a', 'eviction', { body: { kind: 'Eviction' } });
    expect(last({ transport })).toEqual({
      line: 'POST /api/v1/namespaces/web/pods/a/eviction',
      type: 'application/json',
      body: { kind: 'Eviction' },
    });
    await pods.subresource('web/a', 'status', {
      method: 'PATCH',
      body: [{ op: 'test', path: '/a', value: 1 }],
      fieldManager: 'me',
    });
    expect(last({ transport })).toMatchObject({
      line: 'PATCH /api/v1/namespaces/web/pods/a/status?fieldManager=me',
      type: 'application/json-patch+json',
    });
    await pods.subresource('web/a', 'status', { method: 'PUT', body: POD });
    expect(transport.lines.map((line) => line.split('?')[0])).toEqual([
      'GET /apis/apps/v1/namespaces/web/deployments/a/scale',
      'PATCH /apis/apps/v1/namespaces/web/deployments/a/scale',
      'GET /api/v1/namespaces/web/pods/a/status',
      'POST /api/v1/namespaces/web/pods/a/eviction',
      'PATCH /api/v1/namespaces/web/pods/a/status',
      'PUT /api/v1/namespaces/web/pods/a/status',
    ]);
  });
});

describe('what is refused before a socket is opened', () => {
  const bad = [
    '..',
    '.',
    'a%2Fb',
    'a?x=1',
    'a#b',
    'a\nb',
    '．．',
    'x'.repeat(300),
    'web/..',
    'web/.',
    '../a',
    './a',
    'web/',
    '/a',
    '',
    'web/a/b',
    'web/%2e%2e',
    'WEB/a',
  ];

  test.each(bad)(
    'S1, S2: the key %j, for every verb and for a resource that would have to be looked up',
    async (key) => {
      const { client, transport } = clientRig();
      const asked: string[] = [];
      transport.routes.set('/api', () => {
        asked.push('/api');
        return new Error('must not be asked');
      });
      for (const pods of [client.resource('v1/pods'), client.resource<Pod>('Pod')]) {
        for (const call of [
          () => pods.get(key),
          () => pods.patch(key, {}),
          () => pods.delete(key),
          () => pods.subresource(key, 'status'),
          () => pods.scale(key, 1),
        ]) {
          expect(((await failureOf(call())) as KubeError).code).toMatch(/^INVALID_(OPTION|KEY)$/);
        }
      }
      expect(await failureOf(client.logs(key).next() as Promise<unknown>)).toMatchObject({
        code: expect.stringMatching(/^INVALID_(OPTION|KEY)$/) as string,
      });
      expect([...transport.sent, ...asked]).toEqual([]);
    },
  );

  test.each(['..', '.', 'a/b', 'a%2e', 'A'])('S1, S2, S3: the namespace or subresource %j', async (part) => {
    const { client, transport } = clientRig();
    transport.routes.clear();
    const object: Pod = { metadata: { name: 'a', namespace: part } };
    for (const pods of [client.resource('v1/pods'), client.resource<Pod>('Pod')]) {
      for (const call of [
        () => pods.list({ namespace: part }),
        () => pods.watch({ namespace: part }).next() as Promise<unknown>,
        () => pods.deleteCollection({ namespace: part }),
        () => pods.create(object),
        () => pods.replace(object),
        () => pods.subresource('web/a', part),
        () => pods.patch('web/a', {}, { subresource: part }),
      ]) {
        expect(((await failureOf(call())) as KubeError).code).toMatch(/^INVALID_(OPTION|KEY)$/);
      }
      expect(() => pods.listWatch({ namespace: part })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    }
    // Not even to ask what a kind is.
    expect(transport.sent).toEqual([]);
  });

  test.each([
    '../v1/pods',
    'v1/../pods',
    'a/b/c/d/../x',
    'apps/v1/deployments%2f',
    'apps//deployments',
    'v1/',
    '/pods',
    '',
  ])('S3: the resource %j', (name) => {
    const { client } = clientRig();
    expect(() => client.resource<Pod>(name)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  test('S3: a path that a server suggests is checked like one of a user', async () => {
    const { client, transport } = clientRig();
    const hostile = {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          metadata: { name: 'x' },
          versions: [
            {
              version: 'v1',
              resources: [{ resource: '../../../api/v1/secrets', responseKind: { kind: 'Trap' }, scope: 'Cluster' }],
            },
          ],
        },
      ],
    };
    transport.routes.set('/apis', { body: hostile });
    expect(await failureOf(client.resource<Pod>('Trap').list())).toMatchObject({ code: 'INVALID_OPTION' });
    expect(transport.sent).toEqual([]);
  });

  test('S5: a selector that cannot be parsed', async () => {
    const { pods, transport } = rig();
    expect(await failureOf(pods.list({ labelSelector: 'a=b=c&d' }))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(() => pods.listWatch({ labelSelector: '???' })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    expect(transport.sent).toEqual([]);
  });

  test('a namespace of a cluster-scoped resource, once that is known', async () => {
    const { client, transport } = clientRig();
    await client.discovery.resources();
    expect(await failureOf(client.resource('v1/nodes').get('web/n1'))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(await failureOf(client.resource('v1/nodes').list({ namespace: 'web' }))).toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(transport.sent).toEqual([]);
  });
});

describe('failures and options', () => {
  test('typed: 404, 409, 422', async () => {
    const { pods } = rig([
      status(404, { reason: 'NotFound' }),
      status(409, { reason: 'AlreadyExists' }),
      status(422, { reason: 'Invalid' }),
    ]);
    expect(isNotFound(await failureOf(pods.get('web/a')))).toBe(true);
    const object = { metadata: { name: 'a', namespace: 'web' } };
    expect(isAlreadyExists(await failureOf(pods.create(object)))).toBe(true);
    expect(isInvalid(await failureOf(pods.create(object)))).toBe(true);
  });

  test('S29: metadataOnly returns only metadata even from a server that sends whole objects', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: 'aHVudGVyMg==' } };
    const bareSecret = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 's' } };
    const { client } = clientRig([
      { body: secret },
      { body: { kind: 'SecretList', apiVersion: 'v1', metadata: {}, items: [secret] } },
      { body: `${JSON.stringify({ type: 'ADDED', object: secret })}\n` },
    ]);
    const secrets = client.resource('v1/secrets').metadataOnly();
    expect(await secrets.get('a/s')).toEqual(bareSecret);
    expect((await secrets.list()).items).toEqual([bareSecret]);
    expect(await secrets.watch()[Symbol.asyncIterator]().next()).toMatchObject({
      value: { type: 'ADDED', object: bareSecret },
    });
  });

  test('list and watch name the content type of a login page', async () => {
    const page = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>sign in</html>' };
    const { pods } = rig([page, page]);
    for (const failed of [pods.list({ attempts: 'once' }), pods.watch()[Symbol.asyncIterator]().next()]) {
      const error = (await failureOf(failed)) as Error;
      expect(error).toMatchObject({
        code: 'TRANSPORT',
        message: expect.stringMatching(/GET \/api\/v1\/pods: .*text\/html/),
      });
    }
  });

  test('built-in names need no discovery, even if it is forbidden', async () => {
    const { client, transport } = clientRig([{ body: {} }, { body: {} }]);
    for (const path of ['/api', '/apis']) transport.routes.set(path, status(403, { reason: 'Forbidden' }));
    await client.resource('v1/nodes').get('n1');
    await client.resource('v1/pods').get('a');
    expect(transport.lines).toEqual(['GET /api/v1/nodes/n1', 'GET /api/v1/namespaces/home/pods/a']);
  });

  test('a custom resource that changed its version or scope is looked up again before a call is refused', async () => {
    const served = (version: string, scope: string) => ({
      body: {
        kind: 'APIGroupDiscoveryList',
        items: [{ metadata: { name: 'example.com' }, versions: [{ version, resources: [{ resource: 'widgets', responseKind: { kind: 'Widget' }, scope }] }] }],
      },
    }); // prettier-ignore
    const { client, transport } = clientRig([{ body: {} }, status(404, { details: {} }), { body: {} }]);
    transport.routes.set('/apis', served('v1', 'Cluster'));
    await client.discovery.resources();
    transport.routes.set('/apis', served('v1', 'Namespaced'));
    await client.resource<Pod>('example.com/v1/widgets').get('web/a');
    transport.routes.set('/apis', served('v2', 'Namespaced'));
    await client.resource<Pod>('Widget').get('web/a');
    expect(transport.lines).toEqual([
      'GET /apis/example.com/v1/namespaces/web/widgets/a',
      'GET /apis/example.com/v1/namespaces/web/widgets/a',
      'GET /apis/example.com/v2/namespaces/web/widgets/a',
    ]);
  });

  test('a kind that moved to another version is looked up again after a 404', async () => {
    const { client, transport } = clientRig([status(404), { body: { kind: 'WidgetList', items: [] } }]);
    const widgets = client.resource<Pod>('Widget');
    expect(isNotFound(await failureOf(widgets.list()))).toBe(true);
    transport.routes.set('/apis', {
      body: {
        kind: 'APIGroupDiscoveryList',
        items: [
          {
            metadata: { name: 'example.com' },
            versions: [
              {
                version: 'v2',
                resources: [{ resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Namespaced' }],
              },
            ],
          },
        ],
      },
    });
    await widgets.list();
    expect(transport.lines).toEqual(['GET /apis/example.com/v1/widgets', 'GET /apis/example.com/v2/widgets']);
  });

  test('STR-12: signal, timeout, attempts, warnings and limiter of one call', async () => {
    const warned: string[] = [];
    let limited = 0;
    const { pods, transport } = rig([{ ...(status(503) as object), headers: { warning: '299 - "old"' } }]);
    const error = await failureOf(
      pods.get('web/a', {
        attempts: 'once',
        timeoutMs: 1_000,
        onWarning: ({ text }) => void warned.push(text),
        limiter: { take: () => Promise.resolve(void (limited += 1)) },
      }),
    );
    expect(error).toMatchObject({ status: { code: 503 } });
    expect([transport.sent.length, warned, limited]).toEqual([1, ['old'], 1]);
    expect(await failureOf(pods.get('web/a', { signal: AbortSignal.abort('x') }))).toMatchObject({
      code: 'ABORTED',
      cause: 'x',
    });
  });
});

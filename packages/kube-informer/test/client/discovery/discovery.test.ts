import { describe, expect, test } from 'vitest';
import { Discovery } from '../../../src/client/discovery/discovery.ts';
import { discoveryDocumentName } from '../../../src/client/discovery/discovery-documents.ts';
import { transportFailure } from '../../../src/client/transport/transport-failure.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import { isForbidden, isNotFound } from '../../../src/core/status.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import { failureOf } from '../rig/bodies.ts';
import { aggregated, type Answer, APIS, requesterRig, silence, status } from '../rig/client-rig.ts';

const NONE: Answer = { body: aggregated({}) };
const CORE = APIS['/api'];
const GROUPS = APIS['/apis'];

/** Answers by path; the order in which two requests of one moment arrive does not matter. */
function rig(routes: Readonly<Record<string, Answer | readonly Answer[]>>) {
  const left = new Map(
    Object.entries(routes).map(([path, answers]) => [
      path,
      Array.isArray(answers) ? [...(answers as Answer[])] : [answers as Answer],
    ]),
  );
  const { requester, transport, env } = requesterRig(
    Array.from({ length: 100 }, () => (request) => {
      const answers = left.get(request.path) ?? [];
      const answer = answers.length > 1 ? (answers.shift() as Answer) : answers[0];
      if (answer === undefined) return status(404, { reason: 'NotFound' });
      return typeof answer === 'function' ? answer(request) : answer;
    }),
  );
  return { discovery: new Discovery(requester, env), transport, env, clock: env.clock };
}

describe('aggregated', () => {
  test('two requests read everything, and only once', async () => {
    const { discovery, transport } = rig({ '/api': CORE, '/apis': GROUPS });
    const all = await discovery.resources();
    expect(all.map(discoveryDocumentName)).toEqual([
      'v1/pods',
      'v1/configmaps',
      'v1/secrets',
      'v1/nodes',
      'v1/events',
      'apps/v1/deployments',
      'events.k8s.io/v1/events',
      'example.com/v1/widgets',
      'example.com/v1beta1/widgets',
    ]);
    expect(all[0]).toEqual({
      group: '',
      version: 'v1',
      resource: 'pods',
      singular: 'pod',
      kind: 'Pod',
      namespaced: true,
      shortNames: ['po'],
      verbs: ['get', 'list', 'watch'],
      subresources: ['log', 'status', 'eviction'],
    });
    await discovery.resources();
    await discovery.find('v1/pods');
    expect(transport.lines.toSorted()).toEqual(['GET /api', 'GET /apis']);
    expect(transport.last.headers['accept']).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    );
  });

  test.each([
    ['v1/pods', 'v1/pods'],
    ['apps/v1/deployments', 'apps/v1/deployments'],
    ['apps/v1/Deployment', 'apps/v1/deployments'],
    ['v1/Pod', 'v1/pods'],
    ['Deployment', 'apps/v1/deployments'],
    ['deployments.apps', 'apps/v1/deployments'],
    ['Deployment.apps', 'apps/v1/deployments'],
    ['events.events.k8s.io', 'events.k8s.io/v1/events'],
    ['pods', 'v1/pods'],
    ['pod', 'v1/pods'],
    ['po', 'v1/pods'],
    ['deploy', 'apps/v1/deployments'],
    // Of several the one the server names first: its core, its preferred version.
    ['Event', 'v1/events'],
    ['Widget', 'example.com/v1/widgets'],
    ['widgets.example.com', 'example.com/v1/widgets'],
    ['example.com/v1beta1/widgets', 'example.com/v1beta1/widgets'],
  ])('%s means %s', async (name, expected) => {
    const { discovery } = rig({ '/api': CORE, '/apis': GROUPS });
    expect(discoveryDocumentName(await discovery.find(name))).toBe(expected);
  });

  test('S86: a custom resource cannot take the name of a built-in one, whatever it calls itself', async () => {
    const evil = { body: aggregated({ 'a.evil.io': { v1: [
      ['secrets', 'secrets', 'Namespaced', ['secret', 'po', 'deploy']], ['pods', 'Secret', 'Namespaced'], ['thefts', 'pod', 'Namespaced', ['secrets']],
    ] }, apps: { v1: [['deployments', 'Deployment', 'Namespaced', ['deploy']]] } }) }; // prettier-ignore
    const { discovery } = rig({ '/api': CORE, '/apis': evil });
    for (const name of ['secrets', 'secret', 'Secret'])
      expect(discoveryDocumentName(await discovery.find(name))).toBe('v1/secrets');
    for (const name of ['pods', 'pod', 'po', 'Pod'])
      expect(discoveryDocumentName(await discovery.find(name))).toBe('v1/pods');
    expect(discoveryDocumentName(await discovery.find('deploy'))).toBe('apps/v1/deployments');
    expect(discoveryDocumentName(await discovery.find('secrets.a.evil.io'))).toBe('a.evil.io/v1/secrets');
  });

  test('S86: nor while the server of the built-in one is down', async () => {
    const groups = {
      kind: 'APIGroupDiscoveryList',
      items: [
        { metadata: { name: 'apps' }, versions: [{ version: 'v1', freshness: 'Stale', resources: [] }] },
        { metadata: { name: 'a.evil.io' }, versions: [{ version: 'v1', resources: [
          { resource: 'deployments', singularResource: 'deployment', responseKind: { kind: 'Deployment' }, scope: 'Namespaced' },
        ] }] },
      ],
    }; // prettier-ignore
    const { discovery } = rig({ '/api': CORE, '/apis': { body: groups } });
    expect(await failureOf(discovery.find('deployments'))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('S86: plural, singular, short name and kind count in this order', async () => {
    const groups = { body: aggregated({
      'a.io': { v1: [['ones', 'thing', 'Namespaced']] }, 'b.io': { v1: [['twos', 'Two', 'Namespaced', ['thing', 'things']]] },
      'c.io': { v1: [['things', 'Thing', 'Namespaced', ['th']]] }, 'd.io': { v1: [['fours', 'th', 'Namespaced']] },
    }) }; // prettier-ignore
    const { discovery } = rig({ '/api': NONE, '/apis': groups });
    expect(discoveryDocumentName(await discovery.find('things'))).toBe('c.io/v1/things');
    expect(discoveryDocumentName(await discovery.find('th'))).toBe('d.io/v1/fours'); // its singular
    expect(discoveryDocumentName(await discovery.find('Thing'))).toBe('c.io/v1/things');
  });

  test('S86: a name that means several custom resources is an error with the candidates', async () => {
    const groups = { body: aggregated({
      'a.io': { v1: [['widgets', 'Widget', 'Namespaced', ['w']]] }, 'b.io': { v2: [['widgets', 'Widget', 'Namespaced']], v1: [['widgets', 'Widget', 'Namespaced']] },
    }) }; // prettier-ignore
    const { discovery } = rig({ '/api': NONE, '/apis': groups });
    for (const name of ['widgets', 'Widget']) {
      const error = (await failureOf(discovery.find(name))) as KubeError;
      expect(error.code).toBe('INVALID_OPTION');
      expect(error.message).toContain('a.io/v1/widgets, b.io/v2/widgets');
    }
    expect(discoveryDocumentName(await discovery.find('w'))).toBe('a.io/v1/widgets');
    expect(discoveryDocumentName(await discovery.find('widgets.b.io'))).toBe('b.io/v2/widgets');
  });

  test('a new CRD is found by a second discovery', async () => {
    const { discovery, transport } = rig({ '/api': CORE, '/apis': [NONE, GROUPS] });
    await discovery.resources();
    expect(discoveryDocumentName(await discovery.find('Widget'))).toBe('example.com/v1/widgets');
    expect(transport.sent).toHaveLength(4);
    await discovery.find('Deployment');
    expect(transport.sent).toHaveLength(4);
  });

  test('an unknown name is NOT_FOUND, for the predicates too, with similar names', async () => {
    const { discovery, transport } = rig({ '/api': CORE, '/apis': GROUPS });
    const error = (await failureOf(discovery.find('v1/deployments'))) as KubeError;
    expect(error.code).toBe('NOT_FOUND');
    expect(isNotFound(error)).toBe(true);
    expect(error.message).toBe('the server does not serve "v1/deployments"; did you mean apps/v1/deployments?');
    expect(((await failureOf(discovery.find('gadgets.example.com'))) as KubeError).message).toContain(
      'is its CRD installed?',
    );
    // Each miss asks once: the first had nothing to go by.
    expect(transport.sent).toHaveLength(4);
  });

  test.each([
    ['deploymnets', 'apps/v1/deployments'],
    ['apps/v1/deployment', 'apps/v1/deployments'],
    ['podz', 'v1/pods'],
    ['po0ds', 'v1/pods'],
  ])('a name with a typing mistake: %s may mean %s', async (name, meant) => {
    const { discovery } = rig({ '/api': CORE, '/apis': GROUPS });
    const { message } = (await failureOf(discovery.find(name))) as KubeError;
    expect(message).toMatch(new RegExp(`did you mean ${meant}( or .*)?\\?$`));
  });

  test('concurrent misses share one discovery', async () => {
    const { discovery, transport } = rig({ '/api': CORE, '/apis': GROUPS });
    await discovery.resources();
    await Promise.all(['a', 'b', 'c', 'Gadget'].map((name) => failureOf(discovery.find(name))));
    expect(transport.sent).toHaveLength(4);
  });

  test('a failure is not cached', async () => {
    const broken = transportFailure('x', Object.assign(new Error('no'), { code: 'CERT_HAS_EXPIRED' }));
    const { discovery } = rig({ '/api': [broken, CORE], '/apis': GROUPS });
    expect(await failureOf(discovery.find('Pod'))).toBe(broken);
    expect(discoveryDocumentName(await discovery.find('Pod'))).toBe('v1/pods');
  });

  test('refresh empties the cache', async () => {
    const { discovery, transport } = rig({ '/api': CORE, '/apis': GROUPS });
    await discovery.resources();
    expect(discovery.peek('Pod')?.resource).toBe('pods');
    discovery.refresh();
    expect(discovery.peek('Pod')).toBeUndefined();
    await discovery.resources();
    expect(transport.sent).toHaveLength(4);
  });

  test('an aborted lookup does not stop the others', async () => {
    let answer = (): void => {};
    const late: Answer = () =>
      new Promise((resolve) => {
        answer = () => resolve(CORE);
      });
    const { discovery } = rig({ '/api': late, '/apis': GROUPS });
    const stop = new AbortController();
    const left = failureOf(discovery.find('Pod', { signal: stop.signal }));
    const stays = discovery.find('Pod');
    await settle();
    stop.abort();
    expect(await left).toMatchObject({ code: 'ABORTED' });
    answer();
    expect(discoveryDocumentName(await stays)).toBe('v1/pods');
  });

  test('it times out', async () => {
    const { discovery, clock } = rig({ '/api': silence, '/apis': GROUPS });
    const failed = failureOf(discovery.find('Pod', { attempts: 'once' }));
    await clock.advance(32_000);
    expect(await failed).toMatchObject({ code: 'TRANSPORT' });
    expect(clock.sleeping).toBe(0);
  });

  test('S99: a server that names a hundred thousand group versions is read in part, a few requests at a time', async () => {
    const groups = Array.from({ length: 20_000 }, (_, at) => ({
      name: `g${at}.example.com`,
      versions: Array.from({ length: 5 }, (_, version) => ({ version: `v${version}` })),
    }));
    let [open, most, count] = [0, 0, 0];
    const answer = async ({ path }: { path: string }): Promise<{ body: object }> => {
      if (path === '/api') return { body: { kind: 'APIVersions', versions: [] } };
      if (path === '/apis') return { body: { kind: 'APIGroupList', groups } };
      count += 1;
      most = Math.max(most, (open += 1));
      await settle();
      open -= 1;
      return { body: { kind: 'APIResourceList', resources: [{ name: 'widgets', kind: 'Widget' }] } };
    };
    const { requester, env } = requesterRig(Array.from({ length: 3_000 }, () => answer));
    const all = await new Discovery(requester, env).resources();
    expect([all.length, count]).toEqual([2_048, 2_048]);
    expect(most).toBeLessThanOrEqual(8);
    expect(env.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { named: 100_000, read: 2_048 } }),
    );
  });

  test('a group whose server is down is left out, and the miss says so', async () => {
    const document = aggregated({
      'metrics.k8s.io': { v1beta1: [] },
      apps: { v1: [['deployments', 'Deployment', 'Namespaced']] },
    }) as {
      items: { versions: { freshness: string }[] }[];
    };
    (document.items[0] as { versions: { freshness: string }[] }).versions[0]!.freshness = 'Stale';
    const { discovery } = rig({ '/api': CORE, '/apis': { body: document } });
    expect(discoveryDocumentName(await discovery.find('Deployment'))).toBe('apps/v1/deployments');
    expect(((await failureOf(discovery.find('PodMetrics'))) as KubeError).message).toContain('metrics.k8s.io/v1beta1');
  });

  test('malformed documents are harmless', async () => {
    const strange = {
      kind: 'APIGroupDiscoveryList',
      items: [
        null,
        5,
        { metadata: 'x', versions: [null, { version: 7, resources: [{}] }, { version: 'v1', resources: 'x' }] },
        { versions: { a: 1 } },
      ],
    };
    const { discovery } = rig({ '/api': { body: strange }, '/apis': { body: { kind: 'APIGroupDiscoveryList' } } });
    expect(await discovery.resources()).toEqual([]);
  });
});

describe('legacy', () => {
  const list = (...resources: object[]): Answer => ({ body: { kind: 'APIResourceList', resources } });
  const LEGACY: Readonly<Record<string, Answer>> = {
    '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
    '/apis': {
      body: {
        kind: 'APIGroupList',
        groups: [
          { name: 'apps', versions: [{ version: 'v1beta1' }, { version: 'v1' }], preferredVersion: { version: 'v1' } },
          { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] },
        ],
      },
    },
    '/api/v1': list(
      { name: 'pods', singularName: 'pod', kind: 'Pod', namespaced: true, shortNames: ['po'], verbs: ['get'] },
      { name: 'pods/log', kind: 'Pod', namespaced: true },
      { name: 'pods/status', kind: 'Pod', namespaced: true },
      { name: 'nodes', kind: 'Node', namespaced: false },
    ),
    '/apis/apps/v1': list({ name: 'deployments', kind: 'Deployment', namespaced: true }),
    '/apis/apps/v1beta1': list({ name: 'deployments', kind: 'Deployment', namespaced: true }),
    '/apis/metrics.k8s.io/v1beta1': list({ name: 'pods', kind: 'PodMetrics', namespaced: true }),
  };

  test('one request per group and version, preferred versions first', async () => {
    const { discovery, transport } = rig(LEGACY);
    expect((await discovery.resources()).map(discoveryDocumentName)).toEqual([
      'v1/pods',
      'v1/nodes',
      'apps/v1/deployments',
      'apps/v1beta1/deployments',
      'metrics.k8s.io/v1beta1/pods',
    ]);
    expect(await discovery.find('po')).toEqual({
      group: '',
      version: 'v1',
      resource: 'pods',
      singular: 'pod',
      kind: 'Pod',
      namespaced: true,
      shortNames: ['po'],
      verbs: ['get'],
      subresources: ['log', 'status'],
    });
    expect((await discovery.find('Node')).namespaced).toBe(false);
    expect(transport.sent).toHaveLength(6);
  });

  test('a group that fails is left out without a retry, and the others are found', async () => {
    const down = status(503, { reason: 'ServiceUnavailable', message: 'error trying to reach service' });
    const { discovery, env, clock } = rig({ ...LEGACY, '/apis/metrics.k8s.io/v1beta1': down });
    expect(discoveryDocumentName(await discovery.find('Deployment'))).toBe('apps/v1/deployments');
    expect(clock.now()).toBe(0);
    expect(env.lines).toMatchObject([{ level: 'warn', fields: { group: 'metrics.k8s.io', version: 'v1beta1' } }]);
    expect(((await failureOf(discovery.find('PodMetrics'))) as KubeError).message).toContain('metrics.k8s.io/v1beta1');
  });

  test('a connection that breaks in the middle is a failure', async () => {
    const broken = transportFailure('x', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    const { discovery } = rig({ ...LEGACY, '/apis/apps/v1': broken });
    expect(await failureOf(discovery.resources())).toBe(broken);
  });

  test('S3: a group whose name cannot be part of a path is left out, and no request is sent for it', async () => {
    const groups = {
      body: { kind: 'APIGroupList', groups: [{ name: '../../secrets', versions: [{ version: 'v1' }] }] },
    };
    const { discovery, transport } = rig({ ...LEGACY, '/apis': groups });
    expect((await discovery.resources()).map(discoveryDocumentName)).toEqual(['v1/pods', 'v1/nodes']);
    expect(transport.lines.toSorted()).toEqual(['GET /api', 'GET /api/v1', 'GET /apis']);
  });

  test('a server without a core group, and one half of which is forbidden', async () => {
    const { discovery } = rig({ '/apis': GROUPS });
    expect(discoveryDocumentName(await discovery.find('Deployment'))).toBe('apps/v1/deployments');
    const half = rig({ '/api': status(403, { reason: 'Forbidden' }), '/apis': GROUPS });
    expect(discoveryDocumentName(await half.discovery.find('Deployment'))).toBe('apps/v1/deployments');
    const all = rig({ '/api': status(403, { reason: 'Forbidden' }), '/apis': status(403, { reason: 'Forbidden' }) });
    expect(isForbidden(await failureOf(all.discovery.resources()))).toBe(true);
  });

  test('an aggregated core group with legacy groups', async () => {
    const { discovery } = rig({ ...LEGACY, '/api': CORE });
    expect(discoveryDocumentName(await discovery.find('ConfigMap'))).toBe('v1/configmaps');
    expect(discoveryDocumentName(await discovery.find('Deployment'))).toBe('apps/v1/deployments');
  });
});

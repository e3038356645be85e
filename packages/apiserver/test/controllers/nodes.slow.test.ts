import { describe, expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { type Anything, movingCluster, workload } from '../rig/moving-cluster.ts';

const pod = (name: string, spec: object = {}, annotations: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', annotations, labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'app:1', ports: [{ name: 'http', containerPort: 8080 }] }], ...spec },
});
const summary = ({ status }: Anything): string => {
  const [{ ready, restartCount, state }] = status.containerStatuses;
  const [[what, { reason = '' }]] = Object.entries(state) as [string, { reason?: string }][] as [
    [string, { reason?: string }],
  ];
  return `${status.phase} ${what}${reason === '' ? '' : ` ${reason}`}${ready ? ' ready' : ''} ${restartCount}`;
};

test('a pod is scheduled, starts, and becomes ready after its time', async () => {
  const { create, advance, get, events } = await movingCluster({ nodes: { count: 1 } });
  create(pod('a', {}, { 'kube-informer.dev/ready-after': '5s' }));
  await advance(4_000);
  expect(summary(get('', 'pods', 'a'))).toBe('Running running 0');
  await advance(2_000);
  const { status, spec } = get('', 'pods', 'a');
  expect(summary({ status })).toBe('Running running ready 0');
  expect([spec.nodeName, status.hostIP, status.podIP]).toEqual(['node-1', '192.168.7.11', expect.stringMatching(/^10\.244\./)]); // prettier-ignore
  const times = new Map(status.conditions.map((one: Anything) => [one.type, `${one.status} ${one.lastTransitionTime.slice(14, 19)}`])); // prettier-ignore
  expect(times).toEqual(
    new Map([
      ['PodScheduled', 'True 13:20'],
      ['PodReadyToStartContainers', 'True 13:20'],
      ['Initialized', 'True 13:20'],
      ['Ready', 'True 13:25'],
      ['ContainersReady', 'True 13:25'],
    ]),
  );
  // In the order of their names, and so in that of time.
  expect(events('a')).toEqual([
    'Scheduled: Successfully assigned default/a to node-1',
    'Pulled: Container image "app:1" already present on machine',
    'Created: Container created',
    'Started: Container started',
  ]);
});

test('an ephemeral container runs as soon as it is added, and the pod stays ready', async () => {
  const { create, advance, get, server } = await movingCluster({ nodes: { count: 1 } });
  create(pod('a'));
  await advance(1_000);
  const body = { spec: { ephemeralContainers: [{ name: 'debugger', image: 'busybox' }] } };
  const path = '/api/v1/namespaces/default/pods/a/ephemeralcontainers';
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  expect((await ask(server, 'PATCH', path, { body, headers })).status).toBe(200);
  await advance(1_000);
  const { status } = get('', 'pods', 'a');
  expect(status.ephemeralContainerStatuses).toMatchObject([{ name: 'debugger', state: { running: {} } }]);
  expect(summary({ status })).toBe('Running running ready 0');
});

test('a container that ends is restarted, later each time; a pod that is deleted ends and goes', async () => {
  const { create, advance, get, server, local } = await movingCluster({
    nodes: { run: () => ({ exitAfterMs: 1_000, exitCode: 2 }) },
  });
  create(pod('a'));
  await advance(1_500); // restarted once, at once
  expect(summary(get('', 'pods', 'a'))).toBe('Running running ready 1');
  await advance(1_000);
  expect(summary(get('', 'pods', 'a'))).toBe('Running waiting CrashLoopBackOff 1');
  expect(get('', 'pods', 'a').status.containerStatuses[0].lastState.terminated).toMatchObject({ exitCode: 2 });
  await advance(10_000);
  expect(summary(get('', 'pods', 'a'))).toMatch(/ 2$/);
  local.remove('', 'pods', 'default', 'a');
  expect(get('', 'pods', 'a').metadata.deletionTimestamp).toBeDefined();
  await advance(200);
  expect(get('', 'pods', 'a')).toBeUndefined();
  expect(server.exitContainers('default', 'a')).toBe(false);
});

test('init containers come first, sidecars stay, readiness gates are waited for, and a crash can be asked for', async () => {
  const { create, advance, get, server, local } = await movingCluster();
  const container = (name: string, more: object = {}): object => ({ name, image: `${name}:1`, ...more });
  create(
    pod('a', {
      initContainers: [container('first'), container('side', { restartPolicy: 'Always' })],
      readinessGates: [{ conditionType: 'example.com/go' }],
    }),
  );
  await advance(2_000);
  const states = (): readonly string[] =>
    [...get('', 'pods', 'a').status.initContainerStatuses, ...get('', 'pods', 'a').status.containerStatuses].map(
      ({ name, state, restartCount }) => `${name} ${Object.keys(state).join()} ${restartCount}`,
    );
  expect(states()).toEqual(['first terminated 0', 'side running 0', 'main running 0']);
  const ready = (): string => get('', 'pods', 'a').status.conditions.find((one: Anything) => one.type === 'Ready').status; // prettier-ignore
  expect(ready()).toBe('False');
  const gated = structuredClone(get('', 'pods', 'a'));
  gated.status.conditions.push({ type: 'example.com/go', status: 'True' });
  local.update('', 'pods', gated, 'status');
  await advance(100);
  expect(ready()).toBe('True');
  expect(server.exitContainers('default', 'a', { container: 'main', exitCode: 9 })).toBe(true);
  await advance(100);
  expect(states()).toEqual(['first terminated 0', 'side running 0', 'main running 1']);
  expect(ready()).toBe('False');
});

test('a pod that fits nowhere waits, with the reason of the scheduler, until a node fits', async () => {
  const { create, advance, get, local, server } = await movingCluster();
  create(pod('a', { nodeSelector: { disk: 'ssd' } }));
  create(pod('b', { schedulingGates: [{ name: 'example.com/later' }] }));
  await advance(1_000);
  expect(get('', 'pods', 'a').status.conditions[0]).toMatchObject({
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
  });
  const node = structuredClone(local.get('', 'nodes', '', 'node-2')) as Anything;
  local.update('', 'nodes', { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: 'ssd' } } }); // prettier-ignore
  await advance(1_000);
  expect(get('', 'pods', 'a').spec.nodeName).toBe('node-2');
  expect(get('', 'pods', 'b').spec.nodeName).toBeUndefined();
  const log = await ask(server, 'GET', '/api/v1/namespaces/default/pods/b/log');
  expect([log.status, log.text]).toEqual([204, '']);
});

test('nodes that are not ready, cordoned or tainted get no pods', async () => {
  const { create, advance, get, local } = await movingCluster();
  const change = (name: string, edit: (node: Anything) => void, part?: 'status'): void => {
    const node = structuredClone(local.get('', 'nodes', '', name)) as Anything;
    edit(node);
    local.update('', 'nodes', node, part);
  };
  await advance(10);
  change('node-1', (node) => void (node.spec.unschedulable = true));
  change('node-2', (node) => void (node.status.conditions.find((one: Anything) => one.type === 'Ready').status = 'False'), 'status'); // prettier-ignore
  change('node-3', (node) => void (node.spec.taints = [{ key: 'gpu', effect: 'NoSchedule' }]));
  await advance(10);
  create(pod('a'));
  create(pod('b', { tolerations: [{ key: 'gpu', operator: 'Exists' }] }));
  await advance(1_000);
  expect(get('', 'pods', 'a').status.conditions[0].message).toBe(
    '0/3 nodes are available: 1 node(s) had untolerated taint {gpu}, 1 node(s) had untolerated taint {node.kubernetes.io/not-ready}, 1 node(s) were unschedulable.',
  );
  expect(get('', 'pods', 'b').spec.nodeName).toBe('node-3');
});

test('Endpoints and EndpointSlices follow the pods of a service', async () => {
  const { create, advance, get, list, local } = await movingCluster();
  const ports = [{ name: 'web', port: 80, targetPort: 'http' }];
  create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'default' }, spec: { selector: { app: 'web' }, ports } }); // prettier-ignore
  create(pod('a'));
  create(pod('b', {}, { 'kube-informer.dev/ready-after': 'never' }));
  await advance(2_000);
  const [a, b] = ['a', 'b'].map((name) => get('', 'pods', name).status.podIP as string);
  const [subset] = get('', 'endpoints', 'web').subsets;
  expect([subset.addresses, subset.notReadyAddresses].map((all) => all.map(({ ip }: Anything) => ip))).toEqual([[a], [b]]); // prettier-ignore
  expect(subset.ports).toEqual([{ name: 'web', port: 8080, protocol: 'TCP' }]);
  const slice = (): Anything => list('discovery.k8s.io', 'endpointslices').find(({ metadata }) => metadata.labels['kubernetes.io/service-name'] === 'web'); // prettier-ignore
  expect(slice().endpoints.map(({ addresses, conditions }: Anything) => [addresses[0], conditions.ready])).toEqual([[a, true], [b, false]]); // prettier-ignore
  local.remove('', 'pods', 'default', 'a');
  await advance(1_000);
  expect(slice().endpoints).toHaveLength(1);
  local.remove('', 'services', 'default', 'web');
  await advance(1_000);
  expect([get('', 'endpoints', 'web'), slice()]).toEqual([undefined, undefined]);
});

test('a namespace with workloads is deleted with everything in it', async () => {
  const { create, advance, local } = await movingCluster();
  create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'town' } });
  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet'])
    create({ ...workload(kind), metadata: { name: kind.toLowerCase(), namespace: 'town' } });
  await advance(5_000);
  expect(local.list('', 'pods', 'town')).toHaveLength(9);
  local.remove('', 'namespaces', '', 'town');
  await advance(60_000);
  expect(local.get('', 'namespaces', '', 'town')).toBeUndefined();
  expect(local.list('', 'pods', 'town')).toEqual([]);
});

test('the same clock and random numbers give the same cluster', async () => {
  const run = async (): Promise<readonly string[]> => {
    const { create, advance, story } = await movingCluster();
    const received = story('', 'pods', ({ metadata, spec }, type) => `${type} ${metadata.name} ${spec.nodeName}`);
    create(workload('Deployment'));
    create(pod('a'));
    await advance(5_000);
    return received;
  };
  expect(await run()).toEqual(await run());
});

describe('logs', () => {
  const path = '/api/v1/namespaces/default/pods/a/log';

  test('come from a script, with the options of the API', async () => {
    const { create, advance, server } = await movingCluster({
      nodes: { run: ({ restarts }) => ({ logs: [`run ${restarts}`, 'two', 'three'] }) },
    });
    create(pod('a', { containers: [{ name: 'main', image: 'app:1' }, { name: 'other', image: 'app:1' }] })); // prettier-ignore
    const text = async (query: string): Promise<string> => {
      const { status, text: body, body: json } = await ask(server, 'GET', `${path}?${query}`);
      return status === 200 ? body : `${status} ${json.message}`;
    };
    await advance(1_000);
    expect(await text('')).toBe('400 a container name must be specified for pod a, choose one of: [main other]');
    expect(await text('container=none')).toBe('400 container none is not valid for pod a');
    expect(await text('container=main')).toBe('run 0\ntwo\nthree\n');
    expect(await text('container=main&tailLines=1&timestamps=true')).toMatch(/^2023-11-14T22:13:2\S+Z three\n$/);
    expect(await text('container=main&limitBytes=7')).toBe('run 0\nt');
    expect(await text('container=main&previous=true')).toBe('400 previous terminated container "main" in pod "a" not found'); // prettier-ignore
    server.exitContainers('default', 'a');
    await advance(1_000);
    expect(await text('container=main&previous=true')).toMatch(/^run 0\n/);
    expect(await text('container=main&tailLines=3')).toMatch(/^run 1\n/);
  });

  test('can be followed until the container ends', async () => {
    const next: (() => void)[] = [];
    async function* lines(): AsyncGenerator<string> {
      for (let i = 1; ; i += 1) {
        yield `line ${i}`;
        await new Promise<void>((resolve) => void next.push(resolve));
      }
    }
    await using server = await startApiServer({ tls: false, controllers: ['nodes'], nodes: { count: 1, run: () => ({ logs: lines }) } }); // prettier-ignore
    server.local.put(pod('a', { restartPolicy: 'Never' }, { 'kube-informer.dev/exit-after': 'never' }) as Anything);
    await expect.poll(() => next.length).toBe(1);
    const followed = ask(server, 'GET', `${path}?follow=true`);
    for (const count of [1, 2]) {
      next[count - 1]?.();
      await expect.poll(() => next.length).toBe(count + 1);
    }
    server.exitContainers('default', 'a', { exitCode: 0 });
    expect((await followed).text).toBe('line 1\nline 2\nline 3\n');
  });

  test('are refused where there are no kubelets', async () => {
    await using server = await startApiServer({ tls: false });
    const placed = pod('a') as Anything;
    server.local.put({ ...placed, spec: { ...placed.spec, nodeName: 'elsewhere' } });
    const { status, body } = await ask(server, 'GET', path);
    expect([status, body.message]).toEqual([400, expect.stringContaining('with the controller "nodes"')]);
  });
});

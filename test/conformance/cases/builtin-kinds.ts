import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { type Fixture, ok } from '../rig/fixture.ts';
import type { Body } from '../rig/target.ts';

const STREAMING = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
const END = { 'k8s.io/initial-events-end': 'true' };

/** Behaviour that single built-in kinds have to themselves. */
export function builtinKindCases(fixture: () => Fixture): void {
  test('point (j): a workload in a bookmark has zero replicas, not the default', async () => {
    const f = fixture();
    const { name } = await f.space();
    const bookmark = async (path: string): Promise<Body> => {
      using watch = await f.http.watch(path, STREAMING);
      return (await watch.next()).object;
    };
    const apps = `/apis/apps/v1/namespaces/${name}`;
    const template = { metadata: {}, spec: { containers: null } };
    for (const [resource, spec, status] of [
      ['deployments', { strategy: {} }, {}],
      ['replicasets', {}, { replicas: 0 }],
      ['statefulsets', { serviceName: '', updateStrategy: {} }, { replicas: 0, availableReplicas: 0 }],
    ] as const) {
      const object = await bookmark(`${apps}/${resource}`);
      expect(object.spec).toEqual({ replicas: 0, selector: null, template, ...spec });
      expect(object.status).toEqual(status);
    }
    const { metadata } = await bookmark(`${apps}/daemonsets`);
    expect(metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '0', ...END });
  });

  test('point (k): the request of a CertificateSigningRequest must be a valid PKCS#10 request', async () => {
    const f = fixture();
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const create = (name: string, spec: object) =>
      f.http.ask('POST', path, {
        body: { metadata: { name }, spec: { signerName: 'example.com/x', usages: ['client auth'], ...spec } },
        query: { dryRun: 'All' },
      });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const field = 'spec.request';
    const notOne = 'PEM block type must be CERTIFICATE REQUEST';
    const refused = async (spec: object, ...causes: readonly object[]) =>
      expectFailure(await create(`${f.group}-csr`, spec), 422, 'Invalid', { causes });
    await refused({}, { field, message: `Invalid value: null: ${notOne}` });
    await refused({ request: base64('hello') }, { field, message: `Invalid value: "aGVsbG8=": ${notOne}` });
    await refused({ request: base64(pem('CERTIFICATE', Buffer.from('x'))) }, { field });
    await refused({ request: base64(pem('CERTIFICATE REQUEST', Buffer.from('hello'))) }, { field });
    const request = base64(pem('CERTIFICATE REQUEST', certificateRequest()));
    await refused({ request, usages: [] }, { field: 'spec.usages', reason: 'FieldValueRequired' });
    await refused(
      { request, usages: ['client auth', 'client auth', 'nonsense'] },
      { field: 'spec.usages[2]', reason: 'FieldValueNotSupported' },
      { field: 'spec.usages[1]', reason: 'FieldValueDuplicate' },
    );
    for (const [signerName, message] of [
      ['x', /^Invalid value: "x": must be a fully qualified domain and path of the form 'example.com\/signer-name'$/],
      ['a/b', /^Invalid value: "a": should be a domain with at least two segments separated by dots$/],
      ['Example.com/x', /^Invalid value: "Example.com": validating label "Example": a lowercase RFC 1123 label must /],
      ['example.com/a_b', /^Invalid value: "a_b": validating label "a_b": a lowercase RFC 1123 subdomain must /],
      ['kubernetes.io/legacy-unknown', /the legacy signerName is not allowed via this API version$/],
    ] as const) {
      await refused({ request, signerName }, { field: 'spec.signerName', message: expect.stringMatching(message) });
    }
    await refused(
      { request, expirationSeconds: 5 },
      {
        field: 'spec.expirationSeconds',
        message: 'Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)',
      },
    );
    ok(await create(`${f.group}-csr`, { request, expirationSeconds: 600 }), 201);
  });

  test('point (l): an autoscaling/v1 autoscaler keeps metrics and behavior in annotations', async () => {
    const f = fixture();
    const { name } = await f.space();
    const at = (version: string): string => `/apis/autoscaling/${version}/namespaces/${name}/horizontalpodautoscalers`;
    const prefix = 'autoscaling.alpha.kubernetes.io/';
    const utilization = { type: 'Utilization', averageUtilization: 60 };
    const service = { kind: 'Service', name: 's', apiVersion: 'v1' };
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
      { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '1k' } } },
      { type: 'Object', object: { describedObject: service, target: { type: 'Value', value: '10' }, metric: { name: 'hits' } } },
      { type: 'Object', object: { describedObject: service, target: { type: 'AverageValue', averageValue: '10' }, metric: { name: 'hits' } } },
      { type: 'External', external: { metric: { name: 'q', selector: { matchLabels: { q: 'x' } } }, target: { type: 'AverageValue', averageValue: '30' } } },
      { type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '30' } } },
      { type: 'ContainerResource', containerResource: { name: 'cpu', target: utilization, container: 'app' } },
    ]; // prettier-ignore
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      metrics,
      behavior: { scaleDown: { stabilizationWindowSeconds: 10 } },
    };
    await f.create(at('v2'), { metadata: { name: 'a' }, spec });
    const old = await f.get(`${at('v1')}/a`);
    const annotations = old.metadata.annotations as Record<string, string>;
    const read = (part: string): unknown => JSON.parse(annotations[prefix + part] as string);
    expect(old.spec['targetCPUUtilizationPercentage']).toBe(50);
    expect(read('metrics')).toEqual([
      { type: 'Resource', resource: { name: 'memory', targetAverageValue: '100Mi' } },
      { type: 'Pods', pods: { metricName: 'rps', targetAverageValue: '1k' } },
      { type: 'Object', object: { target: service, metricName: 'hits', targetValue: '10' } },
      { type: 'Object', object: { target: service, metricName: 'hits', targetValue: '0', averageValue: '10' } },
      { type: 'External', external: { metricName: 'q', metricSelector: { matchLabels: { q: 'x' } }, targetAverageValue: '30' } },
      { type: 'External', external: { metricName: 'q', targetValue: '30' } },
      { type: 'ContainerResource', containerResource: { name: 'cpu', targetAverageUtilization: 60, container: 'app' } },
    ]); // prettier-ignore
    const percent = { Type: 'Percent', Value: 100, PeriodSeconds: 15 };
    expect(read('behavior')).toEqual({
      ScaleUp: {
        StabilizationWindowSeconds: 0,
        SelectPolicy: 'Max',
        Policies: [{ Type: 'Pods', Value: 4, PeriodSeconds: 15 }, percent],
        Tolerance: null,
      },
      ScaleDown: { StabilizationWindowSeconds: 10, SelectPolicy: 'Max', Policies: [percent], Tolerance: null },
    });
    // Nothing is lost through the old form and back; CPU comes last.
    await f.put(`${at('v1')}/a`, { ...old, spec: { ...old.spec, maxReplicas: 4 } });
    const back = await f.get(`${at('v2')}/a`);
    expect(back.metadata.annotations).toBeUndefined();
    expect(back.spec['metrics']).toEqual([...metrics.slice(1), metrics[0]]);
    expect(back.spec['behavior']).toMatchObject({ scaleDown: { stabilizationWindowSeconds: 10, selectPolicy: 'Max' } });

    const conditions = [
      { type: 'ScalingActive', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'x', message: 'y' },
    ];
    const currentMetrics = [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 10, averageValue: '5m' } } },
      { type: 'Pods', pods: { metric: { name: 'rps' }, current: { averageValue: '1' } } },
    ];
    const status = { currentReplicas: 1, desiredReplicas: 2, currentMetrics, conditions };
    await f.put(`${at('v2')}/a/status`, { ...back, status });
    const seen = await f.get(`${at('v1')}/a`);
    const said = seen.metadata.annotations as Record<string, string>;
    expect(seen.status).toEqual({ currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 10 });
    expect(JSON.parse(said[`${prefix}conditions`] as string)).toEqual(conditions);
    expect(JSON.parse(said[`${prefix}current-metrics`] as string)).toEqual([
      { type: 'Resource', resource: { name: 'cpu', currentAverageUtilization: 10, currentAverageValue: '5m' } },
      { type: 'Pods', pods: { metricName: 'rps', currentAverageValue: '1' } },
    ]);
  });

  test('point (m): ephemeral containers are added only through their subresource, and cannot be changed', async () => {
    const f = fixture();
    const space = await f.space();
    await f.createPod(space, 'p');
    const path = `${space.pods}/p/ephemeralcontainers`;
    const patch = (...ephemeralContainers: readonly object[]) =>
      f.patch('strategic', path, { spec: { ephemeralContainers } });
    const added = ok(await patch({ name: 'look', image: 'busybox', targetContainerName: 'c' }));
    expect(added).toMatchObject({ kind: 'Pod', metadata: { generation: 2 } });
    expect(added.spec['ephemeralContainers']).toEqual([
      {
        name: 'look',
        image: 'busybox',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
        targetContainerName: 'c',
      },
    ]);
    const entries = added.metadata['managedFields'] as readonly { subresource?: string }[];
    expect(entries.map(({ subresource }) => subresource)).toEqual([undefined, 'ephemeralcontainers']);
    // Other fields are ignored.
    const other = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'other' }] } };
    const same = ok(await f.patch('strategic', path, other));
    expect(same.metadata.labels).toBeUndefined();
    expect(same.spec['containers']).toMatchObject([{ name: 'c', image: 'none' }]);
    expect(same.metadata['generation']).toBe(2);

    const first = 'spec.ephemeralContainers[0]';
    const refused = async (answer: Promise<Parameters<typeof expectFailure>[0]>, ...causes: readonly object[]) =>
      expectFailure(await answer, 422, 'Invalid', { causes });
    const notFound = { field: `${first}.targetContainerName`, reason: 'FieldValueNotFound', message: 'Not found: "z"' };
    await refused(patch({ name: 'x', image: 'i', targetContainerName: 'z' }), notFound);
    await refused(patch({ name: 'x' }), { field: `${first}.image`, reason: 'FieldValueRequired' });
    await refused(patch({ name: 'c', image: 'i' }), { field: `${first}.name`, message: 'Duplicate value: "c"' });
    const message = 'Forbidden: cannot be set for an Ephemeral Container';
    await refused(patch({ name: 'x', image: 'i', ports: [{ containerPort: 80 }] }), {
      field: `${first}.ports`,
      message,
    });
    const field = 'spec.ephemeralContainers';
    await refused(patch({ name: 'look', image: 'other' }), {
      field,
      message: expect.stringMatching(/^Forbidden: existing ephemeral containers "look" may not be changed\n/),
    });
    await refused(f.patch('merge', path, { spec: { ephemeralContainers: [] } }), {
      field,
      message: 'Forbidden: existing ephemeral containers "look" may not be removed\n',
    });
    const spec = { containers: [{ name: 'c', image: 'i' }], ephemeralContainers: [{ name: 'x', image: 'i' }] };
    await refused(f.http.ask('POST', space.pods, { body: { metadata: { name: 'q' }, spec } }), {
      field,
      message: 'Forbidden: cannot be set on create',
    });
  });

  test('point (n): the resize subresource changes CPU and memory of a pod and nothing else', async () => {
    const f = fixture();
    const space = await f.space();
    await f.createPod(space, 'first'); // until Pods are admitted
    const resources = { requests: { cpu: '100m' }, limits: { cpu: '200m' } };
    const containers = [
      { name: 'c', image: 'none', resources },
      { name: 'd', image: 'none' },
    ];
    await f.create(space.pods, { metadata: { name: 'p' }, spec: { schedulerName: 'nobody', containers } });
    const path = `${space.pods}/p/resize`;
    const resize = (more: object, name = 'c') =>
      f.patch('strategic', path, { spec: { containers: [{ name, resources: more }] } });
    const larger = ok(await resize({ requests: { cpu: '150m' }, limits: { cpu: '300m' } }));
    const [c] = larger.spec['containers'] as readonly { resources: object }[];
    expect(c?.resources).toEqual({ requests: { cpu: '150m' }, limits: { cpu: '300m' } });
    expect(larger.metadata['generation']).toBe(2);
    const entries = larger.metadata['managedFields'] as readonly { subresource?: string }[];
    expect(entries.map(({ subresource }) => subresource)).toEqual([undefined, 'resize']);
    const other = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'other' }] } };
    const same = ok(await f.patch('strategic', path, other));
    expect([same.metadata.labels, same.metadata['generation']]).toEqual([undefined, 2]);
    ok(await resize({ requests: { memory: '1Mi' } }, 'd'));

    const refused = async (answer: Promise<Parameters<typeof expectFailure>[0]>, ...causes: readonly object[]) =>
      expectFailure(await answer, 422, 'Invalid', { causes });
    const at = 'spec.containers[0].resources';
    await refused(
      resize({ requests: null, limits: null }),
      { field: `${at}.requests`, message: 'Forbidden: resource requests cannot be removed' },
      { field: `${at}.limits`, message: 'Forbidden: resource limits cannot be removed' },
    );
    await refused(resize({ limits: { 'example.com/gpu': '1' }, requests: { 'example.com/gpu': '1' } }), {
      field: 'spec',
      message: 'Forbidden: only cpu and memory resources are mutable',
    });
    await refused(resize({ limits: { cpu: '10m' } }), {
      field: `${at}.requests`,
      message: 'Invalid value: "150m": must be less than or equal to cpu limit of 10m',
    });
    await f.create(space.pods, {
      metadata: { name: 'best' },
      spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'none' }] },
    });
    const body = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } };
    await refused(f.patch('strategic', `${space.pods}/best/resize`, body), {
      field: 'spec',
      message: 'Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing',
    });
  });

  test('point (q): names, taints, finalizers and targets that a kind does not accept', async () => {
    const f = fixture();
    const space = await f.space();
    const refused = async (path: string, body: object, causes: readonly string[]) => {
      const answer = await f.http.ask('POST', path, { body, query: { dryRun: 'All' } });
      const { details } = expectFailure(answer, 422, 'Invalid');
      expect(details.causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(causes);
    };
    const reserved =
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error:";
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const name = `system-${space.name}`;
    await refused(classes, { metadata: { name }, value: 1 }, [
      `${reserved} ${name} is not a known system priority class`,
    ]);
    await refused(classes, { metadata: { name: 'system-node-critical' }, value: 1 }, [
      `${reserved} value of system-node-critical PriorityClass must be 2000001000`,
    ]);

    const node = (taint: object) => ({ metadata: { name: space.name }, spec: { taints: [taint] } });
    await refused('/api/v1/nodes', node({ key: 'a', value: 'b' }), ['metadata.taints[0].effect: Required value']);
    const keys = await f.http.ask('POST', '/api/v1/nodes', { body: node({ effect: 'NoSchedule' }) });
    expect(expectFailure(keys, 422, 'Invalid').details.causes[0]).toMatchObject({
      field: 'metadata.taints[0].key',
      message: 'Invalid value: "": name part must be non-empty',
    });

    const neither = 'Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified';
    const namespace = { metadata: { name: space.name }, spec: { finalizers: ['x'] } };
    const finalized = await f.http.ask('PUT', `/api/v1/namespaces/${space.name}/finalize`, { body: namespace });
    expectFailure(finalized, 422, 'Invalid', {
      message: `Namespace "${space.name}" is invalid: spec.finalizers[0]: ${neither}`,
    });
    await refused('/api/v1/namespaces', { ...namespace, metadata: { name: `${space.name}-x` } }, [
      `spec.finalizers: ${neither}`,
    ]);

    await f.createPod(space, 'a');
    const bound = (target: object) =>
      f.http.ask('POST', `${space.pods}/a/binding`, { body: { metadata: { name: 'a' }, target } });
    expectFailure(await bound({}), 500, undefined, { message: 'target.name: Required value' });
    expectFailure(await bound({ name: 'n', kind: 'X' }), 500, undefined, {
      message: 'target.kind: Unsupported value: "X": supported values: "Node", "<empty>"',
    });
  });

  test('point (q4): labels and the selector of another Job are refused', async () => {
    const f = fixture();
    const path = `/apis/batch/v1/namespaces/${(await f.space()).name}/jobs`;
    const job = (labels: object, spec: object = {}): object => ({
      metadata: { name: 'a' },
      spec: {
        template: { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
        ...spec,
      },
    });
    const ask = (body: object) => f.http.ask('POST', path, { body, query: { dryRun: 'All' } });
    const wrong = expectFailure(await ask(job({ 'job-name': 'b' })), 422, 'Invalid');
    expect(wrong.details.causes.map(({ field }) => field)).toEqual(['spec.template.metadata.labels[job-name]']);
    expect(wrong.message).toMatch(/: must be 'a'$/);
    const selector = (matchLabels: object): object => ({ selector: { matchLabels } });
    const other = await ask(job({ x: 'y' }, selector({ x: 'y' })));
    expectFailure(other, 422, 'Invalid', { message: /: `selector` not auto-generated$/ });
    ok(await ask(job({}, selector({ 'job-name': 'a' }))), 201);
  });

  test('point (q3): a grace period below zero becomes one second', async () => {
    const f = fixture();
    const space = await f.space();
    // From here on Pods are admitted.
    await f.createPod(space, 'a');
    const spec = {
      terminationGracePeriodSeconds: -1,
      schedulerName: 'nobody',
      containers: [{ name: 'c', image: 'i' }],
    };
    const created = await f.create(space.pods, { metadata: { name: 'b' }, spec });
    expect((created as { spec?: object }).spec).toMatchObject({ terminationGracePeriodSeconds: 1 });
  });

  test('point (q2): a priority level is exempt or limited, and has the fields of its type', async () => {
    const f = fixture();
    const of = async (spec: object): Promise<string[]> => {
      const body = { metadata: { name: 'level' }, spec };
      const path = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
      const answer = await f.http.ask('POST', path, { body, query: { dryRun: 'All' } });
      if (answer.status === 201) return [];
      const { details } = expectFailure(answer, 422, 'Invalid');
      return details.causes.map(({ field, message }) => `${field}: ${message}`);
    };
    const limited = (limitResponse: object, more: object = {}) => ({
      type: 'Limited',
      limited: { limitResponse, ...more },
    });
    const response = 'spec.limited.limitResponse';
    expect(await of({})).toEqual(['spec.type: Required value']);
    expect(await of({ type: 'x' })).toEqual([
      'spec.type: Unsupported value: "x": supported values: "Exempt", "Limited"',
    ]);
    expect(await of({ type: 'Exempt', limited: {} })).toEqual([
      `spec.type: Invalid value: "Exempt": must be 'Exempt' if and only if \`name\` is 'exempt'`,
      'spec.limited: Forbidden: must be nil if the type is not Limited',
    ]);
    expect(await of({ type: 'Limited' })).toEqual([
      'spec.limited: Required value: must not be empty when type is Limited',
    ]);
    expect(await of(limited({}))).toEqual([`${response}.type: Required value`]);
    expect(await of(limited({ type: 'Z' }))).toEqual([
      `${response}.type: Unsupported value: "Z": supported values: "Queue", "Reject"`,
    ]);
    expect(await of(limited({ type: 'Queue' }))).toEqual([
      `${response}.queuing: Required value: must not be empty if limited.limitResponse.type is Limited`,
    ]);
    expect(await of(limited({ type: 'Reject', queuing: {} }))).toEqual([
      `${response}.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited`,
    ]);
    expect(await of(limited({ type: 'Reject' }, { nominalConcurrencyShares: -1 }))).toEqual([
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
    ]);
    expect(await of({ ...limited({ type: 'Reject' }), exempt: {} })).toEqual([
      'spec.exempt: Forbidden: must be nil if the type is Limited',
    ]);
    expect(await of(limited({ type: 'Queue', queuing: {} }))).toEqual([]);
  });
}

const pem = (type: string, der: Buffer): string =>
  `-----BEGIN ${type}-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END ${type}-----\n`;

/** A DER element. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** PKCS#10: a name, a key, and a signature with it. */
function certificateRequest(): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const commonName = der(0x30, der(0x06, Buffer.from([0x55, 4, 3])), der(0x0c, Buffer.from('jane')));
  const info = der(
    0x30,
    der(0x02, Buffer.from([0])),
    der(0x30, der(0x31, commonName)),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa0),
  );
  const ecdsaWithSha256 = der(0x30, der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2])));
  const signature = sign('sha256', info, privateKey);
  return der(0x30, info, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
}

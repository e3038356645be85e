import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

/** Responses of a real kube-apiserver 1.36 to the same requests. */

const CORE = '/api/v1/namespaces/default';
const PRIORITIES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const STORAGE = '/apis/storage.k8s.io/v1/storageclasses';
const MERGE = { 'content-type': 'application/merge-patch+json' };

async function rig() {
  const server = await startApiServer({ tls: false });
  let made = 0;
  const post = async (path: string, body: object, name = `o${++made}`) => {
    const { metadata, ...rest } = body as { metadata?: object };
    const answer = await ask(server, 'POST', path, { body: { metadata: { name, ...metadata }, ...rest } });
    // Objects have generated names; messages are compared without them.
    const why = answer.body.message?.replaceAll(`"${name}"`, '"x"');
    return { status: answer.status, why, object: answer.body };
  };
  const pod = (spec: object = {}, resources?: object) => {
    const container = { name: 'c', image: 'i', ...(resources === undefined ? {} : { resources }) };
    return post(`${CORE}/pods`, { spec: { containers: [container], ...spec } });
  };
  const claim = (storage: string, spec: object = {}, name?: string) =>
    post(
      `${CORE}/persistentvolumeclaims`,
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...spec } },
      name,
    );
  const patch = (path: string, body: object) => ask(server, 'PATCH', path, { body, headers: MERGE });
  return { server, post, pod, claim, patch, [Symbol.asyncDispose]: () => server.close() };
}

const refused = (why: string, subject = 'pods "x"') => ({ status: 403, why: `${subject} is forbidden: ${why}` });

test('the priority of a pod comes from a class', async () => {
  await using one = await rig();
  await one.post(PRIORITIES, { value: 100, preemptionPolicy: 'Never' }, 'high');
  const priorityOf = async (spec: object) => {
    const { priority, priorityClassName, preemptionPolicy } = (await one.pod(spec)).object.spec;
    return [priority, priorityClassName, preemptionPolicy];
  };
  expect(await priorityOf({})).toEqual([0, undefined, 'PreemptLowerPriority']);
  expect(await priorityOf({ priority: 0 })).toEqual([0, undefined, 'PreemptLowerPriority']);
  expect(await priorityOf({ priorityClassName: 'high' })).toEqual([100, 'high', 'Never']);
  expect(await priorityOf({ priorityClassName: 'high', priority: 100 })).toEqual([100, 'high', 'Never']);
  expect(await priorityOf({ priorityClassName: 'system-node-critical' })).toEqual([
    2_000_001_000,
    'system-node-critical',
    'PreemptLowerPriority',
  ]);
  expect(await one.pod({ priorityClassName: 'nope' })).toMatchObject(
    refused('no PriorityClass with name nope was found'),
  );
  expect(await one.pod({ priority: 5 })).toMatchObject(
    refused(
      'the integer value of priority (5) must not be provided in pod spec; ' +
        'priority admission controller computed 0 from the given PriorityClass name',
    ),
  );
  expect(await one.pod({ preemptionPolicy: 'Never' })).toMatchObject(
    refused(
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; ' +
        'priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ),
  );
  await one.post(PRIORITIES, { value: 7, globalDefault: true }, 'usual');
  expect(await priorityOf({})).toEqual([7, 'usual', 'PreemptLowerPriority']);
  expect(await one.post(PRIORITIES, { value: 8, globalDefault: true })).toMatchObject(
    refused(
      'PriorityClass usual is already marked as default. Only one default can exist',
      'priorityclasses.scheduling.k8s.io "x"',
    ),
  );
});

test('claims and ingresses without a class get the default one, and no manager owns that field', async () => {
  await using one = await rig();
  const marked = (annotation: string) => ({ metadata: { annotations: { [annotation]: 'true' } } });
  expect((await one.claim('1Gi')).object.spec.storageClassName).toBe(undefined);
  const isDefault = marked('storageclass.kubernetes.io/is-default-class');
  await one.post(STORAGE, { ...isDefault, provisioner: 'a/b' }, 'fast');
  const { object } = await one.claim('1Gi');
  expect(object.spec.storageClassName).toBe('fast');
  expect(JSON.stringify(object.metadata.managedFields)).not.toContain('storageClassName');
  expect((await one.claim('1Gi', { storageClassName: '' })).object.spec.storageClassName).toBe('');

  const network = '/apis/networking.k8s.io/v1';
  const isDefaultIngress = marked('ingressclass.kubernetes.io/is-default-class');
  await one.post(`${network}/ingressclasses`, { ...isDefaultIngress, spec: { controller: 'a.b/c' } }, 'nginx');
  const spec = { defaultBackend: { service: { name: 'x', port: { number: 80 } } } };
  const ingress = async (fields: object) =>
    (await one.post(`${network}/namespaces/default/ingresses`, fields)).object.spec.ingressClassName;
  expect(await ingress({ spec })).toBe('nginx');
  expect(await ingress({ spec: { ...spec, ingressClassName: 'z' } })).toBe('z');
  expect(await ingress({ metadata: { annotations: { 'kubernetes.io/ingress.class': 'q' } }, spec })).toBe(undefined);
});

test('a limit range sets defaults of containers and enforces its bounds', async () => {
  await using one = await rig();
  const container = {
    type: 'Container',
    default: { cpu: '500m' },
    defaultRequest: { cpu: '100m' },
    max: { cpu: '1', memory: '1Gi' },
    min: { cpu: '50m' },
    maxLimitRequestRatio: { cpu: '10' },
  };
  await one.post(`${CORE}/limitranges`, { spec: { limits: [container] } }, 'l');
  const { object } = await one.pod();
  expect(object.spec.containers[0].resources).toEqual({
    limits: { cpu: '500m', memory: '1Gi' },
    requests: { cpu: '100m', memory: '1Gi' },
  });
  expect(object.metadata.annotations).toEqual({
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c',
  });
  expect(object.status.qosClass).toBe('Burstable');
  expect(await one.pod({}, { limits: { memory: '512Mi', cpu: '2' } })).toMatchObject(
    refused('maximum cpu usage per Container is 1, but limit is 2'),
  );
  expect(await one.pod({}, { limits: { memory: '2Gi', cpu: '10m' } })).toMatchObject(
    refused(
      '[minimum cpu usage per Container is 50m, but request is 10m, ' +
        'maximum memory usage per Container is 1Gi, but limit is 2Gi]',
    ),
  );
  expect(
    await one.pod({}, { requests: { cpu: '10m', memory: '1Mi' }, limits: { memory: '512Mi', cpu: '500m' } }),
  ).toMatchObject(
    refused(
      '[minimum cpu usage per Container is 50m, but request is 10m, ' +
        'cpu max limit to request ratio per Container is 10, but provided ratio is 50.000000]',
    ),
  );
});

test('a limit range enforces its bounds on whole pods and claims', async () => {
  await using one = await rig();
  const limits = [
    { type: 'Pod', max: { cpu: '1' }, min: { cpu: '100m' } },
    { type: 'PersistentVolumeClaim', max: { storage: '1Gi' }, min: { storage: '10Mi' } },
  ];
  await one.post(`${CORE}/limitranges`, { spec: { limits } }, 'l');
  expect(await one.pod({}, { limits: { cpu: '2' } })).toMatchObject(
    refused('maximum cpu usage per Pod is 1, but limit is 2'),
  );
  expect(await one.pod()).toMatchObject(
    refused(
      '[minimum cpu usage per Pod is 100m.  No request is specified, maximum cpu usage per Pod is 1.  No limit is specified]',
    ),
  );
  expect((await one.pod({}, { limits: { cpu: '500m' } })).status).toBe(201);
  const bad = (why: string) => refused(why, 'persistentvolumeclaims "x"');
  expect(await one.claim('2Gi')).toMatchObject(
    bad('maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi'),
  );
  expect(await one.claim('1Mi')).toMatchObject(
    bad('minimum storage usage per PersistentVolumeClaim is 10Mi, but request is 1Mi'),
  );
  expect((await one.claim('100Mi')).status).toBe(201);
});

test('a bound claim grows only if its class allows expansion', async () => {
  await using one = await rig();
  await one.post(STORAGE, { provisioner: 'a/b', allowVolumeExpansion: true }, 'elastic');
  await one.post(STORAGE, { provisioner: 'a/b' }, 'stiff');
  const grow = async (storageClassName: string) => {
    const path = `${CORE}/persistentvolumeclaims/${storageClassName}`;
    await one.claim('1Gi', { storageClassName }, storageClassName);
    const spec = { resources: { requests: { storage: '2Gi' } } };
    const pending = await one.patch(path, { spec });
    await one.patch(`${path}/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
    const bound = await one.patch(path, { spec });
    return [pending.status, bound.status, bound.body.message];
  };
  expect(await grow('elastic')).toEqual([422, 200, undefined]);
  expect(await grow('stiff')).toEqual([
    422,
    403,
    'persistentvolumeclaims "stiff" is forbidden: only dynamically provisioned pvc can be resized ' +
      'and the storageclass that provisions the pvc must support resize',
  ]);
});

import type { ApiObject } from '@kube-informer/apiserver';

const times = <R>(count: number, make: (i: number) => R): R[] => Array.from({ length: count }, (_, i) => make(i));

/** Field owners as a few controllers leave them. */
function managedFields(manager: string): object {
  const leaf = { '.': {}, 'f:name': {}, 'f:value': {} };
  const env = Object.fromEntries(times(8, (i) => [`k:{"name":"VARIABLE_${i}"}`, leaf]));
  const container = {
    '.': {},
    'f:env': { '.': {}, ...env },
    'f:image': {},
    'f:resources': { '.': {}, 'f:limits': {} },
  };
  const fieldsV1 = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:app': {}, 'f:tier': {} }, 'f:ownerReferences': { '.': {} } },
    'f:spec': { 'f:containers': { 'k:{"name":"main"}': container }, 'f:dnsPolicy': {}, 'f:restartPolicy': {} },
  };
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
}

/** Pods as in a real cluster, on twenty nodes: containers with variables, conditions, owners, managed fields. */
export function podsOfACluster(count: number): ApiObject[] {
  return times(count, (i): ApiObject => {
    const env = times(8, (j) => ({ name: `VARIABLE_${j}`, value: `value ${j} of pod ${i}` }));
    const resources = { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } };
    const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }));
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: `team-${i % 50}`,
        name: `shop-7c9d5pmcb-${i}`,
        labels: { app: 'shop', tier: 'front' },
        managedFields: ['kube-controller-manager', 'kubelet'].map(managedFields),
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop-7c9d5pmcb', uid: `uid-${i}`, controller: true },
        ],
      },
      spec: {
        nodeName: `node-${i % 20}`,
        containers: [
          { name: 'main', image: 'registry.test/shop:1.2.3', env, resources, terminationMessagePath: '/dev/log' },
        ],
        restartPolicy: 'Always',
        serviceAccountName: 'shop',
      },
      status: { phase: 'Running', podIP: `10.0.${i >> 8}.${i & 255}`, conditions },
    } as unknown as ApiObject;
  });
}

export interface TestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

/** A pod with most of what its JSON can have: times, quantities, int-or-string, maps, null lists and managed fields. */
export function testPod(name: string, more: object = {}): TestObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'web',
      uid: `uid-${name}`,
      resourceVersion: '7',
      generation: 2 ** 53 - 1,
      creationTimestamp: '2026-01-31T08:05:52Z',
      labels: { app: 'shöp', __proto__x: 'own', empty: '' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }],
      managedFields: [
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-01-31T08:05:52Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:status': { 'f:phase': {}, 'k:{"type":"Ready"}': { '.': {} } } },
        },
      ],
    },
    spec: {
      containers: [
        {
          name: 'main',
          resources: { limits: { cpu: '500m' } },
          livenessProbe: { httpGet: { path: '/', port: 'web' }, initialDelaySeconds: 3 },
          env: [{ name: 'A', value: '1' }],
        },
        { name: 'side', resources: {}, readinessProbe: { tcpSocket: { port: 8080 } } },
      ],
      terminationGracePeriodSeconds: 0,
      nodeName: 'node-1',
      tolerations: [{ key: 'k', tolerationSeconds: -1 }],
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '1969-12-31T23:59:59Z' }],
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: '2026-01-31T08:05:52Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: '',
          imageID: '',
        },
      ],
    },
    ...more,
  };
}

export const POD: { readonly apiVersion: string; readonly kind: string } = { apiVersion: 'v1', kind: 'Pod' };

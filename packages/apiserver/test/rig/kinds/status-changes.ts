import type { JsonObject } from '../../../src/core/json.ts';
import type { History } from './changes.ts';

/** Status changes of controllers, and changes of immutable fields. */

const labels = { app: 'a' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = { spec: { selector: { matchLabels: labels }, template } };
const job = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } };

const history = (apiVersion: string, kind: string, fields: object, ...steps: History['steps'][number][]): History => ({
  sent: { apiVersion, kind, metadata: { name: `status-${kind.toLowerCase()}` }, ...fields },
  steps,
});
const change = (patch: JsonObject): History['steps'][number] => ({ patch });
const status = (value: JsonObject): History['steps'][number] => ({ patch: { status: value }, subresource: 'status' });

const COUNTS: readonly JsonObject[] = [
  { replicas: -1 },
  { replicas: 1, readyReplicas: 2 },
  { replicas: 1, availableReplicas: 2 },
  { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
  { observedGeneration: -1 },
  { replicas: 3, readyReplicas: 2, availableReplicas: 1 },
];
const COLLISIONS: readonly JsonObject[] = [{ collisionCount: -1 }, { collisionCount: 5 }, { collisionCount: 4 }];

const START = '2026-01-01T00:00:00Z';
const END = '2026-01-02T00:00:00Z';
const is = (...types: readonly string[]): JsonObject => ({
  conditions: types.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: null })),
});

export const statusHistories: readonly History[] = [
  history('apps/v1', 'Deployment', workload, ...[...COUNTS, ...COLLISIONS, { replicas: 1, updatedReplicas: 2 },
    { unavailableReplicas: -1 }].map(status)),
  history('apps/v1', 'ReplicaSet', workload, ...[...COUNTS, { replicas: 1, fullyLabeledReplicas: 2 }].map(status)),
  history('apps/v1', 'StatefulSet', workload, ...[...COUNTS, ...COLLISIONS,
    { replicas: 1, updatedReplicas: 2, currentReplicas: 2 }].map(status)),
  history('v1', 'ReplicationController', { spec: { selector: labels, template } }, ...COUNTS.map(status)),
  history('apps/v1', 'DaemonSet', workload, ...[{ currentNumberScheduled: -1 }, { numberReady: 5 },
    { desiredNumberScheduled: -1, numberMisscheduled: -1 }, ...COLLISIONS].map(status)),
  history('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1 } }, ...[{ disruptionsAllowed: -1 },
    { expectedPods: -1, currentHealthy: -1, desiredHealthy: -1 }].map(status)),
  history('batch/v1', 'Job', { spec: { ...job } }, ...[
    is('Complete'),
    { ...is('Complete'), startTime: START },
    { ...is('Complete'), startTime: START, completionTime: END },
    { ...is('Complete', 'SuccessCriteriaMet'), startTime: START, completionTime: END, active: 1 },
    { ...is('Failed'), startTime: START },
    { ...is('Failed', 'FailureTarget'), startTime: START, completionTime: END },
    { active: -1 },
    { active: 1, ready: 2 },
    { succeeded: -1, failed: -1, terminating: -1, ready: -1 },
    { completionTime: START },
    { ...is('Complete', 'SuccessCriteriaMet'), startTime: END, completionTime: START },
    is('Complete', 'Failed'),
    is('SuccessCriteriaMet', 'FailureTarget'),
    { completedIndexes: '0' },
    { failedIndexes: '0' },
    { uncountedTerminatedPods: { succeeded: ['a', 'a'] } },
    { uncountedTerminatedPods: { succeeded: ['a'], failed: ['a', ''] } },
    { startTime: START },
    { startTime: END },
    { startTime: null },
    { ...is('SuccessCriteriaMet', 'Complete'), completionTime: END, succeeded: 1 },
    { conditions: [] },
    { completionTime: '2026-01-03T00:00:00Z' },
    { succeeded: 0 },
    { active: 1 },
  ].map((value) => status(value as JsonObject))),
  history('v1', 'Service', { spec: { ports: [{ port: 80 }], clusterIP: 'None', selector: labels } },
    status({ loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } })),
  history('v1', 'PersistentVolume', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
    change({ spec: { hostPath: { path: '/y' } } }), change({ spec: { volumeMode: 'Block' } }),
    change({ spec: { capacity: { storage: '2Gi' } } }), change({ spec: { hostPath: null, nfs: { server: 'a', path: '/b' } } }),
    change({ spec: { storageClassName: 'x' } })),
  history('v1', 'PersistentVolumeClaim', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    change({ spec: { storageClassName: 'x' } }), change({ spec: { storageClassName: 'y' } }),
    change({ spec: { resources: { requests: { storage: '2Gi' } } } }), change({ spec: { volumeName: 'v' } }),
    change({ spec: { volumeName: 'w' } }), change({ spec: { volumeMode: 'Block' } }),
    change({ spec: { accessModes: ['ReadWriteMany'] } }),
    status({ phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] }),
    change({ spec: { resources: { requests: { storage: '512Mi' } } } })),
  history('node.k8s.io/v1', 'RuntimeClass', { handler: 'x' }, change({ handler: 'y' })),
  history('apps/v1', 'ControllerRevision', { data: { a: 1 }, revision: 1 }, change({ data: { a: 2 } }),
    change({ revision: 2 }), change({ revision: -2 })),
  history('v1', 'Node', { spec: { podCIDR: '10.1.0.0/24', providerID: 'a://b' } },
    change({ spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] } }), change({ spec: { providerID: 'c://d' } }),
    change({ spec: { providerID: null } }), change({ spec: { podCIDR: null, podCIDRs: null } }),
    change({ spec: { unschedulable: true } })),
]; // prettier-ignore

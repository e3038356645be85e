import type { JsonObject } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { statusHistories } from './status-changes.ts';

/** Objects and later changes: each step is a merge patch of the object or of its status. */
export interface History {
  readonly sent: ApiObject;
  readonly steps: readonly { readonly patch: JsonObject; readonly subresource?: 'status' }[];
}

type Fields = Record<string, unknown>;

const labels = { app: 'a' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const otherImage = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'j' }] } };

const history = (apiVersion: string, kind: string, fields: Fields, ...steps: History['steps'][number][]): History => ({
  sent: { apiVersion, kind, metadata: { name: `change-${kind.toLowerCase()}` }, ...fields },
  steps,
});

const change = (patch: JsonObject): History['steps'][number] => ({ patch });
const status = (patch: JsonObject): History['steps'][number] => ({ patch, subresource: 'status' });
const touch = change({ metadata: { labels: { touched: 'yes' } } });
const annotate = change({ metadata: { annotations: { note: 'x' } } });
const metadataByStatus = status({
  metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['example.com/f'] },
});

const otherSelector = change({ spec: { selector: { matchLabels: { app: 'b' } } } });

export const histories: readonly History[] = [
  history('v1', 'ConfigMap', { data: { a: '1' } }, touch, change({ data: { a: '2' } }), change({ immutable: true }),
    change({ data: { a: '3' }, binaryData: { z: 'eA==' }, immutable: false }), annotate),
  history('v1', 'Secret', { stringData: { a: '1' } }, change({ stringData: { b: '2' } }), change({ type: 'example.com/x' }),
    change({ immutable: true }), change({ data: null }), touch),
  history('v1', 'Namespace', {}, change({ spec: { finalizers: [] }, status: { phase: 'Terminating' } }),
    change({ metadata: { labels: { 'kubernetes.io/metadata.name': 'other', a: 'b' } } }), metadataByStatus),
  history('v1', 'Pod', { spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [{ key: 'a', operator: 'Exists' }] } },
    touch, change({ spec: { nodeName: 'x' } }), change({ spec: { activeDeadlineSeconds: 5 } }),
    change({ spec: { activeDeadlineSeconds: 7 } }), change({ spec: { activeDeadlineSeconds: null } }),
    change({ spec: { tolerations: [] } }),
    change({ spec: { tolerations: [{ key: 'a', operator: 'Exists' }, { key: 'b', operator: 'Exists' }] } }),
    change({ spec: { containers: [{ name: 'c', image: 'j' }] } }), change({ spec: { containers: [{ name: 'c', image: '' }] } }),
    change({ spec: { containers: [{ name: 'c', image: 'j' }, { name: 'd', image: 'k' }] } }),
    change({ status: { phase: 'Failed' } }), status({ status: { phase: 'Running' }, spec: { nodeName: 'zz' } }),
    status({ metadata: { labels: { a: 'b' }, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'y' }] } }),
    status({ status: { qosClass: null } })),
  history('apps/v1', 'Deployment', { spec: { selector, template } }, touch, annotate, change({ spec: { replicas: 3 } }),
    otherSelector, change({ spec: { template: otherImage } }), change({ spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
    status({ status: { replicas: 3 }, spec: { replicas: 9 } }), metadataByStatus),
  history('apps/v1', 'ReplicaSet', { spec: { selector, template } }, annotate, change({ spec: { replicas: 0 } }), otherSelector,
    status({ status: { replicas: 1, readyReplicas: 0 } }), metadataByStatus),
  history('apps/v1', 'DaemonSet', { spec: { selector, template } }, annotate, change({ spec: { minReadySeconds: 3 } }),
    change({ spec: { template: otherImage } }), otherSelector, status({ status: { numberReady: 1 } }), metadataByStatus),
  history('apps/v1', 'StatefulSet', { spec: { selector, template } }, change({ spec: { replicas: 2 } }),
    change({ spec: { serviceName: 'x' } }), change({ spec: { template: otherImage } }), otherSelector, metadataByStatus),
  history('v1', 'ReplicationController', { spec: { template } }, change({ spec: { replicas: 2 } }), metadataByStatus),
  history('batch/v1', 'Job', { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } },
    touch, change({ spec: { parallelism: 4 } }), change({ spec: { completions: 3 } }), change({ spec: { suspend: true } }),
    change({ spec: { completionMode: 'Indexed' } }), status({ status: { active: 1 } })),
  history('batch/v1', 'CronJob', { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } } } },
    change({ spec: { suspend: true } }), touch, change({ spec: { schedule: '' } }), metadataByStatus),
  history('v1', 'Service', { spec: { ports: [{ port: 80 }] } }, touch, change({ spec: { clusterIP: null, clusterIPs: null } }),
    change({ spec: { clusterIP: '10.0.0.99', clusterIPs: ['10.0.0.99'] } }), change({ spec: { ports: [{ port: 81 }] } }),
    change({ spec: { type: 'NodePort', ports: [{ port: 81, nodePort: 30600 }] } }), change({ spec: { ports: [{ port: 82 }] } }),
    change({ spec: { type: 'LoadBalancer' } }), status({ status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } } }),
    change({ spec: { type: 'ClusterIP' } }), change({ spec: { type: 'ExternalName', externalName: 'a.b' } }),
    change({ spec: { type: 'ClusterIP', externalName: null } }), metadataByStatus),
  history('v1', 'PersistentVolumeClaim', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    touch, change({ spec: { accessModes: ['ReadWriteMany'] } }), status({ status: { phase: 'Bound', capacity: { storage: '1024Mi' } } })),
  history('v1', 'PersistentVolume', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
    change({ spec: { persistentVolumeReclaimPolicy: 'Delete' } }), status({ status: { phase: 'Available' } }),
    status({ status: { message: 'm', lastPhaseTransitionTime: null } })),
  history('v1', 'Node', {}, change({ spec: { unschedulable: true } }), change({ status: { capacity: { cpu: '1' } } }),
    status({ status: { capacity: { cpu: '2000m' } }, spec: { unschedulable: false } }), metadataByStatus),
  history('networking.k8s.io/v1', 'Ingress', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    annotate, change({ spec: { ingressClassName: 'c' } }), status({ status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } } }), metadataByStatus),
  history('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }, annotate, change({ spec: { egress: [{}] } })),
  history('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, selector } }, change({ spec: { minAvailable: 2 } }),
    status({ status: { currentHealthy: 3, observedGeneration: 2 } }), metadataByStatus),
  history('autoscaling/v2', 'HorizontalPodAutoscaler', { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } } },
    change({ spec: { maxReplicas: 4 } }), change({ spec: { minReplicas: 9 } }), status({ status: { desiredReplicas: 2, currentMetrics: [] } }), metadataByStatus),
  history('rbac.authorization.k8s.io/v1', 'RoleBinding', { roleRef: { kind: 'Role', name: 'r' } }, change({ subjects: [{ kind: 'User', name: 'u' }] }),
    change({ roleRef: { name: 'z' } })),
  history('coordination.k8s.io/v1', 'Lease', {}, change({ spec: { holderIdentity: 'h', leaseDurationSeconds: 3 } }), change({ spec: { leaseDurationSeconds: -1 } })),
  history('v1', 'Event', { involvedObject: { namespace: 'default' }, message: 'm' }, change({ message: 'n', count: 2 })),
  history('storage.k8s.io/v1', 'StorageClass', { provisioner: 'a.b/c' }, touch, change({ provisioner: 'z', reclaimPolicy: 'Retain' }), change({ allowVolumeExpansion: true })),
  history('storage.k8s.io/v1', 'CSIDriver', { spec: {} }, touch, change({ spec: { requiresRepublish: true } })),
  history('storage.k8s.io/v1', 'VolumeAttachment', { spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    status({ status: { attached: true } }), metadataByStatus),
  history('scheduling.k8s.io/v1', 'PriorityClass', { value: 7 }, change({ description: 'd' }), change({ value: 8 })),
  history('discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }] }, touch,
    change({ endpoints: [] }), change({ addressType: 'IPv6' })),
  history('resource.k8s.io/v1', 'DeviceClass', { spec: {} }, annotate, change({ spec: { selectors: [{ cel: { expression: 'true' } }] } })),
  ...statusHistories,
]; // prettier-ignore

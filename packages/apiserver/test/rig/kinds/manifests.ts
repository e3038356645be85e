import type { ApiObject } from '../../../src/core/kube-object.ts';

/** Manifests of users: minimal ones, and ones whose defaults depend on other fields. */

type Fields = Record<string, unknown>;

const named = (apiVersion: string, kind: string, name: string, fields: Fields = {}): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...fields,
});

const container = (fields: Fields = {}): Fields => ({ name: 'c', image: 'nginx', ...fields });
const podSpec = (fields: Fields = {}): Fields => ({ containers: [container()], ...fields });
const labels = { app: 'a' };
const template = (spec: Fields = podSpec()): Fields => ({ metadata: { labels }, spec });
const selector = { matchLabels: labels };
const jobTemplate = template(podSpec({ restartPolicy: 'Never' }));

const pods: ApiObject[] = [
  named('v1', 'Pod', 'minimal', { spec: podSpec() }),
  named('v1', 'Pod', 'tagged-images', {
    spec: podSpec({
      containers: [
        container({ name: 'a', image: 'nginx:1.2' }),
        container({ name: 'b', image: 'registry:5000/nginx' }),
        container({ name: 'd', image: 'nginx:latest' }),
        container({
          name: 'e',
          image: 'nginx@sha256:6a59f1cbb8d28ac484176d52c473494859a512ddba3ea62a547258cf16c9b3ae',
        }),
      ],
    }),
  }),
  named('v1', 'Pod', 'probes', {
    spec: podSpec({
      serviceAccountName: 'robot',
      hostNetwork: true,
      initContainers: [container({ name: 'i', resources: { limits: { memory: '1Gi' } } })],
      containers: [
        container({
          ports: [{ containerPort: 80 }],
          livenessProbe: { httpGet: { port: 80 } },
          readinessProbe: { grpc: { port: 5000 }, periodSeconds: 3 },
          startupProbe: { tcpSocket: { port: 'http' } },
          lifecycle: { preStop: { httpGet: { port: 80, path: '/bye' } } },
          env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, { name: 'EMPTY' }],
          resources: { requests: { cpu: '0.5' }, limits: { cpu: '1000m', memory: '1024Mi' } },
        }),
      ],
    }),
  }),
  named('v1', 'Pod', 'volumes', {
    spec: podSpec({
      serviceAccountName: 'robot',
      volumes: [
        { name: 'none' },
        { name: 'secret', secret: { secretName: 's' } },
        { name: 'config', configMap: { name: 'c' } },
        { name: 'down', downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { name: 'host', hostPath: { path: '/x' } },
        { name: 'image', image: { reference: 'nginx' } },
        {
          name: 'claim',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
        { name: 'iscsi', iscsi: { targetPortal: '127.0.0.1', iqn: 'iqn.2015-02.example.com:test', lun: 0 } },
        { name: 'azure', azureDisk: { diskName: 'd', diskURI: 'https://blob/x.vhd' } },
        { name: 'rbd', rbd: { monitors: ['m'], image: 'i' } },
        { name: 'scale', scaleIO: { gateway: 'g', system: 's', secretRef: { name: 's' }, volumeName: 'v' } },
        {
          name: 'projected',
          projected: {
            sources: [
              { serviceAccountToken: { path: 'token' } },
              { configMap: { name: 'c' } },
              { downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }] } },
            ],
          },
        },
      ],
    }),
  }),
  named('v1', 'Pod', 'guaranteed', {
    spec: podSpec({ containers: [container({ resources: { limits: { cpu: '1', memory: '1Gi' } } })] }),
  }),
  named('v1', 'Pod', 'gated', {
    spec: podSpec({
      schedulingGates: [{ name: 'example.com/wait' }],
      tolerations: [{ operator: 'Exists' }],
      nodeName: '',
      restartPolicy: 'OnFailure',
    }),
  }),
  named('v1', 'Pod', 'quantities', {
    spec: podSpec({
      containers: [
        container({
          resources: {
            requests: { cpu: '0.1', memory: '1.5Gi', 'ephemeral-storage': '1000000' },
            limits: { cpu: '1.0', memory: '2048Mi', 'ephemeral-storage': '1e6' },
          },
        }),
      ],
    }),
  }),
  named('v1', 'Pod', 'spread', {
    spec: podSpec({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
      ],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
      ],
    }),
  }),
];

const workloads: ApiObject[] = [
  named('apps/v1', 'Deployment', 'minimal', { spec: { selector, template: template() } }),
  named('apps/v1', 'Deployment', 'recreate', {
    spec: { replicas: 0, selector, strategy: { type: 'Recreate' }, template: template() },
  }),
  named('apps/v1', 'Deployment', 'surge', {
    spec: {
      selector,
      strategy: { rollingUpdate: { maxSurge: 2 } },
      template: template(
        podSpec({
          serviceAccountName: 'robot',
          hostNetwork: true,
          containers: [container({ ports: [{ containerPort: 80 }], resources: { limits: { cpu: '1' } } })],
        }),
      ),
    },
  }),
  named('apps/v1', 'ReplicaSet', 'minimal', { spec: { selector, template: template() } }),
  named('apps/v1', 'DaemonSet', 'minimal', { spec: { selector, template: template() } }),
  named('apps/v1', 'DaemonSet', 'on-delete', {
    spec: { selector, updateStrategy: { type: 'OnDelete' }, template: template() },
  }),
  named('apps/v1', 'StatefulSet', 'minimal', { spec: { serviceName: 's', selector, template: template() } }),
  named('apps/v1', 'StatefulSet', 'claims', {
    spec: {
      selector,
      updateStrategy: { type: 'OnDelete' },
      template: template(),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  named('apps/v1', 'ControllerRevision', 'minimal', { revision: 1, data: { a: 1 } }),
  named('v1', 'ReplicationController', 'minimal', { spec: { template: template() } }),
  named('v1', 'ReplicationController', 'selector', { spec: { replicas: 2, selector: labels, template: template() } }),
  named('v1', 'PodTemplate', 'minimal', { template: template() }),
  named('batch/v1', 'Job', 'minimal', { spec: { template: { spec: podSpec({ restartPolicy: 'Never' }) } } }),
  named('batch/v1', 'Job', 'labelled', {
    spec: { parallelism: 3, backoffLimitPerIndex: 1, completions: 3, completionMode: 'Indexed', template: jobTemplate },
  }),
  named('batch/v1', 'Job', 'policy', {
    spec: {
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
      template: jobTemplate,
    },
  }),
  named('batch/v1', 'Job', 'manual', { spec: { manualSelector: true, selector, template: jobTemplate } }),
  named('batch/v1', 'CronJob', 'minimal', {
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } },
  }),
  named('autoscaling/v2', 'HorizontalPodAutoscaler', 'minimal', {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  }),
  named('autoscaling/v2', 'HorizontalPodAutoscaler', 'behaviour', {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      metrics: [
        { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '100' } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 60 }, scaleUp: {} },
    },
  }),
  named('autoscaling/v1', 'HorizontalPodAutoscaler', 'old-form', {
    spec: {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 50,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    },
  }),
  named('autoscaling/v1', 'HorizontalPodAutoscaler', 'old-minimal', {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  }),
  named('policy/v1', 'PodDisruptionBudget', 'minimal', { spec: { minAvailable: 1, selector } }),
  named('policy/v1', 'PodDisruptionBudget', 'percent', { spec: { maxUnavailable: '50%', selector } }),
];

const network: ApiObject[] = [
  named('v1', 'Service', 'minimal', { spec: { ports: [{ port: 80 }] } }),
  named('v1', 'Service', 'named-ports', {
    spec: {
      selector: labels,
      ports: [
        { name: 'a', port: 80, targetPort: 'http' },
        { name: 'b', port: 53, protocol: 'UDP' },
      ],
    },
  }),
  named('v1', 'Service', 'wanted', { spec: { clusterIP: '10.0.0.77', ports: [{ port: 80 }] } }),
  named('v1', 'Service', 'headless', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }),
  named('v1', 'Service', 'headless-selector', { spec: { clusterIP: 'None', selector: labels } }),
  named('v1', 'Service', 'external-name', { spec: { type: 'ExternalName', externalName: 'example.com' } }),
  named('v1', 'Service', 'node-port', {
    spec: { type: 'NodePort', sessionAffinity: 'ClientIP', ports: [{ port: 80, nodePort: 30080 }] },
  }),
  named('v1', 'Service', 'load-balancer', {
    spec: { type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30081 }] },
  }),
  named('v1', 'Service', 'load-balancer-local', {
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30082,
      ports: [{ port: 80, nodePort: 30083 }],
    },
  }),
  named('v1', 'Service', 'external-ips', { spec: { externalIPs: ['192.0.2.1'], ports: [{ port: 80 }] } }),
  named('v1', 'Endpoints', 'minimal', { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] }),
  named('v1', 'Endpoints', 'empty'),
  named('discovery.k8s.io/v1', 'EndpointSlice', 'minimal', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [{ port: 80 }],
  }),
  named('networking.k8s.io/v1', 'Ingress', 'minimal', {
    spec: {
      rules: [
        {
          host: 'a.example.com',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  named('networking.k8s.io/v1', 'IngressClass', 'minimal', {
    spec: { controller: 'example.com/c', parameters: { apiGroup: 'example.com', kind: 'P', name: 'p' } },
  }),
  named('networking.k8s.io/v1', 'NetworkPolicy', 'minimal', { spec: { podSelector: {} } }),
  named('networking.k8s.io/v1', 'NetworkPolicy', 'egress', {
    spec: { podSelector: selector, ingress: [{ ports: [{ port: 80 }] }], egress: [{ to: [{ podSelector: {} }] }] },
  }),
  named('networking.k8s.io/v1', 'IPAddress', '10.1.2.3', {
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 's' } },
  }),
  named('networking.k8s.io/v1', 'ServiceCIDR', 'minimal', { spec: { cidrs: ['10.99.0.0/24'] } }),
];

const core: ApiObject[] = [
  named('v1', 'Namespace', 'minimal'),
  named('v1', 'Namespace', 'labelled', {
    metadata: { name: 'labelled', labels: { a: 'b' } },
    spec: { finalizers: ['example.com/x'] },
  }),
  named('v1', 'ConfigMap', 'minimal'),
  named('v1', 'ConfigMap', 'data', { data: { k: 'v' }, binaryData: { b: 'AAE=' }, immutable: true }),
  named('v1', 'Secret', 'minimal'),
  named('v1', 'Secret', 'string-data', { stringData: { a: 'ä', b: 'over' }, data: { b: 'dW5kZXI=', d: 'ZA==' } }),
  named('v1', 'Secret', 'typed', { type: 'kubernetes.io/basic-auth', stringData: { username: 'u' } }),
  named('v1', 'ServiceAccount', 'minimal'),
  named('v1', 'Node', 'minimal'),
  named('v1', 'Node', 'with-status', {
    spec: { podCIDR: '10.1.0.0/24' },
    status: { capacity: { cpu: '4', memory: '8Gi' } },
  }),
  named('v1', 'PersistentVolume', 'minimal', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  }),
  named('v1', 'PersistentVolume', 'csi', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      csi: { driver: 'd.example.com', volumeHandle: 'v' },
    },
  }),
  named('v1', 'PersistentVolumeClaim', 'minimal', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  named('v1', 'PersistentVolumeClaim', 'source', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '1024Mi' } },
      dataSource: { kind: 'PersistentVolumeClaim', name: 'p' },
    },
  }),
  named('v1', 'Event', 'minimal', {
    involvedObject: { namespace: 'default', name: 'p', kind: 'Pod' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
  }),
  named('v1', 'Event', 'full', {
    involvedObject: { namespace: 'default', name: 'p', kind: 'Pod', apiVersion: 'v1' },
    reason: 'R',
    message: 'm',
    type: 'Warning',
    count: 2,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:01Z',
    source: { component: 'c', host: 'h' },
  }),
  named('events.k8s.io/v1', 'Event', 'new-form', {
    regarding: { namespace: 'default', name: 'p', kind: 'Pod' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reason: 'R',
    note: 'm',
    type: 'Normal',
    action: 'A',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
  }),
  named('coordination.k8s.io/v1', 'Lease', 'minimal'),
  named('coordination.k8s.io/v1', 'Lease', 'held', {
    spec: { holderIdentity: 'h', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
  }),
];

const roleRef = { kind: 'Role', name: 'r' };
const access: ApiObject[] = [
  named('rbac.authorization.k8s.io/v1', 'Role', 'minimal', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  }),
  named('rbac.authorization.k8s.io/v1', 'Role', 'empty'),
  named('rbac.authorization.k8s.io/v1', 'ClusterRole', 'minimal', {
    rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
  }),
  named('rbac.authorization.k8s.io/v1', 'ClusterRole', 'aggregated', {
    aggregationRule: { clusterRoleSelectors: [selector] },
  }),
  named('rbac.authorization.k8s.io/v1', 'RoleBinding', 'minimal', {
    roleRef,
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: 'default' },
    ],
  }),
  named('rbac.authorization.k8s.io/v1', 'RoleBinding', 'empty', { roleRef }),
  named('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'minimal', {
    roleRef: { kind: 'ClusterRole', name: 'r' },
    subjects: [{ kind: 'User', name: 'u' }],
  }),
];

const clientConfig = { service: { namespace: 'default', name: 's' } };
/** Webhooks for a group that does not exist, so that the server never calls them. */
const webhook = {
  name: 'w.example.com',
  clientConfig,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['pods'] }],
};
const policyRules = {
  resourceRules: [
    { operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['pods'] },
  ],
};
const others: ApiObject[] = [
  named('storage.k8s.io/v1', 'StorageClass', 'minimal', { provisioner: 'example.com/p' }),
  named('storage.k8s.io/v1', 'CSIDriver', 'minimal.example.com', { spec: {} }),
  named('storage.k8s.io/v1', 'CSINode', 'minimal', { spec: { drivers: [] } }),
  named('storage.k8s.io/v1', 'VolumeAttachment', 'minimal', {
    spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } },
  }),
  named('storage.k8s.io/v1', 'CSIStorageCapacity', 'minimal', { storageClassName: 'fast' }),
  named('storage.k8s.io/v1', 'VolumeAttributesClass', 'minimal', {
    driverName: 'd.example.com',
    parameters: { a: 'b' },
  }),
  named('scheduling.k8s.io/v1', 'PriorityClass', 'minimal', { value: 7 }),
  named('scheduling.k8s.io/v1', 'PriorityClass', 'zero', { value: 0, globalDefault: false }),
  named('node.k8s.io/v1', 'RuntimeClass', 'minimal', { handler: 'h' }),
  named('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'minimal', { webhooks: [webhook] }),
  named('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'minimal', {
    webhooks: [{ ...webhook, clientConfig: { url: 'https://example.com/x' } }],
  }),
  named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'minimal', {
    spec: { matchConstraints: policyRules, validations: [{ expression: 'true' }] },
  }),
  named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'minimal', {
    spec: {
      policyName: 'minimal',
      validationActions: ['Deny'],
      matchResources: { resourceRules: policyRules.resourceRules },
    },
  }),
  named('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicy', 'minimal', {
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: policyRules,
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  }),
  named('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicyBinding', 'minimal', {
    spec: { policyName: 'minimal' },
  }),
  named('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'minimal', {
    spec: {
      priorityLevelConfiguration: { name: 'global-default' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
        },
      ],
    },
  }),
  named('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', 'minimal', {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  }),
  named('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', 'queuing', {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  }),
  named('resource.k8s.io/v1', 'DeviceClass', 'minimal', { spec: {} }),
  named('resource.k8s.io/v1', 'ResourceClaim', 'minimal', {
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'minimal' } }] } },
  }),
  named('resource.k8s.io/v1', 'ResourceClaimTemplate', 'minimal', {
    spec: {
      spec: { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'minimal' }] }] } },
    },
  }),
  named('resource.k8s.io/v1', 'ResourceSlice', 'minimal', {
    spec: {
      driver: 'd.example.com',
      nodeName: 'n',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd' }],
    },
  }),
  named('apiregistration.k8s.io/v1', 'APIService', 'v9.example.org', {
    spec: {
      group: 'example.org',
      version: 'v9',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: 'default', name: 's' },
      insecureSkipTLSVerify: true,
    },
  }),
];

/** Limits of pods, applied last because they change later pods. */
const limits: ApiObject[] = [
  named('v1', 'ResourceQuota', 'minimal', { spec: { hard: { pods: '10', 'requests.cpu': '1000m' } } }),
  named('v1', 'LimitRange', 'minimal', {
    spec: {
      limits: [
        { type: 'Container', max: { cpu: '2' }, min: { memory: '10Mi' } },
        { type: 'Pod', max: { cpu: '4' } },
      ],
    },
  }),
];

export const manifests: readonly ApiObject[] = [
  ...core,
  ...pods,
  ...workloads,
  ...network,
  ...access,
  ...others,
  ...limits,
];

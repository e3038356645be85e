/** The files the commands name. `$v` and `$ns` are filled in before they are written. */
export const FILES: Readonly<Record<string, string>> = {
  ...kinds(),
  'deployment.yaml': deployment({ replicas: 2, image: 'app:1' }),
  'deployment-changed.yaml': deployment({
    replicas: 3,
    image: 'app:2',
    more: '\n        env: [{ name: MODE, value: fast }]',
  }),
  'deployment-fresh.yaml': deployment({ replicas: 1, image: 'app:1' }).replace('name: app\n', 'name: fresh\n'),
  'replicasets.yaml': list(replicaSet(1), replicaSet(2)),
  'configmap.yaml': configMap('applied', { a: '1', b: '2' }),
  'configmap-less.yaml': configMap('applied', { a: '1' }),
  'configmap-missing.yaml': configMap('missing', { a: '1' }),
  'configmap-stale.yaml': configMap('applied', { a: '1' }).replace('name:', 'resourceVersion: "1"\n  name:'),
  'finalized.yaml': configMap('held', {}).replace('name:', 'finalizers: [example.com/hold]\n  name:'),
  'generated.yaml': configMap('', {}).replace('name: ""', 'generateName: made-'),
  'bad-name.yaml': configMap('Bad_Name', {}),
  'pruned.yaml': list(pruned('kept'), pruned('dropped')),
  'pruned-less.yaml': list(pruned('kept')),
  'patch.json': '{"a":1}\n',
  'broken.yaml': 'apiVersion: v1\nkind: [\n',
  'kindless.yaml': 'apiVersion: v1\nmetadata: { name: x }\n',
  'unknown-kind.yaml': 'apiVersion: example.com/v1\nkind: Nothing\nmetadata: { name: x }\n',
  'unknown-field.yaml': `apiVersion: v1
kind: Service
metadata: { name: unknown-field, colour: red }
spec: { ports: [{ port: 80, speed: 9 }], size: 3 }
`,
  'twice.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: twice }\ndata: { a: "1" }\ndata: { b: "1" }\n',
  'one-unknown-field.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: unknown }\ncolour: red\n',
  'wrong-type.yaml':
    'apiVersion: v1\nkind: Service\nmetadata: { name: wrong-type }\nspec: { ports: [{ port: http }] }\n',
  'bad-pod.yaml': `apiVersion: v1
kind: Pod
metadata: { name: bad, labels: { "-x": "y!" } }
spec:
  restartPolicy: Sometimes
  containers:
  - { name: A_B, image: "", ports: [{ containerPort: 70000 }], volumeMounts: [{ name: absent, mountPath: "" }] }
  - { name: c, image: c, resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }
`,
  'bad-deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: { name: bad }
spec:
  replicas: -1
  selector: { matchLabels: { app: a } }
  template:
    metadata: { labels: { app: b } }
    spec: { containers: [] }
`,
  'bad-service.yaml': `apiVersion: v1
kind: Service
metadata: { name: bad }
spec: { type: Wrong, ports: [{ port: 0 }, { port: 80 }] }
`,
  'reconcile.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: $ns }
rules:
- { apiGroups: [""], resources: [pods, services, endpoints], verbs: [get, list] }
`,
  'service-set.yaml': service(80),
  'service-changed.yaml': service(81),
  'many.yaml': list(
    ...[
      ['web-1', 'web', 'front', 'node-1'],
      ['web-2', 'web', 'back', 'node-2'],
      ['db-1', 'db', 'back', ''],
    ].map(([name, app, tier, node]) => smallPod({ name, app, tier, node } as SmallPod)),
    'apiVersion: v1\nkind: Service\nmetadata: { name: web, labels: { scene: $v-get } }\nspec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] }\n',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, labels: { scene: $v-get } }\ndata: { a: "1" }\nbinaryData: { b: AAEC }\n',
    'apiVersion: v1\nkind: Secret\nmetadata: { name: hidden }\ntype: Opaque\nstringData: { a: "1" }\n',
  ),
  'running.yaml': running(),
  'events.yaml': list(
    event('first', 'Normal', 'Scheduled', '2026-01-01T00:00:00Z', 1),
    event('second', 'Warning', 'BackOff', '2026-01-02T00:00:00Z', 7),
  ),
  'node.yaml':
    'apiVersion: v1\nkind: Node\nmetadata: { name: $ns-node, labels: { node-role.kubernetes.io/worker: "" } }\nspec: { podCIDR: 10.1.0.0/24 }\n',
  'definition.yaml': definition('widgets', 'Widget', 'wg'),
  'definition-gadgets.yaml': definition('gadgets', 'Gadget', 'gd'),
  'gadget.yaml': gadget('{ size: 1, colour: red, parts: [{ name: a, count: 1 }] }'),
  'gadget-changed.yaml': gadget('{ size: 2, parts: [{ name: a, count: 2 }, { name: b }] }'),
  'gadget-bad.yaml': gadget('{ size: big, colour: mauve }'),
  'gadget-unknown.yaml': gadget('{ size: 3, wings: 2 }').replace('name: one', 'name: two'),
};

interface DeploymentShape {
  readonly replicas: number;
  readonly image: string;
  readonly more?: string;
}

function deployment({ replicas, image, more = '' }: DeploymentShape): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app
  labels: { app: app }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: app } }
  template:
    metadata: { labels: { app: app } }
    spec:
      containers:
      - name: app
        image: ${image}
        ports: [{ containerPort: 8080 }]${more}
`;
}

/** An object that a controller would make for the deployment. */
function replicaSet(revision: number): string {
  return `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: app-${revision}
  labels: { app: app }
  annotations: { deployment.kubernetes.io/revision: "${revision}", kubernetes.io/change-cause: change ${revision} }
spec:
  replicas: 0
  selector: { matchLabels: { app: app, hash: h${revision} } }
  template:
    metadata: { labels: { app: app, hash: h${revision} } }
    spec: { containers: [{ name: app, image: "app:${revision}" }] }
`;
}

function configMap(name: string, data: Readonly<Record<string, string>>): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name === '' ? '""' : name}\ndata: ${JSON.stringify(data)}\n`;
}

function pruned(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: { prune: "yes" } }\n`;
}

function service(port: number): string {
  return `apiVersion: v1
kind: Service
metadata: { name: set, labels: { app: app } }
spec:
  selector: { app: app }
  ports: [{ name: http, port: ${port}, targetPort: 8080 }, { name: dns, port: 53, protocol: UDP }]
`;
}

interface SmallPod {
  readonly name: string;
  readonly app: string;
  readonly tier: string;
  readonly node: string;
}

function smallPod({ name, app, tier, node }: SmallPod): string {
  return `apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${app}, tier: ${tier}, scene: $v-get } }
spec: { containers: [{ name: main, image: "${app}:1" }]${node === '' ? '' : `, nodeName: ${node}, terminationGracePeriodSeconds: 0`} }
`;
}

function running(): string {
  return `apiVersion: v1
kind: Pod
metadata: { name: running, labels: { app: app }, annotations: { note: a note } }
spec:
  nodeName: $ns-node
  serviceAccountName: robot
  nodeSelector: { disk: ssd }
  tolerations: [{ key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60 }]
  initContainers: [{ name: before, image: "before:1", command: [sh, -c, "true"] }]
  containers:
  - name: main
    image: main:1
    args: [a, b]
    ports: [{ name: http, containerPort: 80 }]
    env:
    - { name: PLAIN, value: x }
    - { name: FROM_FIELD, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
    - { name: FROM_SECRET, valueFrom: { secretKeyRef: { name: s, key: k, optional: true } } }
    envFrom: [{ configMapRef: { name: c } }]
    resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { memory: 128Mi } }
    livenessProbe: { httpGet: { path: /live, port: http }, periodSeconds: 5 }
    readinessProbe: { exec: { command: [ready] } }
    volumeMounts: [{ name: data, mountPath: /data, readOnly: true }, { name: config, mountPath: /config }]
  - { name: side, image: "side:1" }
  volumes:
  - { name: data, emptyDir: {} }
  - { name: config, configMap: { name: c } }
  - { name: secret, secret: { secretName: s, optional: true } }
  - { name: claim, persistentVolumeClaim: { claimName: p } }
  - { name: token, projected: { sources: [{ serviceAccountToken: { path: token, expirationSeconds: 3600 } }, { downwardAPI: { items: [{ path: name, fieldRef: { fieldPath: metadata.namespace } }] } }] } }
`;
}

function event(name: string, type: string, reason: string, time: string, count: number): string {
  return `apiVersion: v1
kind: Event
metadata: { name: ${name} }
type: ${type}
reason: ${reason}
message: ${reason} it is
count: ${count}
firstTimestamp: "${time}"
lastTimestamp: "${time}"
source: { component: tester }
involvedObject: { apiVersion: v1, kind: Pod, name: running, namespace: $ns }
`;
}

function definition(plural: string, kind: string, short: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.$v.example.com }
spec:
  group: $v.example.com
  scope: Namespaced
  names: { plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind}, shortNames: [${short}], categories: [things] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {}, scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas } }
    additionalPrinterColumns:
    - { name: Size, type: integer, jsonPath: .spec.size, description: How big it is }
    - { name: Colour, type: string, jsonPath: .spec.colour, priority: 1 }
    - { name: Age, type: date, jsonPath: .metadata.creationTimestamp }
    schema:
      openAPIV3Schema:
        type: object
        description: A thing for tests.
        required: [spec]
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [size]
            properties:
              size: { type: integer, minimum: 0, maximum: 100, description: How big it is. }
              colour: { type: string, enum: [red, green], default: green }
              replicas: { type: integer, default: 1 }
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: { name: { type: string }, count: { type: integer, default: 1 } }
          status:
            type: object
            properties: { replicas: { type: integer } }
`;
}

function gadget(spec: string): string {
  return `apiVersion: $v.example.com/v1\nkind: Gadget\nmetadata: { name: one }\nspec: ${spec}\n`;
}

function list(...documents: readonly string[]): string {
  return documents.join('---\n');
}

/** One of each kind people write by hand. */
function kinds(): Record<string, string> {
  const pod = '{ containers: [{ name: main, image: "main:1" }] }';
  const template = `{ metadata: { labels: { app: x } }, spec: ${pod} }`;
  const of: Record<string, string> = {
    pod: `apiVersion: v1\nkind: Pod\nmetadata: { name: simple }\nspec: ${pod}`,
    'pod-full': running().replace('name: running', 'name: full').replace('nodeName: $ns-node', 'nodeName: nowhere'),
    configmap: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\ndata: { a: "two\\nlines" }',
    secret: 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\ndata: { a: MQ== }',
    service:
      'apiVersion: v1\nkind: Service\nmetadata: { name: s }\nspec: { selector: { app: x }, ports: [{ port: 80 }] }',
    'service-headless':
      'apiVersion: v1\nkind: Service\nmetadata: { name: headless }\nspec: { clusterIP: None, selector: { app: x }, ports: [{ port: 80 }] }',
    'service-outside':
      'apiVersion: v1\nkind: Service\nmetadata: { name: outside }\nspec: { type: LoadBalancer, externalTrafficPolicy: Local, selector: { app: x }, ports: [{ port: 80 }] }',
    endpoints:
      'apiVersion: v1\nkind: Endpoints\nmetadata: { name: e }\nsubsets: [{ addresses: [{ ip: 10.1.1.1 }], ports: [{ port: 80 }] }]',
    endpointslice:
      'apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: { name: es }\naddressType: IPv4\nendpoints: [{ addresses: [10.1.1.1], conditions: { ready: true } }]\nports: [{ name: http, port: 80 }]',
    serviceaccount: 'apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: robot }',
    replicationcontroller: `apiVersion: v1\nkind: ReplicationController\nmetadata: { name: rc }\nspec: { replicas: 1, selector: { app: x }, template: ${template} }`,
    limitrange:
      'apiVersion: v1\nkind: LimitRange\nmetadata: { name: lr }\nspec: { limits: [{ type: PersistentVolumeClaim, max: { storage: 2Gi } }] }',
    resourcequota: 'apiVersion: v1\nkind: ResourceQuota\nmetadata: { name: q }\nspec: { hard: { secrets: "90" } }',
    persistentvolume:
      'apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: $v-pv }\nspec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteOnce], hostPath: { path: /x } }',
    persistentvolumeclaim:
      'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: pvc }\nspec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }',
    deployment: deployment({ replicas: 2, image: 'app:1' }),
    replicaset: `apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: { name: rs }\nspec: { selector: { matchLabels: { app: x } }, template: ${template} }`,
    statefulset: `apiVersion: apps/v1\nkind: StatefulSet\nmetadata: { name: db }\nspec: { serviceName: db, selector: { matchLabels: { app: x } }, template: ${template}, volumeClaimTemplates: [{ metadata: { name: data }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } }] }`,
    daemonset: `apiVersion: apps/v1\nkind: DaemonSet\nmetadata: { name: agent }\nspec: { selector: { matchLabels: { app: x } }, template: ${template} }`,
    job: 'apiVersion: batch/v1\nkind: Job\nmetadata: { name: once }\nspec: { template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "main:1" }] } } }',
    cronjob:
      'apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: often }\nspec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "main:1" }] } } } } }',
    ingress:
      'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: { name: front }\nspec: { rules: [{ host: example.com, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: s, port: { number: 80 } } } }] } }] }',
    ingressclass:
      'apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: { name: $v-class }\nspec: { controller: example.com/x }',
    networkpolicy:
      'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: np }\nspec: { podSelector: { matchLabels: { app: x } }, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] }',
    pdb: 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: keep }\nspec: { minAvailable: 50%, selector: { matchLabels: { app: x } } }',
    hpa: 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: hpa }\nspec: { maxReplicas: 3, scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: app }, metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 50 } } }] }',
    role: 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: { name: r }\nrules: [{ apiGroups: [""], resources: [pods], verbs: [get] }]',
    rolebinding:
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: { name: rb }\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: r }\nsubjects: [{ kind: ServiceAccount, name: robot }]',
    storageclass:
      'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: { name: $v-fast }\nprovisioner: example.com/x\nallowVolumeExpansion: true',
    priorityclass:
      'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: $v-important }\nvalue: 10\ndescription: matters',
    lease:
      'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: { name: lease }\nspec: { holderIdentity: me, leaseDurationSeconds: 15 }',
    csidriver: 'apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: { name: $v.example.com }\nspec: {}',
    runtimeclass: 'apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: { name: $v-runtime }\nhandler: runc',
    namespace: 'apiVersion: v1\nkind: Namespace\nmetadata: { name: $ns-made, labels: { made: "yes" } }',
    event:
      'apiVersion: v1\nkind: Event\nmetadata: { name: ev }\nreason: Tested\nmessage: it happened\ntype: Normal\ninvolvedObject: { kind: Pod, name: simple, namespace: $ns }',
    controllerrevision:
      'apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: { name: cr }\nrevision: 3\ndata: { spec: { a: 1 } }',
    webhook:
      'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: { name: $v-hooks }\nwebhooks: [{ name: a.example.com, clientConfig: { url: "https://127.0.0.1:1/x" }, sideEffects: None, admissionReviewVersions: [v1], rules: [{ apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [nones] }] }]',
  };
  return Object.fromEntries(Object.entries(of).map(([name, text]) => [`kind-${name}.yaml`, `${text}\n`]));
}

/**
 * Pods as a server sends them, of about 12 KB, in two kinds: `friendly` pods come from a few similar deployments, `random`
 * ones from 200 deployments that share no names, no environment and no annotations. Real clusters lie between.
 */
export type PodKind = 'friendly' | 'random';

const WORDS = 42;

function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const range = <R>(length: number, make: (i: number) => R): R[] => Array.from({ length }, (_, i) => make(i));
const textOf = (random: () => number, length: number): string =>
  range(length, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[Math.floor(random() * 36)]).join('');

/** The vocabulary of one deployment. */
function wordsOf(kind: PodKind, app: number): string[] {
  if (kind === 'friendly') return range(WORDS, (i) => `service_setting_${i}`);
  const random = randomNumbers(app + 1);
  return range(WORDS, () => textOf(random, 8 + Math.floor(random() * 10)));
}

const vocabularies = new Map<string, string[]>();

export function podOf(kind: PodKind, i: number, version = i + 1): Record<string, unknown> {
  const app = i % 200;
  const id = `${kind} ${app}`;
  const words = vocabularies.get(id) ?? wordsOf(kind, app);
  vocabularies.set(id, words);
  const random = randomNumbers(i * 7 + 13);
  const word = (at: number): string => words[at % WORDS] as string;
  const hex = (length: number): string => range(length, () => '0123456789abcdef'[Math.floor(random() * 16)]).join('');
  const uid = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  const owner = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  const time = `2026-11-${String(1 + (i % 16)).padStart(2, '0')}T0${i % 10}:${String(10 + (i % 50))}:${String(10 + ((i * 7) % 50))}Z`;
  const containers = [word(0), word(1)];
  const envFields = Object.fromEntries(
    range(12, (e) => [`k:{"name":"${word(4 + e)}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
  );
  const managed = (manager: string, fieldsV1: object, subresource?: string): object => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  });
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: `${word(2)}-${app}-${hex(9)}-${hex(5)}`,
      generateName: `${word(2)}-${app}-`,
      namespace: `team-${i % 50}`,
      uid,
      resourceVersion: String(1_000_000 + version),
      generation: 1,
      creationTimestamp: time,
      labels: { app: `${word(2)}-${app}`, 'pod-template-hash': hex(9), team: word(3), tier: `tier-${i % 3}` },
      annotations: {
        'kubectl.kubernetes.io/restartedAt': time,
        [`${word(16)}.example.com/config-hash`]: hex(64),
        [`${word(17)}.example.com/inject`]: 'true',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${word(2)}-${app}-${hex(9)}`,
          uid: owner,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        managed('kube-controller-manager', {
          'f:metadata': {
            'f:annotations': {
              '.': {},
              'f:kubectl.kubernetes.io/restartedAt': {},
              [`f:${word(16)}.example.com/config-hash`]: {},
            },
            'f:generateName': {},
            'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {}, 'f:team': {}, 'f:tier': {} },
            'f:ownerReferences': { '.': {}, [`k:{"uid":"${owner}"}`]: {} },
          },
          'f:spec': {
            'f:containers': Object.fromEntries(
              containers.map((name) => [
                `k:{"name":"${name}"}`,
                {
                  '.': {},
                  'f:env': { '.': {}, ...envFields },
                  'f:image': {},
                  'f:imagePullPolicy': {},
                  'f:livenessProbe': {
                    '.': {},
                    'f:failureThreshold': {},
                    'f:httpGet': { '.': {}, 'f:path': {}, 'f:port': {}, 'f:scheme': {} },
                    'f:periodSeconds': {},
                  },
                  'f:name': {},
                  'f:ports': {
                    '.': {},
                    'k:{"containerPort":8080,"protocol":"TCP"}': {
                      '.': {},
                      'f:containerPort': {},
                      'f:name': {},
                      'f:protocol': {},
                    },
                  },
                  'f:resources': {
                    '.': {},
                    'f:limits': { '.': {}, 'f:cpu': {}, 'f:memory': {} },
                    'f:requests': { '.': {}, 'f:cpu': {}, 'f:memory': {} },
                  },
                  'f:terminationMessagePath': {},
                  'f:terminationMessagePolicy': {},
                },
              ]),
            ),
            'f:dnsPolicy': {},
            'f:enableServiceLinks': {},
            'f:restartPolicy': {},
            'f:schedulerName': {},
            'f:securityContext': {},
            'f:terminationGracePeriodSeconds': {},
          },
        }),
        managed(
          'kubelet',
          {
            'f:status': {
              'f:conditions': Object.fromEntries(
                ['ContainersReady', 'Initialized', 'Ready', 'PodReadyToStartContainers'].map((type) => [
                  `k:{"type":"${type}"}`,
                  { '.': {}, 'f:lastProbeTime': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:type': {} },
                ]),
              ),
              'f:containerStatuses': {},
              'f:hostIP': {},
              'f:hostIPs': {},
              'f:phase': {},
              'f:podIP': {},
              'f:podIPs': {
                '.': {},
                [`k:{"ip":"10.${i % 250}.${(i >> 3) % 250}.${i % 199}"}`]: { '.': {}, 'f:ip': {} },
              },
              'f:startTime': {},
            },
          },
          'status',
        ),
      ],
    },
    spec: {
      volumes: [
        {
          name: `kube-api-access-${hex(5)}`,
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: containers.map((name, c) => ({
        name,
        image: `registry.example.com/${word(3)}/${name}:v1.${app}.${c}`,
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: range(12, (e) => ({ name: word(4 + e), value: `${word(20 + e)}/${(app * 31 + e) % 97}` })),
        resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
        volumeMounts: [
          {
            name: `kube-api-access-${hex(5)}`,
            readOnly: true,
            mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
          },
        ],
        livenessProbe: {
          httpGet: { path: `/${word(18)}`, port: 8080, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      })),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      nodeName: `node-${i % 100}`,
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: i % 17 === 0 ? 'Pending' : 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: time }),
      ),
      hostIP: `192.168.0.${i % 250}`,
      hostIPs: [{ ip: `192.168.0.${i % 250}` }],
      podIP: `10.${i % 250}.${(i >> 3) % 250}.${i % 199}`,
      podIPs: [{ ip: `10.${i % 250}.${(i >> 3) % 250}.${i % 199}` }],
      startTime: time,
      containerStatuses: containers.map((name, c) => ({
        name,
        state: { running: { startedAt: time } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example.com/${word(3)}/${name}:v1.${app}.${c}`,
        imageID: `registry.example.com/${word(3)}/${name}@sha256:${textOf(randomNumbers(app * 3 + c), 64)}`,
        containerID: `containerd://${hex(64)}`,
        started: true,
      })),
      qosClass: 'Burstable',
    },
  };
}

const encoder = new TextEncoder();

export function podBytes(kind: PodKind, i: number, version?: number): Uint8Array {
  return encoder.encode(JSON.stringify(podOf(kind, i, version)));
}

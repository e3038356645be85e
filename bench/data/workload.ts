import { randomText, seededRandom } from './random.ts';

/** `friendly`: objects of one team's charts, alike. `randomised`: every value that can differ does. */
export type DataSet = 'friendly' | 'randomised';

export const NAMESPACES = 50;
const NODES = 100;
const APPS = 200;

/** Sizes that can be selected; each object is in every size it is small enough for. */
export const SIZES = [1_000, 2_000, 10_000, 50_000, 100_000] as const;

/** Written with every change: microseconds since 1970, always 16 digits. */
export const WRITTEN_AT = 'bench.example.com/at';
export const NO_TIME = '1000000000000000';

export const namespaceOf = (i: number): string => `bench-${i % NAMESPACES}`;
export const nameOf = (data: DataSet, i: number): string =>
  `${data}-${String(i % APPS).padStart(3, '0')}-${String(i).padStart(6, '0')}`;
export const nodeOf = (i: number): string => `node-${String((i * 7) % NODES).padStart(3, '0')}.example.com`;
export const appOf = (i: number): string => `app-${String(i % APPS).padStart(3, '0')}`;

/** The label selector of the first `size` objects of a data set. */
export const selectorOf = (data: DataSet, size: number): string => `bench-data=${data},bench-${size}=yes`;

/** A pod as a controller creates it and the kubelet reports it. */
export interface Workload {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly [field: string]: unknown };
  readonly spec: object;
  readonly status: object;
}

/** Makes the pod number `i`. The same number always gives the same pod. */
export function makePod(data: DataSet, i: number): Workload {
  const random = seededRandom(data === 'friendly' ? i % APPS : 1_000_003 + i);
  const text = (length: number): string => randomText(random, length);
  const names = ['main', 'proxy', 'logs'];
  const images = names.map((name) => `registry.example.com/${text(8)}/${name}:${text(12)}`);
  return {
    metadata: {
      name: nameOf(data, i),
      namespace: namespaceOf(i),
      labels: {
        app: appOf(i),
        'pod-template-hash': text(10),
        team: `team-${i % 7}`,
        'bench-data': data,
        ...Object.fromEntries(SIZES.filter((size) => i < size).map((size) => [`bench-${size}`, 'yes'])),
      },
      annotations: {
        [WRITTEN_AT]: NO_TIME,
        'example.com/checksum': text(64),
        'example.com/description': Array.from({ length: 12 }, () => text(8)).join(' '),
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${appOf(i)}-${text(10)}`,
          uid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeName: nodeOf(i),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      volumes: ['config', 'data', 'token'].map((name) => ({ name, configMap: { name: `${name}-${text(6)}` } })),
      containers: names.map((name, at) => ({
        name,
        image: images[at],
        args: [`--listen=:${8_080 + at}`, `--level=${text(4)}`],
        env: Array.from({ length: at === 0 ? 14 : 5 }, (_, e) => ({ name: `SETTING_${e}`, value: text(24) })),
        ports: [{ name: `port-${at}`, containerPort: 8_080 + at, protocol: 'TCP' }],
        resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
        readinessProbe: { httpGet: { path: '/ready', port: 8_080 + at }, periodSeconds: 10 },
        volumeMounts: ['config', 'data'].map((volume) => ({ name: volume, mountPath: `/mnt/${volume}` })),
      })),
    },
    status: makeStatus(i, names, images, text),
  };
}

/** A custom resource with the same content; the server knows no schema for it. */
export function makeWidget(data: DataSet, i: number): Workload & { apiVersion: string; kind: string } {
  return { apiVersion: 'bench.example.com/v1', kind: 'Widget', ...makePod(data, i) };
}

function makeStatus(
  i: number,
  names: string[],
  images: (string | undefined)[],
  text: (length: number) => string,
): object {
  const at = `2026-11-0${1 + (i % 9)}T0${i % 10}:15:${10 + (i % 50)}Z`;
  const ip = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  return {
    phase: i % 20 === 0 ? 'Pending' : 'Running',
    hostIP: `192.168.0.${i % 100}`,
    podIP: ip,
    podIPs: [{ ip }],
    startTime: at,
    qosClass: 'Burstable',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled', 'PodReadyToStartContainers'].map(
      (type) => ({
        type,
        status: 'True',
        lastTransitionTime: at,
      }),
    ),
    containerStatuses: names.map((name, at_) => ({
      name,
      image: images[at_],
      imageID: `registry.example.com/${name}@sha256:${text(64)}`,
      containerID: `containerd://${text(64)}`,
      ready: true,
      started: true,
      restartCount: i % 3,
      state: { running: { startedAt: at } },
      lastState: {},
    })),
  };
}

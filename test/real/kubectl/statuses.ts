const SINCE = '2026-01-01T00:00:00Z';

/** Statuses that controllers and kubelets would have written. */
export const STATUSES: Readonly<Record<'deployment' | 'pod' | 'node', object>> = {
  deployment: {
    observedGeneration: 99,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    conditions: [
      {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Enough of them.',
        lastUpdateTime: SINCE,
        lastTransitionTime: SINCE,
      },
    ],
  },
  pod: {
    phase: 'Running',
    podIP: '10.1.2.3',
    podIPs: [{ ip: '10.1.2.3' }],
    hostIP: '192.168.0.1',
    startTime: SINCE,
    conditions: ['Ready', 'PodScheduled'].map((type) => ({ type, status: 'True', lastTransitionTime: SINCE })),
    containerStatuses: [
      {
        name: 'main',
        image: 'main:1',
        imageID: 'sha256:abc',
        containerID: 'containerd://abc',
        ready: true,
        started: true,
        restartCount: 3,
        state: { running: { startedAt: SINCE } },
        lastState: {
          terminated: { exitCode: 1, reason: 'Error', startedAt: SINCE, finishedAt: '2026-01-01T00:01:00Z' },
        },
      },
      {
        name: 'side',
        image: 'side:1',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
      },
    ],
  },
  node: {
    capacity: { cpu: '4', memory: '8Gi', pods: '110' },
    allocatable: { cpu: '3500m', memory: '7Gi', pods: '110' },
    addresses: [
      { type: 'InternalIP', address: '192.168.0.1' },
      { type: 'Hostname', address: 'host' },
    ],
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'ready',
        lastHeartbeatTime: SINCE,
        lastTransitionTime: SINCE,
      },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: 'b',
      containerRuntimeVersion: 'containerd://2.0',
      kernelVersion: '6.1',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.0',
      machineID: 'm',
      operatingSystem: 'linux',
      osImage: 'Debian',
      systemUUID: 'u',
    },
  },
};

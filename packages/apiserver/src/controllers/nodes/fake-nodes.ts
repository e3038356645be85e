import { kubernetesVersion } from '@kube-informer/kubernetes/kinds';
import type { ApiObject } from '../../core/kube-object.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { Kubelet } from './kubelet.ts';
import type { NodeOptions } from './node-options.ts';
import { startNodeTaints } from './node-taints.ts';
import { startScheduler } from './scheduler.ts';

/** Creates the fake nodes that are missing, and starts their scheduler and kubelets. */
export function startFakeNodes(host: ControllerHost, options: NodeOptions): { readonly kubelet: Kubelet; readonly stop: Stop } {
  const { count = 3 } = options;
  for (let number = 1; number <= count; number += 1)
    if (host.get('', 'nodes', '', `node-${number}`) === undefined) host.create('', 'nodes', fakeNode(host, number));
  const kubelet = new Kubelet(host, options);
  const stops = [startNodeTaints(host), startScheduler(host)];
  return {
    kubelet,
    stop: () => {
      for (const stop of stops) stop();
      kubelet.stop();
    },
  };
} // prettier-ignore

function fakeNode({ env }: ControllerHost, number: number): ApiObject {
  const name = `node-${number}`;
  const now = serverTimestamp(env.wallNow());
  const size = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...(number === 1 ? { 'node-role.kubernetes.io/control-plane': '' } : {}),
      },
    },
    spec: { podCIDR: `10.244.${number}.0/24`, podCIDRs: [`10.244.${number}.0/24`] },
    status: {
      capacity: size,
      allocatable: size,
      conditions: fakeNodeConditions(now),
      addresses: [
        { type: 'InternalIP', address: `192.168.7.${10 + number}` },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        kubeletVersion: `v${kubernetesVersion}.0`, kubeProxyVersion: '', osImage: 'Fake Linux', kernelVersion: '6.12.0', architecture: 'amd64',
        operatingSystem: 'linux', containerRuntimeVersion: 'fake://1.0.0', machineID: name, systemUUID: name, bootID: name,
      },
    },
  }; // prettier-ignore
}

function fakeNodeConditions(now: string): readonly object[] {
  const calm = [['MemoryPressure', 'KubeletHasSufficientMemory'], ['DiskPressure', 'KubeletHasNoDiskPressure'], ['PIDPressure', 'KubeletHasSufficientPID']] as const; // prettier-ignore
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return [
    ...calm.map(([type, reason]) => ({ type, status: 'False', reason, message: reason, ...times })),
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status', ...times },
  ];
}

import { Cluster } from 'kube-informer';
import { NAMESPACES, namespaceOf, selectorOf } from '../data/workload.ts';
import { rawGet } from '../server/raw-get.ts';
import { startController, untilQuiet } from './start-controller.ts';
import type { Work } from './work.ts';

const CHILDREN = 'v1/configmaps';
const WRITES = new Set(['APPLY', 'PATCH', 'PUT', 'POST', 'DELETE']);

/** A controller of custom objects from its start to its last run, its caches included, when a run does nothing. */
export const reconcile: Work = {
  name: 'reconcile',
  cases: ({ objects }) => [{ objects }],
  takes: ({ role }) => role === 'controller',
  async measure({ rig }, contestant, one) {
    const { kubeconfig } = await rig.server();
    const objects = one['objects'] as number;
    await using started = await startController(contestant, kubeconfig, { selector: selectorOf('friendly', objects) });
    const figures = await untilQuiet(started, objects);
    return { ...figures, residentBytes: started.process.residentBytes };
  },
};

/** Each object gets a child by server-side apply; then the controller starts again, and all children are there. */
export const apply: Work = {
  name: 'apply',
  cases: ({ objects }) => [{ objects }],
  takes: ({ role }) => role === 'controller',
  async measure({ rig }, contestant, one) {
    const { kubeconfig } = await rig.server();
    const objects = one['objects'] as number;
    await deleteChildren(kubeconfig);
    const once = async (): Promise<{ cpuMs: number; runs: number; requests: number; wallMs: number }> => {
      const before = await writesOfChildren(kubeconfig);
      await using started = await startController(contestant, kubeconfig, {
        selector: selectorOf('friendly', objects),
        work: 'apply',
      });
      const figures = await untilQuiet(started, objects);
      return { ...figures, requests: (await writesOfChildren(kubeconfig)) - before };
    };
    const first = await once();
    const again = await once();
    return {
      ...first,
      againCpuMs: again.cpuMs,
      againRuns: again.runs,
      againRequests: again.requests,
    };
  },
};

async function deleteChildren(kubeconfigFile: string): Promise<void> {
  await using cluster = await Cluster.connect({ kubeconfigFile });
  const children = cluster.resource(CHILDREN);
  for (let i = 0; i < NAMESPACES; i += 1)
    await children.deleteCollection({ namespace: namespaceOf(i), labelSelector: 'bench-child=yes' });
}

/** Requests to write config maps that the server has counted. */
async function writesOfChildren(kubeconfig: string): Promise<number> {
  const text = Buffer.concat(await rawGet(kubeconfig, '/metrics', 'text/plain')).toString();
  return countWrites(text);
}

/** Sums `apiserver_request_total` over the verbs that write config maps. */
export function countWrites(metrics: string): number {
  let sum = 0;
  for (const [, labels = '', value] of metrics.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const verb = /verb="([^"]*)"/.exec(labels)?.[1] ?? '';
    if (labels.includes('resource="configmaps"') && WRITES.has(verb)) sum += Number(value);
  }
  return sum;
}

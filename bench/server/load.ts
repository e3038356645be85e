import type { Cluster, KubeObject } from 'kube-informer';
import { type DataSet, makePod, makeWidget, NAMESPACES, namespaceOf } from '../data/workload.ts';

const WRITERS = 16;
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** What must be on the server before anything is measured. */
export interface Load {
  readonly resource: 'pods' | 'widgets';
  readonly data: DataSet;
  readonly size: number;
}

/** Creates the namespaces and the kind Widget, where they are missing. */
export async function prepareCluster(cluster: Cluster): Promise<void> {
  const namespaces = cluster.resource<KubeObject>('v1/namespaces');
  const definitions = cluster.resource<KubeObject>('apiextensions.k8s.io/v1/customresourcedefinitions');
  const names = { plural: 'widgets', kind: 'Widget' };
  const schema = { type: 'object', properties: { spec: ANYTHING, status: ANYTHING } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: { status: {} },
  };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.bench.example.com' },
    spec: { group: 'bench.example.com', scope: 'Namespaced', names, versions: [version] },
  };
  await unlessThere(definitions.create(definition as KubeObject));
  for (let i = 0; i < NAMESPACES; i += 1)
    await unlessThere(namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(i) } }));
}

/** Creates the objects that are missing, as a controller and a kubelet write them. */
export async function loadObjects(
  cluster: Cluster,
  { resource, data, size }: Load,
  log: (line: string) => void,
): Promise<void> {
  const client = cluster.resource<KubeObject>(resource === 'pods' ? 'v1/pods' : 'bench.example.com/v1/widgets');
  const make = resource === 'pods' ? makePod : makeWidget;
  let next = 0;
  const began = performance.now();
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let i = next++; i < size; i = next++) {
      const { status, ...rest } = make(data, i);
      const object = { apiVersion: 'v1', kind: 'Pod', ...rest } as KubeObject;
      const created = await unlessThere(client.create(object, { fieldManager: 'kube-controller-manager' }));
      if (created !== undefined)
        await client.replace({ ...created, status } as KubeObject, { fieldManager: 'kubelet', subresource: 'status' });
      if (i % 1_000 === 999) log(`${resource} ${data}: ${i + 1} of ${size}`);
    }
  });
  await Promise.all(writers);
  log(`${size} ${resource} (${data}) written in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
}

/** Undefined if the object exists. */
async function unlessThere(created: Promise<KubeObject>): Promise<KubeObject | undefined> {
  return created.catch((error: { status?: { code?: number } }) => {
    if (error.status?.code !== 409) throw error;
    return undefined;
  });
}

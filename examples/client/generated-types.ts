// Generates types from the schemas of a cluster. The arguments are the group-versions to read.
//
//   npx tsx --conditions=@kube-informer/source examples/client/generated-types.ts example.com/v1

// #region types
import type { Pod, Resources } from '@kube-informer/kubernetes';
import type { Event } from '@kube-informer/kubernetes/events.k8s.io/v1';
import { kinds } from '@kube-informer/kubernetes/kinds';

type Deployment = Resources['apps/v1/deployments'];
const shortNames = kinds.flatMap((kind) => kind.shortNames);
// #endregion

const [pod, event, deployment]: [Pod, Event, Deployment] = [{}, { eventTime: '2026-01-01T00:00:00.000000Z' }, {}];
console.log(`pods are ${shortNames.includes('po') ? 'po' : '?'}; ${[pod, event, deployment].length} typed objects`);

// #region generate
import { generate, readServer } from '@kube-informer/kubernetes/generate';
import { Client } from 'kube-informer/client';

await using client = await Client.connect();
const getJson = async (path: string, accept = 'application/json'): Promise<unknown> => {
  const response = await client.request({ path, headers: { accept } });
  return typeof response === 'string' ? JSON.parse(response) : response; // some documents come as text/plain
};
const schemas = await readServer(getJson, { groupVersions: process.argv.slice(2) }); // example.com/v1
const files = generate(schemas, {
  external: (module) => (module === 'meta.k8s.io/v1' ? '@kube-informer/kubernetes/meta.k8s.io/v1' : undefined),
});
// #endregion

for (const [path, text] of files) console.log(`${path}: ${text.split('\n').length} lines`);

// #region table
import type { KubeObject } from 'kube-informer';

interface Gadget extends KubeObject {
  readonly spec: { readonly size: number };
}

declare module '@kube-informer/kubernetes' {
  interface Resources {
    readonly 'example.com/v1/gadgets': Gadget;
  }
}
// #endregion

const sizeOf = (gadget: Resources['example.com/v1/gadgets']): number => gadget.spec.size;
console.log(`a gadget of size ${sizeOf({ spec: { size: 3 } })}`);

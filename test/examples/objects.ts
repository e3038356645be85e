import type { ApiObject, ApiServer } from '@kube-informer/apiserver';

export const object = (
  kind: string,
  key: string,
  more: object = {},
  meta: object = {},
  apiVersion = 'v1',
): ApiObject => {
  const [namespace = '', name = ''] = key.split('/');
  return { apiVersion, kind, metadata: { namespace, name, ...meta }, ...more } as unknown as ApiObject;
};
export const container = (image: string): { containers: { name: string; image: string }[] } => ({
  containers: [{ name: 'main', image }],
});
export const pod = (key: string, phase: string, spec: object = {}, labels: object = {}): ApiObject =>
  object('Pod', key, { spec: { ...container('nginx:1'), ...spec }, status: { phase } }, { labels });

/** The definition of a custom resource. */
export const widgets: ApiObject = object(
  'CustomResourceDefinition',
  '/widgets.example.com',
  {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: { status: {} },
        },
      ],
    },
  },
  {},
  'apiextensions.k8s.io/v1',
);

/** Writes a pod's status as a kubelet does; makes the pod where there is none. */
export function report(server: ApiServer, key: string, status: object): void {
  const [namespace = '', name = ''] = key.split('/');
  if (server.local.get('', 'namespaces', '', namespace) === undefined)
    server.local.create('', 'namespaces', object('Namespace', `/${namespace}`));
  const { status: _, ...made } = pod(key, '') as ApiObject & { status?: unknown };
  const stored = server.local.get('', 'pods', namespace, name) ?? server.local.create('', 'pods', made as ApiObject);
  server.local.update('', 'pods', { ...stored, status } as ApiObject, 'status');
}

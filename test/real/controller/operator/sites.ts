import { type Condition, controller, type Controller } from '@kube-informer/controller';
import type { Cluster, KubeObject } from 'kube-informer';

export interface Site extends KubeObject {
  readonly spec: { readonly message: string; readonly copies: number };
  readonly status?: { readonly copies?: number; readonly conditions?: readonly Condition[] };
}

export const SITES = 'example.com/v1/sites';

/** The operator that operator.go is, too. */
export const sites = (cluster: Cluster, name = 'sites'): Controller =>
  controller<Site>(cluster, SITES, {
    name,
    finalizer: 'example.com/sites',
    owns: ['v1/configmaps'],
    prune: true,

    async reconcile({ object, name: own, namespace, apply, status }) {
      const { message, copies } = object.spec;
      const data = { message };
      const outside = { metadata: { name: `${own}-outside`, namespace }, data };
      await apply('v1/configmaps', outside, { owner: false, force: true });
      for (let at = 0; at < copies; at += 1)
        await apply('v1/configmaps', { metadata: { name: `${own}-${at}`, namespace }, data });
      status.set({ copies });
      status.condition('Ready', true, { reason: 'Copied' });
    },

    cleanup: ({ key, delete: remove }) => remove('v1/configmaps', `${key}-outside`),
  });

export const siteDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'Site', listKind: 'SiteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { message: { type: 'string' }, copies: { type: 'integer' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

export const NAMESPACE = 'web';

export const site = (name: string, message: string, copies: number): Site => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name, namespace: NAMESPACE },
  spec: { message, copies },
});

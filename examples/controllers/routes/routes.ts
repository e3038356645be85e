// #region routes
import { type Condition, controller, type Controller, source, watch } from '@kube-informer/controller';
import type { Cluster, KubeObject } from 'kube-informer';

export interface Route extends KubeObject {
  readonly spec: { readonly class: string; readonly services: readonly string[]; readonly secret?: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const routes = (cluster: Cluster, renewals: AsyncIterable<{ route: string }>): Controller =>
  controller<Route>(cluster, 'example.com/v1/routes', {
    name: 'routes',
    concurrency: 8,
    indexers: {
      class: ({ spec }) => [spec.class],
      secret: ({ metadata, spec }) => (spec.secret === undefined ? [] : [`${metadata.namespace}/${spec.secret}`]),
      service: ({ metadata, spec }) => spec.services.map((name) => `${metadata.namespace}/${name}`),
    },
    watches: [
      watch('v1/services', { index: 'service' }), // its key, looked up there: every route that names it, or named it
      watch('v1/secrets', { index: 'secret', metadataOnly: true, fields: 'type=kubernetes.io/tls' }),
      watch('networking.k8s.io/v1/ingressclasses', { index: 'class' }),
      watch('discovery.k8s.io/v1/endpointslices', {
        index: 'service',
        value: ({ metadata }) => `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`,
      }),
      source(renewals, ({ route }) => route), // anything that can be iterated
    ],

    reconcile({ object, namespace, get, status, reasons, log }) {
      const missing = object.spec.services.filter((name) => get('v1/services', `${namespace}/${name}`) === undefined);
      log('debug', 'route looked at', { missing, because: reasons });
      const message = `no service ${missing.join(', ')}`;
      const isResolved = missing.length === 0;
      status.condition('Resolved', isResolved, isResolved ? { reason: 'Found' } : { reason: 'Missing', message });
    },
  });
// #endregion

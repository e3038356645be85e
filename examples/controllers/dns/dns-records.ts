// #region controller
import { type Condition, controller, type Controller, terminal, watch } from '@kube-informer/controller';
import type { Service } from '@kube-informer/kubernetes';
import type { Cluster, KubeObject } from 'kube-informer';
import type { Zones } from './zones.ts';

export interface DnsRecord extends KubeObject {
  /** Either `addresses` or `service`, whose load balancer has them. */
  readonly spec: {
    readonly hostname: string;
    readonly ttl?: number;
    readonly addresses?: readonly string[];
    readonly service?: string;
  };
  readonly status?: { readonly addresses?: readonly string[]; readonly conditions?: readonly Condition[] };
}

export const dnsRecords = (cluster: Cluster, zones: Zones, lookEveryMs = 600_000): Controller =>
  controller<DnsRecord>(cluster, 'example.com/v1/dnsrecords', {
    name: 'dns-records',
    atLeastEveryMs: lookEveryMs, // the provider reports no changes
    indexers: {
      service: ({ metadata, spec: { service } }) => (service === undefined ? [] : [`${metadata.namespace}/${service}`]),
    },
    watches: [watch('v1/services', { index: 'service' })], // a service that gets an address runs the records that name it

    async reconcile({ object, namespace, get, status, event, fence, signal }) {
      const { hostname, ttl = 300, service } = object.spec;
      const owner = object.metadata.uid; // a record of another owner is never touched
      const addresses = object.spec.addresses ?? addressesOf(get('v1/services', `${namespace}/${service}`));

      // What the provider has decides, not what an earlier run remembers: it may have been cut off in the middle.
      for (const published of await zones.ownedBy(owner, { signal }))
        if (published !== hostname || addresses.length === 0) await zones.remove(published, { owner, fence, signal });
      if (addresses.length === 0) {
        status.set({ addresses: [] });
        status.condition('Ready', false, { reason: 'NoAddress', message: `service ${service} has no address` });
        return;
      }

      const put = await zones.put(hostname, { owner, addresses, ttl }, { fence, signal });
      if (put.outcome === 'busy') return { requeueAfterMs: put.retryAfterMs };
      if (put.outcome === 'taken') {
        status.condition('Ready', false, { reason: 'Taken', message: `${hostname} belongs to another record` });
        return { requeueAfterMs: 60_000 };
      }
      if (put.outcome === 'refused') {
        status.condition('Ready', false, { reason: 'Refused', message: put.message });
        throw terminal(put.message); // no retry repairs it: wait until the object changes
      }
      if (put.outcome === 'created') event.normal('Published', `${hostname} is ${addresses.join(', ')}`);
      status.set({ addresses });
      status.condition('Ready', true, { reason: 'Published' });
    },

    async cleanup({ object, fence, signal }) {
      const owner = object.metadata.uid;
      for (const hostname of await zones.ownedBy(owner, { signal }))
        await zones.remove(hostname, { owner, fence, signal });
    },
  });

const addressesOf = (service: Service | undefined): string[] =>
  (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
// #endregion

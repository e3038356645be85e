import { controller, type Controller } from '@kube-informer/controller';
import type { Cluster, KubeObject } from 'kube-informer';
import { siteDefinition } from '../../real/controller/operator/sites.ts';

/** Namespace of the replicas: nothing else is written there. */
export const OPERATORS = 'operators';
export const LEASE = 'sites';
export const SITES = 'example.com/v1/sites';
export const definitions: readonly object[] = [
  siteDefinition,
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATORS } },
];

export interface Site extends KubeObject {
  readonly spec: { readonly message: string; readonly copies: number };
  readonly status?: {
    readonly copies?: number;
    readonly conditions?: readonly { readonly observedGeneration?: number }[];
  };
}

/** The operator under test: copies of a message as children with the fence in them, and one that is not a child and needs a cleanup. */
export const sites = (cluster: Cluster): Controller =>
  controller<Site>(cluster, SITES, {
    name: 'sites',
    namespace: OPERATORS,
    owns: ['v1/configmaps'],
    prune: true,

    async reconcile({ object, name, namespace, apply, status, fence, get }) {
      const { message, copies } = object.spec;
      const outside = { metadata: { name: `${name}-outside`, namespace }, data: { message } };
      await apply('v1/configmaps', outside, { owner: false, force: true });
      for (let at = 0; at < copies; at += 1) {
        const key = `${namespace}/${name}-${at}`;
        // A new leader does not repeat what is right, but what it changes carries its number.
        const held = get('v1/configmaps', key)?.data;
        const data = held?.['message'] === message ? held : { message, fence: String(fence) };
        await apply('v1/configmaps', { metadata: { name: `${name}-${at}`, namespace }, data });
      }
      status.set({ copies });
      status.condition('Ready', true, { reason: 'Copied' });
    },

    cleanup: ({ key, delete: remove }) => remove('v1/configmaps', `${key}-outside`),
  });

export interface Copy extends KubeObject {
  readonly data?: { readonly message?: string; readonly fence?: string };
}

/** Copies whose site is gone. `all` must have been read after `copies`, so that a new site is not missed. */
export function orphans(copies: readonly Copy[], all: readonly Site[]): readonly Copy[] {
  const uids = new Set(all.map(({ metadata }) => metadata?.uid));
  return copies.filter(({ metadata }) => {
    const owner = metadata?.ownerReferences?.[0];
    return owner !== undefined && !uids.has(owner.uid);
  });
}

/**
 * The one exception of the oracle: copies outside whose site a restore took away in the middle of a run. The run began with a
 * site that no longer exists, and no finalizer is left that would call the cleanup. It is aborted when the cache notices the
 * restore; what it wrote before, no client can take back. `isUncertain`: a storage was restored then.
 */
export function strandedByRestore(
  copies: readonly Copy[],
  all: readonly Site[],
  isUncertain: (at: number) => boolean,
): readonly Copy[] {
  const names = new Set(all.map(({ metadata }) => `${metadata?.name}-outside`));
  return copies.filter(({ metadata: { name = '', creationTimestamp = '' } = {} }) => {
    const isOutside = name.endsWith('-outside') && !names.has(name);
    // Timestamps have no fractions of a second.
    return isOutside && isUncertain(Date.parse(creationTimestamp) + 999);
  });
}

/**
 * Differences from the desired state, one sentence each: a copy too few, too many or wrong, a status or a deletion not
 * done.
 */
export function differences(all: readonly Site[], copies: readonly Copy[]): string[] {
  const wanted = new Map<string, string>();
  const found: string[] = [];
  for (const { metadata, spec, status } of all) {
    if (metadata?.deletionTimestamp !== undefined) found.push(`site ${metadata.name} is not deleted`);
    if (status?.conditions?.[0]?.observedGeneration !== metadata?.generation)
      found.push(`site ${metadata?.name} is not reported`);
    wanted.set(`${metadata?.name}-outside`, spec.message);
    for (let at = 0; at < spec.copies; at += 1) wanted.set(`${metadata?.name}-${at}`, spec.message);
  }
  for (const { metadata: { name = '' } = {}, data } of copies) {
    if (name === 'kube-root-ca.crt') continue;
    const message = wanted.get(name);
    if (message === undefined) found.push(`${name} is left over`);
    else if (message !== data?.message) found.push(`${name} is ${data?.message}, not ${message}`);
    wanted.delete(name);
  }
  return [...found, ...[...wanted.keys()].map((name) => `${name} is missing`)];
}

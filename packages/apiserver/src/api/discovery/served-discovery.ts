import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import type { Resource, Subresource } from '../schema/resource.ts';
import { compareKubeVersions } from '../meta/kube-versions.ts';

/**
 * The discovery documents of a server: those under `/api` and `/apis`, in both forms.
 *
 * Objects are new on every call; keys come in the order of a real server.
 */
export interface Discovery {
  /** The document at `/api`. */
  apiVersions(): JsonObject;
  /** The document at `/apis`. */
  groupList(): JsonObject;
  /** The document at `/apis/apps`, for example. */
  group(name: string): JsonObject | undefined;
  /** The document at `/api/v1` or `/apis/apps/v1`, for example. */
  resourceList(group: string, version: string): JsonObject | undefined;
  /** `/api` or `/apis` as an `APIGroupDiscoveryList` */
  aggregated(root: 'api' | 'apis'): JsonObject;
}

interface Version {
  readonly version: string;
  readonly resources: readonly Resource[];
}

interface Group {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly Version[];
}

/** Kinds that are stored in another version than the requested one. */
const STORED_AS: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    'autoscaling/v1/HorizontalPodAutoscaler': 'autoscaling/v2/HorizontalPodAutoscaler',
    'events.k8s.io/v1/Event': '/v1/Event',
    ...Object.fromEntries(
      [
        'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy',
        'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding',
        'apiextensions.k8s.io/v1/CustomResourceDefinition',
      ].map((name) => [name, name.replace('/v1/', '/v1beta1/')]),
    ),
  }),
);

/**
 * Built-in groups and versions keep the order they come in; groups of custom resources follow by name, their versions
 * by rank (`v2`, `v1`, `v1beta1`).
 */
export function servedDiscovery(resources: readonly Resource[], server: { readonly address: string }): Discovery {
  const groups = servedDiscoveryGroups(resources);
  const named = groups.filter(({ name }) => name !== '');
  const find = (name: string): Group | undefined => groups.find((group) => group.name === name);
  return {
    apiVersions: () => ({
      kind: 'APIVersions',
      versions: find('')?.versions.map(({ version }) => version) ?? [],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server.address }],
    }),
    groupList: () => ({ kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(servedDiscoveryGroup) }),
    group: (name) => {
      const group = name === '' ? undefined : find(name);
      return group === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...servedDiscoveryGroup(group) };
    },
    resourceList: (name, wanted) => {
      const found = find(name)?.versions.find(({ version }) => version === wanted);
      if (found === undefined) return undefined;
      return {
        kind: 'APIResourceList',
        // The core group's list has no version: it is older than that field.
        ...(name === '' ? {} : { apiVersion: 'v1' }),
        groupVersion: name === '' ? wanted : `${name}/${wanted}`,
        resources: found.resources.flatMap((resource) => [
          servedDiscoveryResource(resource),
          ...resource.subresources.map((subresource) => servedDiscoverySubresource(resource, subresource)),
        ]),
      };
    },
    aggregated: (root) => ({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: (root === 'api' ? groups.filter(({ name }) => name === '') : named).map(servedAggregatedDiscoveryGroup),
    }),
  };
}

function servedDiscoveryGroups(resources: readonly Resource[]): Group[] {
  const groups = new Map<string, Map<string, Resource[]>>();
  const builtIn = new Set<string>();
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? new Map<string, Resource[]>();
    groups.set(resource.group, versions);
    const found = versions.get(resource.version);
    if (found === undefined) versions.set(resource.version, [resource]);
    else found.push(resource);
    if (!resource.custom) builtIn.add(resource.group);
  }
  const all = [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions].map(([version, of]) => ({ version, resources: of })),
  }));
  const custom = all
    .filter(({ name }) => !builtIn.has(name))
    .map(({ name, versions }) => ({
      name,
      versions: versions.toSorted((a, b) => compareKubeVersions(a.version, b.version)),
    }));
  return [...all.filter(({ name }) => builtIn.has(name)), ...custom.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
}

function servedDiscoveryGroup({ name, versions }: Group): JsonObject {
  const facts = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: facts, preferredVersion: facts[0] ?? {} };
}

function servedDiscoveryResource(resource: Resource): JsonObject {
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...servedDiscoveryNames(resource),
    // Only stored kinds have one.
    ...(resource.verbs.includes('watch') ? { storageVersionHash: servedDiscoveryStorageHash(resource) } : {}),
  };
}

function servedDiscoverySubresource(
  resource: Resource,
  { name, group, version, kind, verbs }: Subresource,
): JsonObject {
  const isForeign = group !== resource.group || version !== resource.version;
  return {
    name: `${resource.resource}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(isForeign ? { group, version } : {}),
    kind,
    verbs: [...verbs],
  };
}

function servedAggregatedDiscoveryGroup({ name, versions }: Group): JsonObject {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(servedAggregatedDiscoveryResource),
      freshness: 'Current',
    })),
  };
}

function servedAggregatedDiscoveryResource(resource: Resource): JsonObject {
  return {
    resource: resource.resource,
    responseKind: servedDiscoveryResponseKind(resource, resource),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...servedDiscoveryNames(resource),
    ...(resource.subresources.length === 0
      ? {}
      : {
          subresources: resource.subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: servedDiscoveryResponseKind(resource, subresource),
            verbs: [...subresource.verbs],
          })),
        }),
  };
}

function servedDiscoveryNames({ shortNames, categories }: Resource): JsonObject {
  return {
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
  };
}

/**
 * The response kind of a resource. Built-ins leave it out if it is the same as the resource's own; custom
 * resources do not.
 */
function servedDiscoveryResponseKind(resource: Resource, of: Pick<Resource, 'group' | 'version' | 'kind'>): JsonObject {
  const isOwn = of.group === resource.group && of.version === resource.version;
  return isOwn && !resource.custom
    ? { group: '', version: '', kind: of.kind }
    : { group: of.group, version: of.version, kind: of.kind };
}

function servedDiscoveryStorageHash({ group, version, kind }: Resource): string {
  const name = `${group}/${version}/${kind}`;
  const digest = createHash('sha256').update(STORED_AS.get(name) ?? name);
  return digest.digest().subarray(0, 8).toString('base64');
}

import { CLUSTER_IPS } from '../api/kinds/network/service-addresses.ts';
import { defaultRbacObjects } from '../auth/authz/default-rbac.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import { builtinApiServices } from './defaults/api-services.ts';
import { firstObjects, firstServiceRangeObject } from './defaults/first-objects.ts';
import { flowControlObjects } from './defaults/flow-control.ts';
import { type LocalClient, SERVER_MANAGER } from './local-client.ts';

/** Kinds whose plural is not regular. */
const PLURALS: ReadonlyMap<string, string> = new Map([['PriorityClass', 'priorityclasses']]);

/**
 * Stores the objects of a fresh cluster as they are: its namespaces, its own service, the two system priority classes; APIServices,
 * flow schemas, priority levels, roles and bindings, the range of cluster addresses. Objects that a data directory has restored
 * stay as they are.
 */
export function seedServer(client: LocalClient, { tracksManagers }: { readonly tracksManagers: boolean }): void {
  const now = serverTimestamp(client.env.wallNow());
  const first = firstObjects({ manager: SERVER_MANAGER, time: now });
  const objects = [
    ...(tracksManagers ? first : first.map(withoutSeedManagers)),
    ...builtinApiServices(now),
    ...flowControlObjects(now),
    ...defaultRbacObjects(),
    firstServiceRangeObject(CLUSTER_IPS, now),
  ];
  client.load(objects.filter((object) => isMissingSeed(client, object)));
}

function isMissingSeed(client: LocalClient, { apiVersion = '', kind = '', metadata = {} }: ApiObject): boolean {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const resource = PLURALS.get(kind) ?? `${kind.toLowerCase()}s`;
  return client.get(group, resource, metadata.namespace ?? '', metadata.name ?? '') === undefined;
}

function withoutSeedManagers(object: ApiObject): ApiObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

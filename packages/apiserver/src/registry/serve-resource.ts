import { builtinResources } from '../api/kinds/builtin-resources.ts';
import type { CustomVersion } from '../api/kinds/definition/custom-version.ts';
import { sharedStorage } from '../api/kinds/shared-storage.ts';
import { strategyFor } from '../api/kinds/strategy.ts';
import { fieldLookup } from '../api/meta/field-lookup.ts';
import type { Resource } from '../api/schema/resource.ts';
import type { Store } from '../storage/store/stored-objects.ts';
import { Served } from './served.ts';

const DEPRECATED: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    '/v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
    '/v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  }),
);

const servedResourceCollection = ({ group, resource }: Pick<Resource, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`;

/** Every built-in resource. Schemas and tables are loaded when they are first needed. */
export function serveBuiltinResource(store: Store): Served[] {
  return builtinResources().map((resource) => {
    const key = `${resource.group}/${resource.version}/${resource.resource}`;
    const conversion = sharedStorage(resource);
    return new Served({
      resource,
      collection: store.collection({
        id: servedResourceCollection(conversion?.storedAs ?? resource),
        layout: 'struct',
      }),
      strategy: strategyFor(resource),
      fields: fieldLookup(resource),
      table: async () => (await import('../api/table/table-format.ts')).tableFormat(resource),
      conversion,
      deprecation: DEPRECATED.get(key),
    });
  });
}

/** One version of a custom resource; all versions share what is stored. */
export function serveCustomResource(store: Store, version: CustomVersion): Served {
  const { resource, printerColumns, selectableFields, scale, conversion, storedResource, deprecation } = version;
  const strategy = strategyFor(resource);
  let stored: Served | undefined;
  return new Served({
    resource,
    collection: store.collection({ id: servedResourceCollection(resource), layout: 'sorted' }),
    stored: () =>
      (stored ??= serveCustomResource(store, { ...version, resource: storedResource, conversion: undefined })),
    strategy: scale === undefined ? strategy : { ...strategy, scale },
    fields: fieldLookup(resource, selectableFields),
    table: async () =>
      (await import('../api/table/table-format.ts')).tableFormat(
        resource,
        printerColumns.length === 0 ? undefined : printerColumns,
      ),
    conversion,
    deprecation,
  });
}

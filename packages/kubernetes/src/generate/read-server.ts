import type { DiscoveryList, OpenApiDocument, ServerSchemas } from './input.ts';
import { compareForSorting } from './sorting.ts';

/** Sends one GET request and returns the decoded JSON. `accept` is the value of that header. */
export type GetJson = (path: string, accept?: string) => Promise<unknown>;

export interface ReadServerOptions {
  /** The group-versions to read (`v1`, `example.com/v1`). @default all */
  readonly groupVersions?: readonly string[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Reads everything that `generate` needs from a server.
 *
 * Documents are read one after the other: a server builds them on demand and they are large. A group-version in
 * discovery without a document in `/openapi/v3` is left out silently, because aggregated API servers often have none.
 *
 * Room rule: knows paths. Connections, credentials and retries belong to `get`.
 */
export async function readServer(get: GetJson, options: ReadServerOptions = {}): Promise<ServerSchemas> {
  const wanted = options.groupVersions === undefined ? undefined : new Set(options.groupVersions);
  const discovery = [
    (await get('/api', AGGREGATED)) as DiscoveryList,
    (await get('/apis', AGGREGATED)) as DiscoveryList,
  ];
  const index = (await get('/openapi/v3')) as {
    readonly paths?: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  };
  const documents = new Map<string, OpenApiDocument>();
  const paths = new Map(Object.entries(index.paths ?? {}));
  for (const name of [...paths.keys()].toSorted(compareForSorting)) {
    const groupVersion = /^(?:api|apis\/[^/]+)\/[^/]+$/.test(name) ? name.replace(/^apis?\//, '') : undefined;
    if (groupVersion === undefined || (wanted !== undefined && !wanted.has(groupVersion))) continue;
    const url = paths.get(name)?.serverRelativeURL ?? '';
    // The request has credentials, so the server must not choose its destination.
    if (!url.startsWith('/openapi/v3/'))
      throw new Error(`the server has the schemas of ${name} outside /openapi/v3, where they are not read`);
    documents.set(name, (await get(url)) as OpenApiDocument);
  }
  return { documents: Object.fromEntries(documents), discovery };
}

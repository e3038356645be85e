import type { DiscoveryList, OpenApiDocument, ServerSchemas } from './input.ts';
import { byText } from './names.ts';

/** Sends a GET and resolves with the decoded JSON. `accept` is the value of that header. */
export type GetJson = (path: string, accept?: string) => Promise<unknown>;

export interface ReadServerOptions {
  /** The group-versions to read (`v1`, `example.com/v1`). @default all */
  readonly groupVersions?: readonly string[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Reads the input of `generate` from a server.
 *
 * Reads documents one after the other: a server builds them on demand and they are large. A group-version that is in
 * discovery but not in `/openapi/v3` is left out silently, because servers behind an APIService often have no schemas;
 * compare `documents` with `discovery` to find them.
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
  const documents: Record<string, OpenApiDocument> = {};
  for (const name of Object.keys(index.paths ?? {}).toSorted(byText)) {
    const groupVersion = /^(?:api|apis\/[^/]+)\/[^/]+$/.test(name) ? name.replace(/^apis?\//, '') : undefined;
    if (groupVersion === undefined || (wanted !== undefined && !wanted.has(groupVersion))) continue;
    const url = index.paths?.[name]?.serverRelativeURL ?? '';
    // `get` sends credentials, so the server must not choose the address.
    if (!url.startsWith('/openapi/v3/')) throw new Error(`the server keeps the schemas of ${name} outside /openapi/v3`);
    documents[name] = (await get(url)) as OpenApiDocument;
  }
  return { documents, discovery };
}

import type { DiscoveryList, OpenApiDocument, ServerSchemas } from './input.ts';
import { byText } from './names.ts';

/** One GET of a path, giving the decoded JSON. `accept` is the value of that header. */
export type GetJson = (path: string, accept?: string) => Promise<unknown>;

export interface ReadServerOptions {
  /** The group-versions to read (`v1`, `example.com/v1`). @default all */
  readonly groupVersions?: readonly string[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Asks a server for everything `generate` needs.
 *
 * Documents are read one after the other: a server builds them on demand and they are large. A group-version that
 * discovery names and `/openapi/v3` does not is left out without a word, because servers behind an APIService often
 * have none; who needs it compares.
 *
 * Room rule: knows paths. Connections, credentials and retries belong to whoever gives `get`.
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
    // The credentials of `get` go along, so the server does not choose where to.
    if (!url.startsWith('/openapi/v3/')) throw new Error(`the server keeps the schemas of ${name} outside /openapi/v3`);
    documents[name] = (await get(url)) as OpenApiDocument;
  }
  return { documents, discovery };
}

/** A resource in one version, as discovery describes it. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

export type GroupVersion = Pick<ApiResource, 'group' | 'version'>;

/** All resources a server serves. */
export interface ServerResources {
  readonly resources: readonly ApiResource[];
  /** Group-versions whose server is down: their resources may be missing or old. */
  readonly unavailable: readonly string[];
}

/** The full name of a resource: `v1/pods`, `apps/v1/deployments`. */
export function discoveryDocumentName({
  group,
  version,
  resource,
}: Pick<ApiResource, 'group' | 'version' | 'resource'>): string {
  return group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;
}

/** True for aggregated discovery (one document for all groups), false for the older documents per group-version. */
export function isAggregatedDocument(document: unknown): boolean {
  return textInDocument(recordInDocument(document)['kind']) === 'APIGroupDiscoveryList';
}

/** Reads an aggregated document. Malformed entries are left out, so that one strange extension does not hide the rest. */
export function resourcesInAggregatedDocument(document: unknown): ServerResources {
  const resources: ApiResource[] = [];
  const unavailable: string[] = [];
  for (const item of recordsInDocument(document, 'items')) {
    const group = textInDocument(recordInDocument(item['metadata'])['name']);
    for (const served of recordsInDocument(item, 'versions')) {
      const version = textInDocument(served['version']);
      // The aggregated API server is unreachable; its last known resources are better than none.
      if (served['freshness'] === 'Stale') unavailable.push(`${group}/${version}`);
      for (const one of recordsInDocument(served, 'resources')) {
        resources.push({
          group,
          version,
          resource: textInDocument(one['resource']),
          singular: textInDocument(one['singularResource']),
          kind: textInDocument(recordInDocument(one['responseKind'])['kind']),
          namespaced: one['scope'] === 'Namespaced',
          shortNames: textsInDocument(one['shortNames']),
          verbs: textsInDocument(one['verbs']),
          subresources: recordsInDocument(one, 'subresources').map((sub) => textInDocument(sub['subresource'])),
        });
      }
    }
  }
  return { resources: resources.filter(discoveryDocumentHasName), unavailable };
}

/** The group-versions listed at `/api` (APIVersions) and `/apis` (APIGroupList), the preferred version of a group first. */
export function groupVersionsInDocument(document: unknown): GroupVersion[] {
  const core = textsInDocument(recordInDocument(document)['versions']).map((version) => ({ group: '', version }));
  const groups = recordsInDocument(document, 'groups').flatMap((item) => {
    const preferred = textInDocument(recordInDocument(item['preferredVersion'])['version']);
    const all = recordsInDocument(item, 'versions').map((one) => textInDocument(one['version']));
    const order = all.toSorted((a, b) => Number(b === preferred) - Number(a === preferred));
    return order.map((version) => ({ group: textInDocument(item['name']), version }));
  });
  return [...core, ...groups];
}

/** Reads the document of one group-version (APIResourceList), where subresources are separate entries. */
export function resourcesInLegacyDocument({ group, version }: GroupVersion, document: unknown): ApiResource[] {
  const all = recordsInDocument(document, 'resources').map((one) => ({ one, name: textInDocument(one['name']) }));
  return all
    .filter(({ name }) => !name.includes('/'))
    .map(({ one, name }) => ({
      group,
      version,
      resource: name,
      singular: textInDocument(one['singularName']),
      kind: textInDocument(one['kind']),
      namespaced: one['namespaced'] === true,
      shortNames: textsInDocument(one['shortNames']),
      verbs: textsInDocument(one['verbs']),
      subresources: all
        .filter((other) => other.name.startsWith(`${name}/`))
        .map((other) => other.name.slice(name.length + 1)),
    }))
    .filter(discoveryDocumentHasName);
}

function discoveryDocumentHasName({ version, resource }: ApiResource): boolean {
  return version !== '' && resource !== '';
}

type Fields = Readonly<Record<string, unknown>>;

function recordInDocument(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function recordsInDocument(value: unknown, name: string): Fields[] {
  const found = recordInDocument(value)[name];
  return Array.isArray(found) ? found.map(recordInDocument) : [];
}

function textInDocument(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsInDocument(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

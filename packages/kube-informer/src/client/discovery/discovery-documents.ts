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

/** `v1/pods`, `apps/v1/deployments`. */
export function fullResourceName({
  group,
  version,
  resource,
}: Pick<ApiResource, 'group' | 'version' | 'resource'>): string {
  return group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;
}

/** True for aggregated discovery (one document for all groups), false for the older documents per group-version. */
export function isAggregatedDiscovery(document: unknown): boolean {
  return textIn(recordIn(document)['kind']) === 'APIGroupDiscoveryList';
}

/** Reads an aggregated document. Malformed entries are left out, so that one strange extension does not hide the rest. */
export function resourcesFromAggregated(document: unknown): ServerResources {
  const resources: ApiResource[] = [];
  const unavailable: string[] = [];
  for (const item of recordsIn(document, 'items')) {
    const group = textIn(recordIn(item['metadata'])['name']);
    for (const served of recordsIn(item, 'versions')) {
      const version = textIn(served['version']);
      // The aggregated API server is unreachable; its last known resources are better than none.
      if (served['freshness'] === 'Stale') unavailable.push(`${group}/${version}`);
      for (const one of recordsIn(served, 'resources')) {
        resources.push({
          group,
          version,
          resource: textIn(one['resource']),
          singular: textIn(one['singularResource']),
          kind: textIn(recordIn(one['responseKind'])['kind']),
          namespaced: one['scope'] === 'Namespaced',
          shortNames: textsIn(one['shortNames']),
          verbs: textsIn(one['verbs']),
          subresources: recordsIn(one, 'subresources').map((sub) => textIn(sub['subresource'])),
        });
      }
    }
  }
  return { resources: resources.filter(hasResourceName), unavailable };
}

/** The group-versions listed at `/api` (APIVersions) and `/apis` (APIGroupList), the preferred version of a group first. */
export function groupVersionsServed(document: unknown): GroupVersion[] {
  const core = textsIn(recordIn(document)['versions']).map((version) => ({ group: '', version }));
  const groups = recordsIn(document, 'groups').flatMap((item) => {
    const preferred = textIn(recordIn(item['preferredVersion'])['version']);
    const all = recordsIn(item, 'versions').map((one) => textIn(one['version']));
    const order = all.toSorted((a, b) => Number(b === preferred) - Number(a === preferred));
    return order.map((version) => ({ group: textIn(item['name']), version }));
  });
  return [...core, ...groups];
}

/** Reads the document of one group-version (APIResourceList), where subresources are separate entries. */
export function resourcesFromLegacy({ group, version }: GroupVersion, document: unknown): ApiResource[] {
  const all = recordsIn(document, 'resources').map((one) => ({ one, name: textIn(one['name']) }));
  return all
    .filter(({ name }) => !name.includes('/'))
    .map(({ one, name }) => ({
      group,
      version,
      resource: name,
      singular: textIn(one['singularName']),
      kind: textIn(one['kind']),
      namespaced: one['namespaced'] === true,
      shortNames: textsIn(one['shortNames']),
      verbs: textsIn(one['verbs']),
      subresources: all
        .filter((other) => other.name.startsWith(`${name}/`))
        .map((other) => other.name.slice(name.length + 1)),
    }))
    .filter(hasResourceName);
}

function hasResourceName({ version, resource }: ApiResource): boolean {
  return version !== '' && resource !== '';
}

type Fields = Readonly<Record<string, unknown>>;

function recordIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function recordsIn(value: unknown, name: string): Fields[] {
  const found = recordIn(value)[name];
  return Array.isArray(found) ? found.map(recordIn) : [];
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

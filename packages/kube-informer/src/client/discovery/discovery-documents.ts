/** One resource a server serves, in one version. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

export type GroupVersion = Pick<ApiResource, 'group' | 'version'>;

export interface Catalogue {
  readonly resources: readonly ApiResource[];
  /** Groups with their versions that could not be asked. */
  readonly silent: readonly string[];
}

/** `v1/pods`, `apps/v1/deployments`. */
export function fullName({ group, version, resource }: Pick<ApiResource, 'group' | 'version' | 'resource'>): string {
  return group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;
}

/**
 * Reading what servers say about themselves: the aggregated document (one for all groups) and the older ones.
 *
 * What does not have the expected shape is left out, so a strange extension does not hide the rest.
 */
export function isAggregated(document: unknown): boolean {
  return text(record(document)['kind']) === 'APIGroupDiscoveryList';
}

export function fromAggregated(document: unknown): Catalogue {
  const resources: ApiResource[] = [];
  const silent: string[] = [];
  for (const item of list(document, 'items')) {
    const group = text(record(item['metadata'])['name']);
    for (const of of list(item, 'versions')) {
      const version = text(of['version']);
      // The server behind could not be reached lately; an old answer is better than none.
      if (of['freshness'] === 'Stale') silent.push(`${group}/${version}`);
      for (const one of list(of, 'resources')) {
        resources.push({
          group,
          version,
          resource: text(one['resource']),
          singular: text(one['singularResource']),
          kind: text(record(one['responseKind'])['kind']),
          namespaced: one['scope'] === 'Namespaced',
          shortNames: texts(one['shortNames']),
          verbs: texts(one['verbs']),
          subresources: list(one, 'subresources').map((sub) => text(sub['subresource'])),
        });
      }
    }
  }
  return { resources: resources.filter(isNamed), silent };
}

/** What there is to ask about, from the documents at `/api` (APIVersions) and `/apis` (APIGroupList). */
export function groupVersions(document: unknown): GroupVersion[] {
  const core = texts(record(document)['versions']).map((version) => ({ group: '', version }));
  const groups = list(document, 'groups').flatMap((item) => {
    const preferred = text(record(item['preferredVersion'])['version']);
    const all = list(item, 'versions').map((one) => text(one['version']));
    const order = all.toSorted((a, b) => Number(b === preferred) - Number(a === preferred));
    return order.map((version) => ({ group: text(item['name']), version }));
  });
  return [...core, ...groups];
}

/** The document of one group and version (APIResourceList); subresources are entries of their own there. */
export function fromLegacy({ group, version }: GroupVersion, document: unknown): ApiResource[] {
  const all = list(document, 'resources').map((one) => ({ one, name: text(one['name']) }));
  return all
    .filter(({ name }) => !name.includes('/'))
    .map(({ one, name }) => ({
      group,
      version,
      resource: name,
      singular: text(one['singularName']),
      kind: text(one['kind']),
      namespaced: one['namespaced'] === true,
      shortNames: texts(one['shortNames']),
      verbs: texts(one['verbs']),
      subresources: all
        .filter((other) => other.name.startsWith(`${name}/`))
        .map((other) => other.name.slice(name.length + 1)),
    }))
    .filter(isNamed);
}

function isNamed({ version, resource }: ApiResource): boolean {
  return version !== '' && resource !== '';
}

type Fields = Readonly<Record<string, unknown>>;

function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function list(value: unknown, name: string): Fields[] {
  const found = record(value)[name];
  return Array.isArray(found) ? found.map(record) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

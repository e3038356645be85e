import { inputApiVersion, type DiscoveredResource, type DiscoveryList, type GroupVersionKind } from './input.ts';
import { quoteGeneratedName } from './generated-names.ts';
import { compareForSorting } from './sorting.ts';

/** One resource of discovery, with all inherited fields filled in. */
export interface Kind extends GroupVersionKind {
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** The kind of a subresource may be of another group: `scale` is an autoscaling/v1 Scale. */
  readonly subresources: readonly (GroupVersionKind & { readonly name: string; readonly verbs: readonly string[] })[];
}

/**
 * Returns every resource of a server: groups by name with the core group first, versions in the server's order of
 * preference, resources by name.
 */
export function generatedKindsOfServer(discovery: readonly DiscoveryList[]): Kind[] {
  const groups = discovery
    .flatMap(({ items }) => items ?? [])
    .map(({ metadata, versions }) => ({ group: metadata?.name ?? '', versions: versions ?? [] }))
    .toSorted((a, b) => compareForSorting(a.group, b.group));
  return groups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      (resources ?? [])
        .toSorted((a, b) => compareForSorting(a.resource, b.resource))
        .map((resource) => generatedKindOfResource({ group, version }, resource)),
    ),
  );
}

/** The full name of a resource: `v1/pods`, `apps/v1/deployments`. */
export function generatedKindPlural(kind: Kind): string {
  return `${inputApiVersion(kind)}/${kind.resource}`;
}

function generatedKindOfResource(parent: Omit<GroupVersionKind, 'kind'>, found: DiscoveredResource): Kind {
  const responseKind = (given: DiscoveredResource['responseKind']): GroupVersionKind =>
    given?.version
      ? { group: given.group ?? '', version: given.version, kind: given.kind }
      : { ...parent, kind: given?.kind ?? '' };
  return {
    ...parent,
    kind: found.responseKind?.kind ?? '',
    resource: found.resource,
    singular: found.singularResource ?? '',
    namespaced: found.scope === 'Namespaced',
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    verbs: found.verbs.toSorted(compareForSorting),
    subresources: (found.subresources ?? [])
      .toSorted((a, b) => compareForSorting(a.subresource, b.subresource))
      .map(({ subresource, responseKind: given, verbs }) => ({
        name: subresource,
        ...responseKind(given),
        verbs: verbs.toSorted(compareForSorting),
      })),
  };
}

const DECLARATIONS = `export interface Subresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}
`;

/** Writes `kinds.ts`: the table as data, in which rows share equal lists of verbs. */
export function generatedKindsText(kinds: readonly Kind[], kubernetesVersion: string | undefined): string {
  const verbs = new Map<string, string>();
  const list = (texts: readonly string[]): string => `[${texts.map((text) => quoteGeneratedName(text)).join(', ')}]`;
  const shared = (texts: readonly string[]): string => {
    const text = list(texts);
    const name = verbs.get(text) ?? `verbs${verbs.size}`;
    verbs.set(text, name);
    return name;
  };
  const rows = kinds.map(
    (kind) =>
      `  { group: ${quoteGeneratedName(kind.group)}, version: ${quoteGeneratedName(kind.version)}, resource: ${quoteGeneratedName(kind.resource)}, ` +
      `singular: ${quoteGeneratedName(kind.singular)}, kind: ${quoteGeneratedName(kind.kind)}, namespaced: ${kind.namespaced}, ` +
      `shortNames: ${list(kind.shortNames)}, categories: ${list(kind.categories)}, verbs: ${shared(kind.verbs)}, ` +
      `subresources: [${kind.subresources
        .map(
          (sub) =>
            `{ name: ${quoteGeneratedName(sub.name)}, group: ${quoteGeneratedName(sub.group)}, version: ${quoteGeneratedName(sub.version)}, ` +
            `kind: ${quoteGeneratedName(sub.kind)}, verbs: ${shared(sub.verbs)} }`,
        )
        .join(', ')}] },\n`,
  );
  return [
    DECLARATIONS,
    ...(kubernetesVersion === undefined
      ? []
      : [`export const kubernetesVersion: string = ${quoteGeneratedName(kubernetesVersion)};\n`]),
    [...verbs].map(([text, name]) => `const ${name}: readonly string[] = ${text};\n`).join(''),
    `export const kinds: readonly Kind[] = [\n${rows.join('')}];\n`,
  ].join('\n');
}

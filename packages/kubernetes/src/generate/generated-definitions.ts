import type { DiscoveredResource, GroupVersionKind, OpenApiDocument, Schema, ServerSchemas } from './input.ts';
import { groupForSorting } from './sorting.ts';

/** The fields of a CustomResourceDefinition (apiextensions.k8s.io/v1) that decide the types of its objects. */
export interface Definition {
  readonly kind?: string;
  readonly spec?: {
    readonly group?: string;
    readonly scope?: string;
    readonly names?: {
      readonly kind?: string;
      readonly listKind?: string;
      readonly plural?: string;
      readonly singular?: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly versions?: readonly {
      readonly name?: string;
      readonly served?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: Schema };
      readonly subresources?: { readonly status?: unknown; readonly scale?: unknown };
    }[];
  };
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];
const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

/** A version of a definition that a server would serve. */
interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly resource: DiscoveredResource;
  readonly kind: string;
  readonly listKind: string;
  readonly schema: Schema;
}

/**
 * The schemas that `readServer` would read from a server with only these definitions installed. Needs no
 * server.
 *
 * Throws an Error for a definition without group, names or versions.
 */
export function generatedDefinitionSchemas(definitions: readonly Definition[]): ServerSchemas {
  const served = definitions.flatMap(generatedDefinitionVersions);
  const documents = new Map<string, OpenApiDocument>();
  for (const [name, versions] of groupForSorting(served, ({ group, version }) => `apis/${group}/${version}`)) {
    const schemas = new Map<string, Schema>([OBJECT_META, LIST_META].map((meta) => [meta, { type: 'object' }]));
    for (const one of versions) {
      schemas.set(generatedDefinitionName(one), generatedDefinitionSchema(one));
      schemas.set(generatedDefinitionName({ ...one, kind: one.listKind }), generatedDefinitionListSchema(one));
    }
    documents.set(name, { components: { schemas: Object.fromEntries(schemas) } });
  }
  const items = [...groupForSorting(served, ({ group }) => group)].map(([name, ofGroup]) => ({
    metadata: { name },
    versions: [...groupForSorting(ofGroup, ({ version }) => version)].map(([version, all]) => ({
      version,
      resources: all.map(({ resource }) => resource),
    })),
  }));
  return { documents: Object.fromEntries(documents), discovery: [{ items }] };
}

function generatedDefinitionVersions({ spec = {} }: Definition): ServedVersion[] {
  const { group, scope = 'Namespaced', names = {}, versions } = spec;
  const { kind, plural, singular = kind?.toLowerCase(), listKind = `${kind}List`, shortNames, categories } = names;
  if (!group || !kind || !plural || singular === undefined || versions === undefined)
    throw new Error('a definition needs spec.group, spec.names.kind, spec.names.plural and spec.versions');
  const resource: DiscoveredResource = {
    resource: plural,
    responseKind: { kind },
    scope,
    singularResource: singular,
    verbs: VERBS,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
  };
  return versions.flatMap(({ name: version, served = true, schema, subresources }) =>
    version === undefined || !served
      ? []
      : [
          {
            group,
            version,
            resource: {
              ...resource,
              subresources: generatedDefinitionSubresources({ group, version, kind }, subresources),
            },
            kind,
            listKind,
            schema: schema?.openAPIV3Schema ?? { type: 'object' },
          },
        ],
  );
}

/** `status: {}` and `scale: {…}` of a version, in the form in which a server lists them. */
function generatedDefinitionSubresources(
  own: GroupVersionKind,
  { status, scale }: { readonly status?: unknown; readonly scale?: unknown } = {},
): NonNullable<DiscoveredResource['subresources']> {
  return [
    ...(status === undefined ? [] : [{ subresource: 'status', responseKind: own, verbs: SUBRESOURCE_VERBS }]),
    ...(scale === undefined ? [] : [{ subresource: 'scale', responseKind: SCALE, verbs: SUBRESOURCE_VERBS }]),
  ];
}

/** The name that a server gives to a schema: `com.example.v1.Widget`. */
function generatedDefinitionName({ group, version, kind }: ServedVersion): string {
  return [...group.split('.').toReversed(), version, kind].join('.');
}

/** The schema of a custom resource with the fields that a server adds to it. */
function generatedDefinitionSchema({ group, version, kind, schema }: ServedVersion): Schema {
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: `#/components/schemas/${OBJECT_META}` },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

function generatedDefinitionListSchema(version: ServedVersion): Schema {
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: { $ref: `#/components/schemas/${generatedDefinitionName(version)}` } },
      kind: { type: 'string' },
      metadata: { $ref: `#/components/schemas/${LIST_META}` },
    },
    'x-kubernetes-group-version-kind': [{ group: version.group, version: version.version, kind: version.listKind }],
  };
}

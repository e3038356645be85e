import type {
  DiscoveredResource,
  DiscoveryList,
  OpenApiDocument,
  Schema,
  ServerSchemas,
} from '../src/generate/index.ts';

/** A document with these schemas. */
export function documentOf(schemas: Record<string, Schema>): OpenApiDocument {
  return { components: { schemas } };
}

/** A schema of a served kind. */
export function kindSchema(group: string, version: string, kind: string, schema: Schema = {}): Schema {
  return {
    type: 'object',
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' } },
    ...schema,
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

export function resource(kind: string, more: Partial<DiscoveredResource> = {}): DiscoveredResource {
  return {
    resource: `${kind.toLowerCase()}s`,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs: ['get', 'list'],
    ...more,
  };
}

/** Discovery of one group; versions in the server's order. */
export function discoveryOf(group: string, versions: Record<string, DiscoveredResource[]>): DiscoveryList {
  return {
    items: [
      {
        metadata: group === '' ? {} : { name: group },
        versions: Object.entries(versions).map(([version, resources]) => ({ version, resources })),
      },
    ],
  };
}

/** One group-version, each kind with the schema given for it. */
export function serverOf(group: string, version: string, kinds: Record<string, Schema>): ServerSchemas {
  const reversed = group.split('.').toReversed().join('.');
  return {
    documents: {
      [`apis/${group}/${version}`]: documentOf(
        Object.fromEntries(
          Object.entries(kinds).map(([kind, schema]) => [
            `${reversed}.${version}.${kind}`,
            kindSchema(group, version, kind, schema),
          ]),
        ),
      ),
    },
    discovery: [discoveryOf(group, { [version]: Object.keys(kinds).map((kind) => resource(kind)) })],
  };
}

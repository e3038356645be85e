import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import { META } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import { openApiSchemaName } from './openapi-names.ts';

const TEXT: JsonObject = { type: 'string' };
const customSchemaReference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
/** The metadata of a custom schema, in `allOf` because a reference allows no siblings. */
const customSchemaMetadata = (kind: string): JsonObject => ({ allOf: [customSchemaReference(`${META}${kind}`)] });

/** The schemas that a custom resource adds to a document: of its objects and of their list. */
export function customSchemas(resource: Resource): JsonObject {
  const { group, version, kind, listKind, schema } = resource;
  const name = openApiSchemaName(resource, true);
  const root = publishedCustomSchema(
    schema?.raw ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  ) as JsonObject;
  const properties = isJson(root['properties']) ? root['properties'] : {};
  return {
    [name]: {
      ...root,
      properties: { ...properties, apiVersion: TEXT, kind: TEXT, metadata: customSchemaMetadata('ObjectMeta') },
      'x-kubernetes-group-version-kind': [{ group, kind, version }],
    },
    [openApiSchemaName({ group, version, kind: listKind }, true)]: {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: TEXT,
        items: { type: 'array', items: customSchemaReference(name) },
        kind: TEXT,
        metadata: customSchemaMetadata('ListMeta'),
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    },
  };
}

/** A schema as it is published. Embedded objects have the fields of every object, which a definition does not list. */
function publishedCustomSchema(node: Json): Json {
  if (Array.isArray(node)) return node.map(publishedCustomSchema);
  if (!isJson(node)) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === 'default' || key === 'enum' ? value : publishedCustomSchema(value),
    ]),
  ) as JsonObject;
  if (node['x-kubernetes-embedded-resource'] !== true) return copy;
  const properties = isJson(copy['properties']) ? copy['properties'] : {};
  return {
    ...copy,
    required: [...((copy['required'] ?? []) as Json[]), 'kind', 'apiVersion'],
    properties: { ...properties, apiVersion: TEXT, kind: TEXT, metadata: customSchemaMetadata('ObjectMeta') },
  };
}

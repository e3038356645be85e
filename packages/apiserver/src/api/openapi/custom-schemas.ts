import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { META } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import { schemaNameOf } from './names.ts';

const TEXT: JsonObject = { type: 'string' };
const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
/** References have neighbours only inside `allOf`. */
const metadata = (kind: string): JsonObject => ({ allOf: [reference(`${META}${kind}`)] });

/** The schemas that a custom resource adds to a document: of its objects and of their list. */
export function customSchemas(resource: Resource): JsonObject {
  const { group, version, kind, listKind, schema } = resource;
  const name = schemaNameOf(resource, true);
  const root = published(schema?.raw ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) as JsonObject;
  const properties = isObject(root['properties']) ? root['properties'] : {};
  return {
    [name]: {
      ...root,
      properties: { ...properties, apiVersion: TEXT, kind: TEXT, metadata: metadata('ObjectMeta') },
      'x-kubernetes-group-version-kind': [{ group, kind, version }],
    },
    [schemaNameOf({ group, version, kind: listKind }, true)]: {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: TEXT,
        items: { type: 'array', items: reference(name) },
        kind: TEXT,
        metadata: metadata('ListMeta'),
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    },
  };
}

/** Objects inside an object have the fields of every object; a definition does not say so. */
function published(node: Json): Json {
  if (Array.isArray(node)) return node.map(published);
  if (!isObject(node)) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'default' || key === 'enum' ? value : published(value)]),
  ) as JsonObject;
  if (node['x-kubernetes-embedded-resource'] !== true) return copy;
  const properties = isObject(copy['properties']) ? copy['properties'] : {};
  return {
    ...copy,
    required: [...((copy['required'] ?? []) as Json[]), 'kind', 'apiVersion'],
    properties: { ...properties, apiVersion: TEXT, kind: TEXT, metadata: metadata('ObjectMeta') },
  };
}

import { kubernetesVersion } from '@kube-informer/kubernetes/kinds';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { Resource } from '../schema/resource.ts';
import { schemaFromReference } from '../schema/schema-from.ts';
import { encodeOpenApiV2 } from './encode-v2.ts';
import { type OpenApiV3, openApiV3 } from './v3.ts';

/** The one OpenAPI v2 document of a server, made from the v3 documents on the first request. Older clients need it. */
export interface OpenApiV2 {
  /** The document as JSON. Shared: do not change it. */
  json(): JsonObject;
  /** The document in gnostic's protobuf form, the only one that kubectl before 1.23 reads. */
  protobuf(): Uint8Array;
}

/** Existing `documents` are reused. */
export function openApiV2(resources: readonly Resource[], documents: OpenApiV3 = openApiV3(resources)): OpenApiV2 {
  let json: JsonObject | undefined;
  let protobuf: Uint8Array | undefined;
  const makeJson = (): JsonObject => (json ??= v2Document(documents));
  return { json: makeJson, protobuf: () => (protobuf ??= encodeOpenApiV2(makeJson())) };
}

function v2Document(documents: OpenApiV3): JsonObject {
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  const options = new Map<string, JsonObject[]>();
  for (const path of Object.keys(documents.index['paths'] as JsonObject)) {
    const parts = v2DocumentParts(documents.document(path) as JsonObject);
    Object.assign(paths, parts.paths);
    for (const [name, schema] of Object.entries(parts.definitions)) {
      // Most documents carry the same schemas; options have another group in each of them, and here all groups.
      definitions[name] ??= schema;
      const kinds = (schema as JsonObject)[KINDS];
      if (Array.isArray(kinds) && kinds.length > 1)
        options.set(name, [...(options.get(name) ?? []), ...(kinds as JsonObject[])]);
    }
  }
  for (const [name, kinds] of options) {
    const texts = new Set(kinds.map((kind) => JSON.stringify(kind)));
    definitions[name] = {
      ...(definitions[name] as JsonObject),
      [KINDS]: [...texts].toSorted().map((text) => JSON.parse(text) as Json),
    };
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: kubernetesVersion },
    paths: sortV2(paths),
    definitions: sortV2(definitions),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}

interface Parts {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

/**
 * Parts of documents. Documents of built-in groups stay the same when custom resources change, and so do
 * these parts.
 */
const partsByDocument = new WeakMap<JsonObject, Parts>();

function v2DocumentParts(document: JsonObject): Parts {
  let parts = partsByDocument.get(document);
  if (parts === undefined) {
    const { paths, components } = document as { paths: JsonObject; components: { schemas: JsonObject } };
    parts = {
      paths: mapV2(paths, (item) => v2PathItem(item as JsonObject)),
      definitions: mapV2(components.schemas, (schema) => v2Definition(schema as JsonObject)),
    };
    partsByDocument.set(document, parts);
  }
  return parts;
}

const definitionBySchema = new WeakMap<JsonObject, JsonObject>();

function v2Definition(schema: JsonObject): JsonObject {
  let definition = definitionBySchema.get(schema);
  if (definition === undefined) definitionBySchema.set(schema, (definition = v2Schema(schema)));
  return definition;
}

function mapV2(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

const KINDS = 'x-kubernetes-group-version-kind';

function v2PathItem({ parameters, ...operations }: JsonObject): JsonObject {
  return {
    ...mapV2(operations, (of) => v2Operation(of as JsonObject)),
    parameters: ((parameters ?? []) as JsonObject[]).map(v2Parameter),
  };
}

function v2Operation(from: JsonObject): JsonObject {
  const { tags, operationId, parameters, requestBody, responses, ...extensions } = from;
  const body = requestBody as { content: JsonObject; required?: boolean } | undefined;
  const bodyParameter =
    body === undefined
      ? []
      : [
          {
            name: 'body',
            in: 'body',
            ...(body.required ? { required: true } : {}),
            schema: v2SchemaOfContent(body.content),
          },
        ];
  const answers = Object.entries(responses as Record<string, JsonObject>);
  const produced = answers.flatMap(([, answer]) => (isJson(answer['content']) ? Object.keys(answer['content']) : []));
  return {
    consumes: body === undefined ? ['*/*'] : Object.keys(body.content),
    produces: [...new Set(produced)],
    schemes: ['https'],
    tags: tags ?? [],
    operationId: operationId ?? '',
    parameters: [...bodyParameter, ...((parameters ?? []) as JsonObject[]).map(v2Parameter)] as Json[],
    responses: Object.fromEntries(
      answers.map(([code, { content, description }]) => [
        code,
        { description: description ?? '', ...(isJson(content) ? { schema: v2SchemaOfContent(content) } : {}) },
      ]),
    ) as JsonObject,
    ...extensions,
  };
}

function v2Parameter({ schema, ...rest }: JsonObject): JsonObject {
  return { ...(schema as JsonObject), ...rest };
}

function v2SchemaOfContent(content: JsonObject): JsonObject {
  const [first] = Object.values(content) as { schema: JsonObject }[];
  return v2Schema(first?.schema ?? {});
}

/**
 * Keywords that v2 cannot express and that are left out: alternatives, null, and defaults, which servers
 * never include.
 */
const UNKNOWN_IN_V2: ReadonlySet<string> = new Set(['$ref', 'allOf', 'anyOf', 'default', 'not', 'nullable', 'oneOf']);
const STRUCTURE: ReadonlySet<string> = new Set(['type', 'properties', 'items', 'additionalProperties', 'required']);

function v2Schema(schema: JsonObject): JsonObject {
  const name = schemaFromReference(schema);
  // Any value: in v2 that is an empty schema.
  const isOpen =
    schema['nullable'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-int-or-string'] === true;
  const kept = Object.entries(schema)
    .filter(([key]) => !UNKNOWN_IN_V2.has(key) && !(isOpen && STRUCTURE.has(key)))
    .map(([key, value]): [string, Json] => [key, v2Value(key, value)]);
  return {
    ...(name === undefined ? {} : { $ref: `#/definitions/${name}` }),
    // Quantity, IntOrString: a number or a text, described as a text.
    ...(name === undefined && !isOpen && Array.isArray(schema['oneOf']) && !('type' in schema)
      ? { type: 'string' }
      : {}),
    ...Object.fromEntries(kept),
  };
}

function v2Value(key: string, value: Json): Json {
  if ((key === 'items' || key === 'additionalProperties') && isJson(value)) return v2Schema(value);
  if (key !== 'properties' || !isJson(value)) return value;
  return mapV2(value, (of) => (isJson(of) ? v2Schema(of) : of));
}

function sortV2(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

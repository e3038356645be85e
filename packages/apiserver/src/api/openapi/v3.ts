import { createHash } from 'node:crypto';
import { kubernetesVersion } from '@kube-informer/kubernetes/kinds';
import { rawSchemas } from '../../core/data.ts';
import { once } from '../../core/run-once.ts';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import { META } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import { customSchemas } from './custom-schemas.ts';
import type { Descriptions } from './openapi-descriptions.ts';
import { openApiPaths } from './openapi-paths.ts';

/**
 * The OpenAPI v3 documents of a server: one for each group-version.
 *
 * Each is built when it is first requested. `path` is as in the index: `api/v1`, `apis/apps/v1`.
 */
export interface OpenApiV3 {
  /** The document at `/openapi/v3`. */
  readonly index: JsonObject;
  /** The index as bytes, encoded once. */
  indexBody(): Buffer;
  /** The `?hash=` of a path in the index; undefined for a path that is not there. */
  hash(path: string): string | undefined;
  /** The document of a path. Shared: do not change it. */
  document(path: string): JsonObject | undefined;
  /** The document of a path as bytes, encoded once. */
  body(path: string): Buffer | undefined;
}

/** Documents by path, with the hash of their sources. */
export type KeptDocuments = Map<string, { readonly hash: string; readonly document: JsonObject; body?: Buffer }>;

const BearerToken: JsonObject = {
  type: 'apiKey',
  description: 'Bearer Token authentication',
  name: 'authorization',
  in: 'header',
};

const REFERENCE = '#/components/schemas/';

/** Documents of built-in group-versions are the same in every server of the process. */
const builtInDocuments: KeptDocuments = new Map();

/**
 * `kept`: documents of an earlier list of resources; those that are still valid are reused. `texts` describe
 * the built-in kinds, which have no descriptions otherwise.
 */
export function openApiV3(
  resources: readonly Resource[],
  kept: KeptDocuments = new Map(),
  texts?: Descriptions,
): OpenApiV3 {
  const byPath = groupByV3Path(resources);
  const hashes = new Map([...byPath].map(([path, of]) => [path, v3DocumentHash(path, of, texts)]));
  for (const path of kept.keys()) if (!hashes.has(path)) kept.delete(path);
  const entry = (path: string): { readonly document: JsonObject; body?: Buffer } | undefined => {
    const [of, hash] = [byPath.get(path), hashes.get(path)];
    if (of === undefined || hash === undefined) return undefined;
    const documents = texts !== undefined || of.some(({ custom }) => custom) ? kept : builtInDocuments;
    let found = documents.get(path);
    if (found?.hash !== hash) documents.set(path, (found = { hash, document: v3Document(of, texts) }));
    return found;
  };
  const index = {
    paths: Object.fromEntries(
      [...hashes]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]),
    ),
  };
  return {
    index,
    indexBody: once(() => Buffer.from(JSON.stringify(index))),
    hash: (path) => hashes.get(path),
    document: (path) => entry(path)?.document,
    body: (path) => {
      const found = entry(path);
      return found === undefined ? undefined : (found.body ??= Buffer.from(JSON.stringify(found.document)));
    },
  };
}

function v3DocumentPath({ group, version }: Resource): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function groupByV3Path(resources: readonly Resource[]): Map<string, Resource[]> {
  const groups = new Map<string, Resource[]>();
  for (const resource of resources) {
    const path = v3DocumentPath(resource);
    groups.set(path, [...(groups.get(path) ?? []), resource]);
  }
  return groups;
}

/** Hash of the sources of a document, so that the index need not build every document. */
function v3DocumentHash(path: string, resources: readonly Resource[], texts: Descriptions | undefined): string {
  const facts = resources.filter(({ custom }) => custom).map(v3ResourceHash);
  return openApiV3Hash(JSON.stringify([kubernetesVersion, path, facts, ...(texts === undefined ? [] : [texts.hash])]));
}

/** Hashes by resource. A resource is a new object whenever its definition changes. */
const resourceHashes = new WeakMap<Resource, string>();

function v3ResourceHash(resource: Resource): string {
  let known = resourceHashes.get(resource);
  if (known === undefined) {
    const { schema, ...facts } = resource;
    resourceHashes.set(resource, (known = openApiV3Hash(JSON.stringify([facts, schema?.raw ?? null]))));
  }
  return known;
}

const openApiV3Hash = (text: string): string => createHash('sha512').update(text).digest('hex').toUpperCase();

function v3Document(resources: readonly Resource[], texts: Descriptions | undefined): JsonObject {
  const paths = Object.assign({}, ...resources.map(openApiPaths)) as JsonObject;
  const own = Object.assign({}, ...resources.filter(({ custom }) => custom).map(customSchemas)) as JsonObject;
  const [first] = resources as [Resource];
  return {
    openapi: '3.0.0',
    info: {
      title: first.custom ? 'Kubernetes CRD Swagger' : 'Kubernetes',
      version: first.custom ? 'v0.1.0' : kubernetesVersion,
    },
    paths: sortV3(paths),
    components: {
      schemas: sortV3(v3Schemas(paths, own, first, texts)),
      ...(first.custom ? {} : { securitySchemes: { BearerToken } }),
    },
  };
}

/** Every schema that the operations, and those schemas, refer to. */
function v3Schemas(
  paths: JsonObject,
  own: JsonObject,
  { group, version }: Resource,
  texts: Descriptions | undefined,
): JsonObject {
  const found: JsonObject = {};
  const wanted = new Set([...v3References(paths), ...Object.keys(own)]);
  // A Set that grows while it is iterated is iterated to its new end.
  for (const name of wanted) {
    const plain = own[name] ?? rawSchemas()[name];
    if (plain === undefined) continue;
    const schema = texts === undefined ? plain : texts.describe(name, plain as JsonObject);
    found[name] = name === `${META}DeleteOptions` ? v3KindInGroup(schema as JsonObject, group, version) : schema;
    for (const reference of v3References(schema)) wanted.add(reference);
  }
  return found;
}

/** A schema as it appears in a group. Options are kinds of every group; a document names the core one and its own. */
function v3KindInGroup(schema: JsonObject, group: string, version: string): JsonObject {
  const key = 'x-kubernetes-group-version-kind';
  const kinds = schema[key] as JsonObject[];
  return group === '' ? schema : { ...schema, [key]: [...kinds, { group, kind: 'DeleteOptions', version }] };
}

function v3References(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(v3References);
  if (!isJson(node)) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value.slice(REFERENCE.length)] : v3References(value),
  );
}

function sortV3(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

import { createHash } from 'node:crypto';
import { kubernetesVersion } from '@kube-informer/kubernetes/kinds';
import { rawSchemas } from '../../core/data.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { META } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import { customSchemas } from './custom-schemas.ts';
import { pathsOf } from './paths.ts';

/**
 * The OpenAPI v3 documents of a server: one for each group-version.
 *
 * Nothing is built before it is asked for. `path` is as in the index: `api/v1`, `apis/apps/v1`.
 */
export interface OpenApiV3 {
  /** `/openapi/v3` */
  readonly index: JsonObject;
  /** The `?hash=` of a path in the index; undefined for a path that is not there. */
  hash(path: string): string | undefined;
  /** Shared: do not change it. */
  document(path: string): JsonObject | undefined;
  /** The same as text, made once. */
  text(path: string): string | undefined;
}

const BearerToken: JsonObject = {
  type: 'apiKey',
  description: 'Bearer Token authentication',
  name: 'authorization',
  in: 'header',
};

const REFERENCE = '#/components/schemas/';

/** Documents of built-in group-versions are the same in every server of the process. */
const builtInTexts = new Map<string, { readonly document: JsonObject; text?: string }>();

export function openApiV3(resources: readonly Resource[]): OpenApiV3 {
  const byPath = groupByPath(resources);
  const hashes = new Map([...byPath].map(([path, of]) => [path, hashOf(path, of)]));
  const made = new Map<string, { readonly document: JsonObject; text?: string }>();
  const entry = (path: string): { readonly document: JsonObject; text?: string } | undefined => {
    const of = byPath.get(path);
    if (of === undefined) return undefined;
    const kept = of.some(({ custom }) => custom) ? made : builtInTexts;
    let found = kept.get(path);
    if (found === undefined) kept.set(path, (found = { document: documentOf(of) }));
    return found;
  };
  return {
    index: {
      paths: Object.fromEntries(
        [...hashes]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]),
      ),
    },
    hash: (path) => hashes.get(path),
    document: (path) => entry(path)?.document,
    text: (path) => {
      const found = entry(path);
      return found === undefined ? undefined : (found.text ??= JSON.stringify(found.document));
    },
  };
}

function documentPath({ group, version }: Resource): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function groupByPath(resources: readonly Resource[]): Map<string, Resource[]> {
  const groups = new Map<string, Resource[]>();
  for (const resource of resources) {
    const path = documentPath(resource);
    groups.set(path, [...(groups.get(path) ?? []), resource]);
  }
  return groups;
}

/** From what the document is made of, so that the index does not have to make them all. */
function hashOf(path: string, resources: readonly Resource[]): string {
  const custom = resources.filter((resource) => resource.custom);
  const facts = custom.map(({ schema, ...resource }) => [resource, schema?.raw ?? null]);
  return createHash('sha512')
    .update(JSON.stringify([kubernetesVersion, path, facts]))
    .digest('hex')
    .toUpperCase();
}

function documentOf(resources: readonly Resource[]): JsonObject {
  const paths = Object.assign({}, ...resources.map(pathsOf)) as JsonObject;
  const own = Object.assign({}, ...resources.filter(({ custom }) => custom).map(customSchemas)) as JsonObject;
  const [first] = resources as [Resource];
  return {
    openapi: '3.0.0',
    info: {
      title: first.custom ? 'Kubernetes CRD Swagger' : 'Kubernetes',
      version: first.custom ? 'v0.1.0' : kubernetesVersion,
    },
    paths: sorted(paths),
    components: {
      schemas: sorted(schemasFor(paths, own, first)),
      ...(first.custom ? {} : { securitySchemes: { BearerToken } }),
    },
  };
}

/** Every schema that the operations, and those schemas, refer to. */
function schemasFor(paths: JsonObject, own: JsonObject, { group, version }: Resource): JsonObject {
  const found: JsonObject = {};
  const wanted = new Set([...references(paths), ...Object.keys(own)]);
  // A Set that grows while it is read is read to its new end.
  for (const name of wanted) {
    const schema = own[name] ?? rawSchemas()[name];
    if (schema === undefined) continue;
    found[name] = name === `${META}DeleteOptions` ? kindInGroup(schema as JsonObject, group, version) : schema;
    for (const reference of references(schema)) wanted.add(reference);
  }
  return found;
}

/** Options are kinds of every group; a document names the core one and its own. */
function kindInGroup(schema: JsonObject, group: string, version: string): JsonObject {
  const key = 'x-kubernetes-group-version-kind';
  const kinds = schema[key] as JsonObject[];
  return group === '' ? schema : { ...schema, [key]: [...kinds, { group, kind: 'DeleteOptions', version }] };
}

function references(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(references);
  if (!isObject(node)) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value.slice(REFERENCE.length)] : references(value),
  );
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

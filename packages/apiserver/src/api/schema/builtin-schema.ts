import { rawSchemas } from '../../core/data.ts';
import type { JsonObject } from '../../core/json.ts';
import { schemaFrom } from './schema-from.ts';
import type { Schema } from './schema.ts';

/** Prefix of the names of types that every group uses. */
export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** Types that hold any JSON; the documents describe them as objects without fields, or not at all. */
const FREE_FORM: ReadonlySet<string> = new Set([
  'io.k8s.apimachinery.pkg.runtime.RawExtension',
  `${META}FieldsV1`,
  `${META}Patch`,
  ...['', 'SchemaPropsOrArray', 'SchemaPropsOrBool', 'SchemaPropsOrStringArray'].map(
    (end) => `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON${end}`,
  ),
]);
const ANY_VALUE: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };

let byKind: Map<string, string> | undefined;

/** The OpenAPI name of a built-in kind: `io.k8s.api.apps.v1.Deployment`. Options are kinds of every group. */
export function builtinSchemaName(group: string, version: string, kind: string): string | undefined {
  byKind ??= builtinSchemaNamesByKind();
  return (
    byKind.get(`${group}/${version}/${kind}`) ??
    (/^[A-Z]\w+Options$/.test(kind) ? builtinSchemaOptionsName(kind) : undefined)
  );
}

/** The schema of a built-in kind. */
export function builtinSchema(group: string, version: string, kind: string): Schema | undefined {
  const name = builtinSchemaName(group, version, kind);
  const raw = name === undefined ? undefined : rawSchemas()[name];
  return raw === undefined ? undefined : schemaFrom(raw, builtinSchemaReference);
}

function builtinSchemaReference(name: string): JsonObject | undefined {
  return FREE_FORM.has(name) ? ANY_VALUE : rawSchemas()[name];
}

/** The schema of `metadata`. */
export const builtinObjectMetaSchema = (): Schema =>
  schemaFrom(rawSchemas()[`${META}ObjectMeta`] as JsonObject, builtinSchemaReference);

function builtinSchemaOptionsName(kind: string): string | undefined {
  return `${META}${kind}` in rawSchemas() ? `${META}${kind}` : undefined;
}

function builtinSchemaNamesByKind(): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(rawSchemas())) {
    const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as {
      group: string;
      version: string;
      kind: string;
    }[];
    for (const { group, version, kind } of kinds) names.set(`${group}/${version}/${kind}`, name);
  }
  return names;
}

import { inputApiVersion, type GroupVersionKind, type OpenApiDocument, type Schema } from './input.ts';
import { uniqueGeneratedName, typeGeneratedName } from './generated-names.ts';
import { compareForSorting, groupForSorting, entriesForSorting } from './sorting.ts';

/** A schema, with the module and the name of its type. */
export interface SchemaEntry {
  /** The name in the document: `io.k8s.api.apps.v1.Deployment`. */
  readonly schemaName: string;
  readonly schema: Schema;
  /** The path of the file without its extension; for a served group-version its apiVersion: `v1`, `apps/v1`. */
  readonly module: string;
  readonly name: string;
}

/** Module of the types that every group uses (ObjectMeta, Status, Quantity), and their apiVersion. */
const MACHINERY = 'meta.k8s.io/v1';
const MACHINERY_SCHEMAS = 'io.k8s.apimachinery.';

/**
 * Every schema of a set of documents, each with the module and the name of its type.
 *
 * A schema in several documents is added once. Schemas of one Go package (everything before the last dot of the
 * name) go to one module: the group-version of the package's kinds; `MACHINERY` for the shared ones; a module named
 * after the package if it has no kinds.
 *
 * Room rule: decides names and modules. Knows nothing about types and text.
 */
export class SchemaCatalog {
  readonly #entries = new Map<string, SchemaEntry>();
  readonly #byKind = new Map<string, SchemaEntry>();

  constructor(documents: Readonly<Record<string, OpenApiDocument>>) {
    const schemas = new Map<string, Schema>();
    for (const [, document] of entriesForSorting(documents)) {
      for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
        if (!schemas.has(name)) schemas.set(name, schema);
      }
    }
    const modules = catalogModules(schemas);
    const taken = new Map<string, Set<string>>();
    for (const [schemaName, schema] of [...schemas].toSorted(([a], [b]) => compareForSorting(a, b))) {
      const module = modules.get(catalogPackageOfSchema(schemaName)) as string;
      const names = taken.get(module) ?? new Set();
      taken.set(module, names);
      const name = uniqueGeneratedName(typeGeneratedName(schemaName.slice(schemaName.lastIndexOf('.') + 1)), names);
      this.#add({ schemaName, schema, module, name });
    }
  }

  get(schemaName: string): SchemaEntry | undefined {
    return this.#entries.get(schemaName);
  }

  /** The modules, sorted, each with its entries, sorted. */
  modules(): [string, SchemaEntry[]][] {
    const byModule = groupForSorting(this.#entries.values(), ({ module }) => module);
    return [...byModule].toSorted(([a], [b]) => compareForSorting(a, b));
  }

  /** The type of a kind. A schema of this kind only wins over a schema of many kinds, such as DeleteOptions. */
  kind(wanted: GroupVersionKind): SchemaEntry | undefined {
    return this.#byKind.get(catalogKindKey(wanted));
  }

  #add(entry: SchemaEntry): void {
    this.#entries.set(entry.schemaName, entry);
    const kinds = catalogKindsOfSchema(entry.schema);
    for (const kind of kinds) {
      const known = this.#byKind.get(catalogKindKey(kind));
      if (known === undefined || catalogKindsOfSchema(known.schema).length > kinds.length)
        this.#byKind.set(catalogKindKey(kind), entry);
    }
  }
}

export function catalogKindsOfSchema(schema: Schema): readonly GroupVersionKind[] {
  return schema['x-kubernetes-group-version-kind'] ?? [];
}

function catalogKindKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function catalogPackageOfSchema(schemaName: string): string {
  return schemaName.slice(0, Math.max(0, schemaName.lastIndexOf('.')));
}

function catalogModules(schemas: ReadonlyMap<string, Schema>): Map<string, string> {
  const votes = new Map<string, Map<string, number>>();
  for (const [schemaName, schema] of schemas) {
    const counts = votes.get(catalogPackageOfSchema(schemaName)) ?? new Map<string, number>();
    votes.set(catalogPackageOfSchema(schemaName), counts);
    const [kind, ...more] = catalogKindsOfSchema(schema);
    // A schema of many group-versions does not determine the module of its package.
    if (kind === undefined || more.length > 0) continue;
    const apiVersion = inputApiVersion(kind);
    counts.set(apiVersion, (counts.get(apiVersion) ?? 0) + 1);
  }
  return new Map([...votes].map(([name, counts]) => [name, catalogModuleOfPackage(name, counts)]));
}

function catalogModuleOfPackage(packageName: string, counts: ReadonlyMap<string, number>): string {
  if (`${packageName}.`.startsWith(MACHINERY_SCHEMAS)) return MACHINERY;
  const [winner] = [...counts].toSorted(([a, n], [b, m]) => m - n || compareForSorting(a, b));
  if (winner !== undefined) return requireSafeCatalogPath(winner[0]);
  const { rest = packageName, version = 'types' } =
    /^(?:(?<rest>.*)\.)?(?<version>v\d[a-z0-9]*)$/.exec(packageName)?.groups ?? {};
  return requireSafeCatalogPath(rest === '' ? version : `${rest}/${version}`);
}

/** Throws unless the module is a safe file path: a group named `../../x` must not write elsewhere. */
function requireSafeCatalogPath(module: string): string {
  const segment = String.raw`[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?`;
  if (new RegExp(String.raw`^(?:${segment}(?:\.${segment})*/)?${segment}$`).test(module)) return module;
  throw new Error(`the group-version "${module}" cannot be used as a file name; omit its document`);
}

import { apiVersionOf, type GroupVersionKind, type OpenApiDocument, type Schema } from './input.ts';
import { byText, claimName, groupBy, sortedEntries, typeName } from './names.ts';

/** A schema with the module and the name of its type. */
export interface SchemaEntry {
  /** The name in the document: `io.k8s.api.apps.v1.Deployment`. */
  readonly schemaName: string;
  readonly schema: Schema;
  /** The file without its extension; for a served group-version its apiVersion: `v1`, `apps/v1`. */
  readonly module: string;
  readonly name: string;
}

/** The module, and apiVersion, of the types that every group uses: ObjectMeta, Status, Quantity. */
const MACHINERY = 'meta.k8s.io/v1';
const MACHINERY_SCHEMAS = 'io.k8s.apimachinery.';

/**
 * Every schema of a set of documents, each with the module and the name of its type.
 *
 * A schema of several documents is taken once. Schemas of one Go package (everything before the last dot of the name)
 * go to one module: `MACHINERY` for the shared ones, otherwise the group-version of the package's kinds, otherwise a
 * module named after the package.
 *
 * Room rule: decides names and modules. Knows nothing about types and text.
 */
export class SchemaIndex {
  readonly #entries = new Map<string, SchemaEntry>();
  readonly #byKind = new Map<string, SchemaEntry>();

  constructor(documents: Readonly<Record<string, OpenApiDocument>>) {
    const schemas = new Map<string, Schema>();
    for (const [, document] of sortedEntries(documents)) {
      for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
        if (!schemas.has(name)) schemas.set(name, schema);
      }
    }
    const modules = modulesOfPackages(schemas);
    const taken = new Map<string, Set<string>>();
    for (const [schemaName, schema] of [...schemas].toSorted(([a], [b]) => byText(a, b))) {
      const module = modules.get(packageOfSchema(schemaName)) as string;
      const names = taken.get(module) ?? new Set();
      taken.set(module, names);
      const name = claimName(typeName(schemaName.slice(schemaName.lastIndexOf('.') + 1)), names);
      this.#add({ schemaName, schema, module, name });
    }
  }

  get(schemaName: string): SchemaEntry | undefined {
    return this.#entries.get(schemaName);
  }

  /** The modules, sorted by name, each with its entries. */
  modules(): [string, SchemaEntry[]][] {
    const byModule = groupBy(this.#entries.values(), ({ module }) => module);
    return [...byModule].toSorted(([a], [b]) => byText(a, b));
  }

  /** The type of a kind. A schema of only this kind wins over one of many kinds, such as DeleteOptions. */
  kind(wanted: GroupVersionKind): SchemaEntry | undefined {
    return this.#byKind.get(kindKey(wanted));
  }

  #add(entry: SchemaEntry): void {
    this.#entries.set(entry.schemaName, entry);
    const kinds = kindsOfSchema(entry.schema);
    for (const kind of kinds) {
      const known = this.#byKind.get(kindKey(kind));
      if (known === undefined || kindsOfSchema(known.schema).length > kinds.length)
        this.#byKind.set(kindKey(kind), entry);
    }
  }
}

export function kindsOfSchema(schema: Schema): readonly GroupVersionKind[] {
  return schema['x-kubernetes-group-version-kind'] ?? [];
}

function kindKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function packageOfSchema(schemaName: string): string {
  return schemaName.slice(0, Math.max(0, schemaName.lastIndexOf('.')));
}

function modulesOfPackages(schemas: ReadonlyMap<string, Schema>): Map<string, string> {
  const votes = new Map<string, Map<string, number>>();
  for (const [schemaName, schema] of schemas) {
    const counts = votes.get(packageOfSchema(schemaName)) ?? new Map<string, number>();
    votes.set(packageOfSchema(schemaName), counts);
    const [kind, ...more] = kindsOfSchema(schema);
    // A schema of many group-versions does not tell where its package belongs.
    if (kind === undefined || more.length > 0) continue;
    const apiVersion = apiVersionOf(kind);
    counts.set(apiVersion, (counts.get(apiVersion) ?? 0) + 1);
  }
  return new Map([...votes].map(([name, counts]) => [name, moduleOfPackage(name, counts)]));
}

function moduleOfPackage(packageName: string, counts: ReadonlyMap<string, number>): string {
  if (`${packageName}.`.startsWith(MACHINERY_SCHEMAS)) return MACHINERY;
  const [winner] = [...counts].toSorted(([a, n], [b, m]) => m - n || byText(a, b));
  if (winner !== undefined) return requireSafeModulePath(winner[0]);
  const { rest = packageName, version = 'types' } =
    /^(?:(?<rest>.*)\.)?(?<version>v\d[a-z0-9]*)$/.exec(packageName)?.groups ?? {};
  return requireSafeModulePath(rest === '' ? version : `${rest}/${version}`);
}

/** Throws unless the module is a safe file name: a group named `../../x` must not choose the folder. */
function requireSafeModulePath(module: string): string {
  const segment = String.raw`[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?`;
  if (new RegExp(String.raw`^(?:${segment}(?:\.${segment})*/)?${segment}$`).test(module)) return module;
  throw new Error(`"${module}" is not a group and version that can name a file; leave out its document`);
}

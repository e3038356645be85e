import { apiVersionOf, type GroupVersionKind, type OpenApiDocument, type Schema } from './input.ts';
import { byText, claim, groupBy, sortedEntries, typeName } from './names.ts';

/** One schema and where its type goes. */
export interface Entry {
  /** As the document calls it: `io.k8s.api.apps.v1.Deployment`. */
  readonly schemaName: string;
  readonly schema: Schema;
  /** The file without its ending, which for a served group-version is the apiVersion: `v1`, `apps/v1`. */
  readonly module: string;
  readonly name: string;
}

/** Where the types live that every group uses: ObjectMeta, Status, Quantity. Also their apiVersion on the wire. */
const MACHINERY = 'meta.k8s.io/v1';
const MACHINERY_SCHEMAS = 'io.k8s.apimachinery.';

/**
 * Every schema of a set of documents, each with the module and the name of its type.
 *
 * A schema that several documents carry is taken once. Schemas of one Go package (everything before the last dot
 * of the name) go to one module: the group-version that the package's kinds name; `MACHINERY` for the shared ones;
 * a module called after the package where no kind tells.
 *
 * Room rule: decides names and places. Knows nothing about types and text.
 */
export class Catalogue {
  readonly #entries = new Map<string, Entry>();
  readonly #byKind = new Map<string, Entry>();

  constructor(documents: Readonly<Record<string, OpenApiDocument>>) {
    const schemas = new Map<string, Schema>();
    for (const [, document] of sortedEntries(documents)) {
      for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
        if (!schemas.has(name)) schemas.set(name, schema);
      }
    }
    const modules = modulesOf(schemas);
    const taken = new Map<string, Set<string>>();
    for (const [schemaName, schema] of [...schemas].toSorted(([a], [b]) => byText(a, b))) {
      const module = modules.get(packageOf(schemaName)) as string;
      const names = taken.get(module) ?? new Set();
      taken.set(module, names);
      const name = claim(typeName(schemaName.slice(schemaName.lastIndexOf('.') + 1)), names);
      this.#add({ schemaName, schema, module, name });
    }
  }

  get(schemaName: string): Entry | undefined {
    return this.#entries.get(schemaName);
  }

  /** The modules in order, each with its entries in order. */
  modules(): [string, Entry[]][] {
    const byModule = groupBy(this.#entries.values(), ({ module }) => module);
    return [...byModule].toSorted(([a], [b]) => byText(a, b));
  }

  /** The type of a kind. One that is only this kind wins over one that stands for many, as DeleteOptions does. */
  kind(wanted: GroupVersionKind): Entry | undefined {
    return this.#byKind.get(kindKey(wanted));
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.schemaName, entry);
    const kinds = kindsOf(entry.schema);
    for (const kind of kinds) {
      const known = this.#byKind.get(kindKey(kind));
      if (known === undefined || kindsOf(known.schema).length > kinds.length) this.#byKind.set(kindKey(kind), entry);
    }
  }
}

export function kindsOf(schema: Schema): readonly GroupVersionKind[] {
  return schema['x-kubernetes-group-version-kind'] ?? [];
}

function kindKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function packageOf(schemaName: string): string {
  return schemaName.slice(0, Math.max(0, schemaName.lastIndexOf('.')));
}

function modulesOf(schemas: ReadonlyMap<string, Schema>): Map<string, string> {
  const votes = new Map<string, Map<string, number>>();
  for (const [schemaName, schema] of schemas) {
    const counts = votes.get(packageOf(schemaName)) ?? new Map<string, number>();
    votes.set(packageOf(schemaName), counts);
    const [kind, ...more] = kindsOf(schema);
    // A schema of many group-versions says nothing about where its package belongs.
    if (kind === undefined || more.length > 0) continue;
    const apiVersion = apiVersionOf(kind);
    counts.set(apiVersion, (counts.get(apiVersion) ?? 0) + 1);
  }
  return new Map([...votes].map(([name, counts]) => [name, moduleOf(name, counts)]));
}

function moduleOf(packageName: string, counts: ReadonlyMap<string, number>): string {
  if (`${packageName}.`.startsWith(MACHINERY_SCHEMAS)) return MACHINERY;
  const [winner] = [...counts].toSorted(([a, n], [b, m]) => m - n || byText(a, b));
  if (winner !== undefined) return safePath(winner[0]);
  const { rest = packageName, version = 'types' } =
    /^(?:(?<rest>.*)\.)?(?<version>v\d[a-z0-9]*)$/.exec(packageName)?.groups ?? {};
  return safePath(rest === '' ? version : `${rest}/${version}`);
}

/** Modules become files; a group named `../../x` must not choose where. */
function safePath(module: string): string {
  const segment = String.raw`[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?`;
  if (new RegExp(String.raw`^(?:${segment}(?:\.${segment})*/)?${segment}$`).test(module)) return module;
  throw new Error(`"${module}" is not a group and a version that can name a file; leave its document out`);
}

import type { GetJson, ServerSchemas } from '@kube-informer/kubernetes/generate';
import { ControlPlane } from '../../test/real/harness/control-plane.ts';
import { defaultsOf } from './default-facts.ts';
import { readComplete } from './schema-server.ts';

/** The folder of the facts, from the root of the repository. */
export const FACTS = 'packages/apiserver/data';

/** Starts a server with default flags: the embedded server serves the same APIs. */
export function startDefaultServer(): Promise<ControlPlane> {
  return ControlPlane.start({ log: (line) => console.log(line) });
}

type Node = Record<string, unknown>;
type Discovery = ServerSchemas['discovery'];

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const KINDS = 'x-kubernetes-group-version-kind';

/**
 * The files of `FACTS`, by name. They hold facts only, no descriptions.
 *
 * - `served.json`: the group-versions of a default server, in its order.
 * - `schemas.json`: every schema of their OpenAPI documents, by name.
 * - `columns.json`: the columns of a Table, by resource: name, type, format, priority.
 * - `defaults.json`: the objects that a new server creates by itself, see `defaultsOf`.
 */
export async function generateFacts(get: GetJson): Promise<Map<string, string>> {
  const { discovery, documents } = await readComplete(get);
  const facts: Record<string, unknown> = {
    'served.json': servedOf(discovery),
    'schemas.json': schemasOf(documents),
    'columns.json': await columnsOf(discovery, get),
  };
  const files = new Map(Object.entries(facts).map(([name, value]) => [name, textOf(value)]));
  const sections = Object.entries(await defaultsOf(get)).map(
    ([name, rows]) => `${JSON.stringify(name)}:${textOf(rows).trimEnd()}`,
  );
  return files.set('defaults.json', `{\n${sections.join(',\n')}\n}\n`);
}

/** One line per entry, so that a change can be read in a diff. */
function textOf(value: unknown): string {
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Array.isArray(value)
    ? value.map((item) => JSON.stringify(item))
    : Object.entries(value as Node).map(([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item)}`);
  return `${open}\n${lines.join(',\n')}\n${close}\n`;
}

function servedOf(discovery: Discovery): string[] {
  return versionsOf(discovery).map(({ apiVersion }) => apiVersion);
}

function versionsOf(discovery: Discovery) {
  return discovery
    .flatMap(({ items }) => items ?? [])
    .flatMap(({ metadata, versions }) =>
      (versions ?? []).map(({ version, resources }) => ({
        apiVersion: metadata?.name ? `${metadata.name}/${version}` : version,
        resources: resources ?? [],
      })),
    );
}

function schemasOf(documents: ServerSchemas['documents']): Record<string, Node> {
  const found = new Map<string, Node>();
  for (const document of Object.values(documents)) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      const plain = withoutText(schema as Node);
      const known = found.get(name);
      // Options belong to every group, and each document names its own group only: keep what all have in common.
      if (known !== undefined && Array.isArray(known[KINDS])) plain[KINDS] = inBoth(known[KINDS], plain[KINDS]);
      found.set(name, plain);
    }
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function inBoth(a: readonly unknown[], b: unknown): unknown[] {
  const texts = new Set(a.map((item) => JSON.stringify(item)));
  return (b as unknown[]).filter((item) => texts.has(JSON.stringify(item)));
}

/** A schema without its descriptions; a property may well be called `description`. */
function withoutText(schema: Node): Node {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'description')
      .map(([key, value]) => [key, key === 'default' || key === 'enum' ? value : withoutTextBelow(key, value)]),
  );
}

function withoutTextBelow(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTextBelow('', item));
  if (typeof value !== 'object' || value === null) return value;
  if (key !== 'properties') return withoutText(value as Node);
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, withoutText(of as Node)]));
}

async function columnsOf(discovery: Discovery, get: GetJson): Promise<Record<string, unknown>> {
  const columns: Record<string, unknown> = {};
  for (const { apiVersion, resources } of versionsOf(discovery)) {
    for (const { resource } of resources.filter(({ verbs }) => verbs.includes('list'))) {
      const path = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}/${resource}?limit=1`;
      const { columnDefinitions } = (await get(path, TABLE)) as {
        columnDefinitions: { name: string; type: string; format: string; priority: number }[];
      };
      columns[`${apiVersion}/${resource}`] = columnDefinitions.map(({ name, type, format, priority }) => [
        name,
        type,
        format,
        priority,
      ]);
    }
  }
  return columns;
}

/**
 * Checks that a table is not looked up by a text from outside: `TABLE[name]` also finds what every object inherits
 * (`constructor`, `__proto__`). A table with such keys is a `Map`.
 *
 * A table is a `const` with an object literal and the type `Record<string, …>`. Also refused: a cast in the index of any
 * `Record` or of a literal without a type (`TABLE[name as Kind]`), because the cast hides the same mistake.
 *
 *   npx tsx tools/lint/check-tables.ts
 */
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, nodesOf, shippedSources, type Source } from '../../test/release/sources.ts';

/** The name of a table that has none. */
const LITERAL = '{…}';

/** `open`: any text may be a key. `closed`: the keys are a union, and only a cast can bring in another text. */
type Keys = 'open' | 'closed';

interface Parsed extends Source {
  readonly nodes: readonly Node[];
  /** Tables that the file declares, by name. */
  readonly tables: ReadonlyMap<string, Keys>;
}

/** Lookups that may find inherited names, one line each. */
export function tableViolations(files: readonly Source[]): string[] {
  const sources = new Map(files.map((file) => [file.path, parsedSource(file)]));
  return [...sources.values()].flatMap((source) => violationsInSource(source, sources));
}

function violationsInSource(source: Parsed, sources: ReadonlyMap<string, Parsed>): string[] {
  const known = new Map<string, Keys>([[LITERAL, 'open'], ...source.tables, ...importedTables(source, sources)]);
  // What a name inherits cannot be deleted.
  const deleted = new Set(source.nodes.filter(({ operator }) => operator === 'delete').map(({ argument }) => argument));
  return source.nodes.flatMap((node) => {
    const lookup = deleted.has(node) ? undefined : lookupIn(node);
    const keys = lookup === undefined ? undefined : known.get(lookup.table);
    if (lookup === undefined || keys === undefined || !isUnsafeIndex(lookup.index, keys)) return [];
    const line = source.text.slice(0, node.start).split('\n').length;
    return [`${source.path}:${line}: ${lookup.table} is looked up by a text that may be inherited: make it a Map`];
  });
}

function parsedSource(file: Source): Parsed {
  const nodes = [...nodesOf(file)];
  const tables = new Map<string, Keys>();
  for (const node of nodes) {
    if (node.type !== 'VariableDeclarator') continue;
    const { id, init } = node as { id?: Node; init?: Node | null };
    const keys = keysOf((id?.['typeAnnotation'] as Node | undefined)?.['typeAnnotation'] as Node | undefined);
    if (keys !== undefined && isLiteralObject(init)) tables.set(String(id?.['name']), keys);
    // Without a type the compiler knows the keys, so only a cast can bring in another text.
    else if (id?.['typeAnnotation'] == null && init?.type === 'ObjectExpression')
      tables.set(String(id?.['name']), 'closed');
  }
  return { ...file, nodes, tables };
}

/** The keys of `Record<K, V>`, also inside `Readonly` and `Partial`. */
function keysOf(type: Node | undefined): Keys | undefined {
  if (type?.type !== 'TSTypeReference') return undefined;
  const name = (type['typeName'] as Node | undefined)?.['name'];
  const [first] = ((type['typeArguments'] as Node | undefined)?.['params'] ?? []) as readonly Node[];
  if (name === 'Readonly' || name === 'Partial') return keysOf(first);
  if (name !== 'Record' || first?.type === 'TSNumberKeyword') return undefined;
  return first?.type === 'TSStringKeyword' ? 'open' : 'closed';
}

/** `Object.create(null)` inherits nothing, and `Object.freeze({…})` is the literal. */
function isLiteralObject(node: Node | null | undefined): boolean {
  if (node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression')
    return isLiteralObject(node['expression'] as Node);
  if (node?.type === 'CallExpression')
    return ((node['arguments'] ?? []) as readonly Node[]).some((argument) => argument.type === 'ObjectExpression');
  return node?.type === 'ObjectExpression';
}

/** `TABLE[index]`, `{ … }[index]` and `index in TABLE`. */
function lookupIn(node: Node): { readonly table: string; readonly index: Node } | undefined {
  const isMember = node.type === 'MemberExpression' && node['computed'] === true;
  const isTest = node.type === 'BinaryExpression' && node['operator'] === 'in';
  if (!isMember && !isTest) return undefined;
  const [table, index] = (isMember ? [node['object'], node['property']] : [node['right'], node['left']]) as Node[];
  if (table === undefined || index === undefined) return undefined;
  const bare = table.type === 'ParenthesizedExpression' ? (table['expression'] as Node) : table;
  if (isLiteralObject(bare)) return { table: LITERAL, index };
  return table.type === 'Identifier' ? { table: String(table['name']), index } : undefined;
}

function isUnsafeIndex(index: Node, keys: Keys): boolean {
  if (index.type === 'Literal') return false;
  return keys === 'open' || index.type === 'TSAsExpression';
}

function importedTables(source: Parsed, sources: ReadonlyMap<string, Parsed>): [string, Keys][] {
  return source.nodes.flatMap((node) => {
    if (node.type !== 'ImportDeclaration') return [];
    const from = String((node['source'] as Node)['value']);
    const target = sources.get(posix.join(posix.dirname(source.path), from));
    return ((node['specifiers'] ?? []) as readonly Node[]).flatMap((one): [string, Keys][] => {
      const keys = target?.tables.get(String((one['imported'] as Node | undefined)?.['name']));
      return keys === undefined ? [] : [[String((one['local'] as Node)['name']), keys]];
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = shippedSources().filter(({ path }) => !path.includes('/generated/'));
  const found = tableViolations(files);
  for (const line of found) console.error(line);
  console.log(`tables: ${files.length} files, ${found.length} violations`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

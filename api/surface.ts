import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'vitest/node';

/** A piece of a parsed declaration file. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A name in a file: declared there, or brought in from another one. */
interface Ref {
  readonly file: string;
  readonly name: string;
}

interface Module {
  readonly declarations: Map<string, Node[]>;
  /** Local name of an import → where it comes from. */
  readonly imports: Map<string, Ref>;
  /** Exported name → the local name or the re-export behind it. */
  readonly exports: Map<string, Ref>;
  readonly text: string;
}

/**
 * The public API of an entry, as text: the declarations a user can name, then those that can only be reached through
 * them, each sorted by name. Without comments and without file names, so that only a change of the API changes it.
 */
export function surfaceOf(entry: string): string {
  const modules = new Map<string, Module>();
  const read = (file: string): Module => {
    const known = modules.get(file) ?? parseModule(file);
    modules.set(file, known);
    return known;
  };
  const exported = new Map<string, Ref>();
  for (const [name, ref] of read(entry).exports) exported.set(name, resolve(read, ref));

  const named = new Map<string, string>();
  const reached = new Map<string, string>();
  const seen = new Set<string>();
  const visit = (ref: Ref, into: Map<string, string>): void => {
    const id = `${ref.name}  ${ref.file}`;
    if (seen.has(id)) return;
    seen.add(id);
    const module = read(ref.file);
    const nodes = module.declarations.get(ref.name);
    if (nodes === undefined) {
      into.set(id, `// ${ref.name} comes from another package`);
      return;
    }
    into.set(id, nodes.map((node) => declarationText(module, node)).join('\n'));
    for (const name of nodes.flatMap((node) => [...typeNamesIn(node)])) {
      const local = module.imports.get(name) ?? { file: ref.file, name };
      const target = resolve(read, local);
      if (isInPackage(target) && read(target.file).declarations.has(target.name)) visit(target, reached);
    }
  };
  for (const ref of exported.values()) seen.add(`${ref.name}  ${ref.file}`);
  for (const ref of exported.values()) {
    seen.delete(`${ref.name}  ${ref.file}`);
    if (isInPackage(ref)) visit(ref, named);
    else named.set(`${ref.name}  ${ref.file}`, `export { ${ref.name} } from '${ref.file}';`);
  }
  const sorted = (texts: Map<string, string>): string =>
    [...texts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, text]) => text)
      .join('\n\n');
  return `// ${exported.size} names\n\n${sorted(named)}\n\n// — reachable through them, not exported —\n\n${sorted(reached)}\n`;
}

const isInPackage = ({ file }: Ref): boolean => file.endsWith('.d.ts');

/** Follows imports and re-exports to the file that declares the name. */
function resolve(read: (file: string) => Module, ref: Ref): Ref {
  if (!isInPackage(ref)) return ref;
  const { declarations, exports, imports } = read(ref.file);
  if (declarations.has(ref.name)) return ref;
  const next = exports.get(ref.name) ?? imports.get(ref.name);
  return next === undefined || (next.file === ref.file && next.name === ref.name) ? ref : resolve(read, next);
}

function parseModule(file: string): Module {
  const text = readFileSync(file, 'utf8');
  const module: Module = { declarations: new Map(), imports: new Map(), exports: new Map(), text };
  const from = (node: Node): string => {
    const specifier = (node['source'] as { readonly value: string }).value;
    return specifier.startsWith('.') ? join(dirname(file), specifier.replace(/\.(?:ts|js)$/, '.d.ts')) : specifier;
  };
  const declare = (node: Node): void => {
    const ids =
      node.type === 'VariableDeclaration'
        ? (node['declarations'] as Node[]).map((one) => (one['id'] as { name: string }).name)
        : [(node['id'] as { name: string }).name];
    for (const id of ids) module.declarations.set(id, [...(module.declarations.get(id) ?? []), node]);
  };
  for (const node of (parseAst(text, { lang: 'dts' }, file) as unknown as { body: Node[] }).body) {
    if (node.type === 'ImportDeclaration')
      for (const one of node['specifiers'] as Node[])
        module.imports.set(nameOf(one['local']), {
          file: from(node),
          name: one['imported'] === undefined ? '*' : nameOf(one['imported']),
        });
    else if (node.type === 'ExportNamedDeclaration' && node['declaration'] != null) {
      const declaration = node['declaration'] as Node;
      declare(declaration);
      for (const name of module.declarations.keys()) module.exports.set(name, { file, name });
    } else if (node.type === 'ExportNamedDeclaration')
      for (const one of node['specifiers'] as Node[])
        module.exports.set(nameOf(one['exported']), {
          file: node['source'] == null ? file : from(node),
          name: nameOf(one['local']),
        });
    else if (typeof node['id'] === 'object' || node.type === 'VariableDeclaration') declare(node);
  }
  return module;
}

const nameOf = (node: unknown): string => {
  const { name, value } = node as { readonly name?: string; readonly value?: string };
  return name ?? value ?? '';
};

function declarationText({ text }: Module, node: Node): string {
  const code = text.slice(node.start, node.end).replaceAll(/\/\*[\s\S]*?\*\/|(?<=\s)\/\/.*$/gm, '');
  return code
    .replace(/^declare /, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && line.trim() !== '#private;')
    .join('\n');
}

/** Names used as types, values of `typeof`, or bases of a class or an interface. */
function* typeNamesIn(root: Node): Generator<string> {
  const todo: unknown[] = [root];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (Array.isArray(next)) todo.push(...next);
    if (typeof next !== 'object' || next === null || !('type' in next)) continue;
    const node = next as Node;
    const named =
      node['typeName'] ?? node['exprName'] ?? (node.type.includes('Class') ? node['superClass'] : node['expression']);
    if (typeof named === 'object' && named !== null) yield leftmost(named as Node);
    const expression = node['expression'];
    if (typeof expression === 'object' && expression !== null) yield leftmost(expression as Node);
    todo.push(...Object.values(node).filter((value) => typeof value === 'object' && value !== null));
  }
}

function leftmost(node: Node): string {
  const left = node['left'] ?? node['object'];
  return left === undefined ? nameOf(node) : leftmost(left as Node);
}

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'vitest/node';
import { packages, repository } from './workspace.ts';

/** A node of a parsed file. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A source file; its path is from the repository's root. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file below a folder, in the order of their names. */
export function sourcesIn(folder: string): Source[] {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((file) => ({ path: relative(repository, file), text: readFileSync(file, 'utf8') }));
}

/** All code that users run: the packages' sources, and the page of the inspector. */
export const shippedSources = (): Source[] => [
  ...[...packages.keys()].flatMap((folder) => sourcesIn(`packages/${folder}/src`)),
  ...sourcesIn('packages/inspector/web'),
];

/** Every node of the file, outer before inner. */
export function* nodesOf({ path, text }: Source): Generator<Node> {
  const todo: unknown[] = [parseAst(text, { lang: 'ts' }, path)];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (Array.isArray(next)) todo.push(...next.toReversed());
    else if (isNode(next)) {
      yield next;
      todo.push(
        ...Object.values(next)
          .filter((value) => typeof value === 'object' && value !== null)
          .toReversed(),
      );
    }
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The imports of a file, types included; `undefined` where the name is made at run time. */
export function importsOf(source: Source): (string | undefined)[] {
  return [...nodesOf(source)]
    .filter(({ type }) =>
      /^(?:ImportDeclaration|ExportNamedDeclaration|ExportAllDeclaration|ImportExpression|TSImportType)$/.test(type),
    )
    .filter((node) => node.type !== 'ExportNamedDeclaration' || isNode(node['source']))
    .map((node) => {
      const { value } = node['source'] as { readonly value?: unknown };
      return typeof value === 'string' ? value : undefined;
    });
}

import { nodesOf, shippedSources, type Source } from '../../test/release/sources.ts';
import type { NamedFunction } from './name-reader.ts';

/** The sources that users run, without generated ones. */
export const readableSources = (): Source[] => shippedSources().filter(({ path }) => !path.includes('/generated/'));

/** Functions declared at the top of a file, as `function` or as a constant. */
export function functionsOf(source: Source): NamedFunction[] {
  const [program] = nodesOf(source);
  const body = (program?.['body'] ?? []) as { type: string; declaration?: unknown }[];
  return body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((declaration) => namesIn(declaration as Declaration | null))
    .map((name) => ({ name, path: source.path }));
}

interface Declaration {
  readonly type: string;
  readonly id?: { readonly name: string };
  readonly declarations?: readonly {
    readonly id: { readonly name?: string };
    readonly init?: { readonly type: string };
  }[];
}

function namesIn(declaration: Declaration | null): string[] {
  if (declaration?.type === 'FunctionDeclaration') return [declaration.id?.name ?? ''];
  if (declaration?.type !== 'VariableDeclaration') return [];
  return (declaration.declarations ?? [])
    .filter(({ init }) => init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression')
    .map(({ id }) => id.name ?? '');
}

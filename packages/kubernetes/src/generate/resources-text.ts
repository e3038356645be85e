import type { SchemaEntry } from './schema-catalog.ts';
import { Imports, type Locate } from './imports.ts';
import { type Kind, generatedKindPlural } from './generated-kinds.ts';
import { quoteGeneratedName } from './generated-names.ts';

/** A resource and the type of its objects. */
export interface TypedKind {
  readonly kind: Kind;
  readonly entry: SchemaEntry;
}

export function isInResourcesText(kind: Kind): boolean {
  return kind.verbs.includes('list');
}

/** Writes `resources.ts`: resource names to types, for resources that can be listed and for others, such as reviews. */
export function resourcesText(
  typed: readonly TypedKind[],
  locate: Locate,
  augments?: { readonly module: string; readonly has: (resource: string) => boolean },
): string {
  const imports = new Imports(locate);
  const table = (name: string, of: readonly TypedKind[], indent = ''): string => {
    const lines = of.map(
      ({ kind, entry }) =>
        `${indent}  readonly ${quoteGeneratedName(generatedKindPlural(kind))}: ${imports.alias(entry.module)}.${entry.name};\n`,
    );
    return `${indent}${indent === '' ? 'export ' : ''}interface ${name} {${lines.length === 0 ? '' : '\n'}${lines.join('')}${lines.length === 0 ? '' : indent}}\n`;
  };
  const tables = [
    table(
      'Resources',
      typed.filter(({ kind }) => isInResourcesText(kind)),
    ),
    table(
      'UnlistableResources',
      typed.filter(({ kind }) => !isInResourcesText(kind)),
    ),
  ];
  if (augments !== undefined) {
    const added = typed.filter(({ kind }) => isInResourcesText(kind) && !augments.has(generatedKindPlural(kind)));
    const declared = `declare module ${quoteGeneratedName(augments.module)} {\n${table('Resources', added, '  ')}}\n`;
    if (added.length > 0)
      tables.push(`// Makes cluster.informer() and cluster.resource() know these names.\n${declared}`);
  }
  return [imports.toString(), ...tables].filter((text) => text !== '').join('\n');
}

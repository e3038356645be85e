import type { SchemaEntry } from './schema-catalog.ts';
import { Imports, type Locate } from './imports.ts';
import { type Kind, kindResourceName } from './kinds.ts';
import { quoteGeneratedName } from './names.ts';

/** A resource and the type of its objects. */
export interface TypedKind {
  readonly kind: Kind;
  readonly entry: SchemaEntry;
}

export function isListableResource(kind: Kind): boolean {
  return kind.verbs.includes('list');
}

/** Writes `resources.ts`: resource names to types, for resources that can be listed and for others, such as reviews. */
export function resourcesText(typed: readonly TypedKind[], locate: Locate): string {
  const imports = new Imports(locate);
  const table = (name: string, of: readonly TypedKind[]): string => {
    const lines = of.map(
      ({ kind, entry }) =>
        `  readonly ${quoteGeneratedName(kindResourceName(kind))}: ${imports.alias(entry.module)}.${entry.name};\n`,
    );
    return `export interface ${name} {${lines.length === 0 ? '' : '\n'}${lines.join('')}}\n`;
  };
  const tables = [
    table(
      'Resources',
      typed.filter(({ kind }) => isListableResource(kind)),
    ),
    table(
      'UnlistableResources',
      typed.filter(({ kind }) => !isListableResource(kind)),
    ),
  ];
  return [imports.toString(), ...tables].filter((text) => text !== '').join('\n');
}

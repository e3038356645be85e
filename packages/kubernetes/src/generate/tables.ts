import type { SchemaEntry } from './schema-index.ts';
import { Imports, type Locate } from './imports.ts';
import { type Kind, resourceName } from './kinds.ts';
import { byText, groupBy, quote } from './names.ts';

/** A resource and the type of its objects. */
export interface TypedKind {
  readonly kind: Kind;
  readonly entry: SchemaEntry;
}

function isListableKind(kind: Kind): boolean {
  return kind.verbs.includes('list');
}

/** The text of `resources.ts`: from resource names to types, for listable resources and for the others (reviews, bindings). */
export function resourcesText(typed: readonly TypedKind[], locate: Locate): string {
  const imports = new Imports(locate);
  const table = (name: string, of: readonly TypedKind[]): string => {
    const lines = of.map(
      ({ kind, entry }) => `  readonly ${quote(resourceName(kind))}: ${imports.alias(entry.module)}.${entry.name};\n`,
    );
    return `export interface ${name} {${lines.length === 0 ? '' : '\n'}${lines.join('')}}\n`;
  };
  const tables = [
    table(
      'Resources',
      typed.filter(({ kind }) => isListableKind(kind)),
    ),
    table(
      'UnlistableResources',
      typed.filter(({ kind }) => !isListableKind(kind)),
    ),
  ];
  return [imports.toString(), ...tables].filter((text) => text !== '').join('\n');
}

/** A type exported by a module. */
interface Export {
  readonly module: string;
  readonly name: string;
}

/**
 * The text of `index.ts`: every type whose name is unambiguous.
 *
 * Within a group, the version that the server prefers gets the name. Between groups, a stable version wins, then a kind
 * that can be listed. A name that is still ambiguous (Event) is left out; import it from its module.
 */
export function indexText(
  names: ReadonlyMap<string, readonly string[]>,
  typed: readonly TypedKind[],
  locate: Locate,
): string {
  const rank = new Map<string, number>();
  for (const { entry } of typed) if (!rank.has(entry.module)) rank.set(entry.module, rank.size);
  const listable = new Set(typed.filter(({ kind }) => isListableKind(kind)).map(({ entry }) => exportKey(entry)));
  const exports = [...names]
    .toSorted(([a], [b]) => (rank.get(a) ?? rank.size) - (rank.get(b) ?? rank.size) || byText(a, b))
    .flatMap(([module, all]) => all.map((name) => ({ module, name })));
  const chosen = [...groupBy(exports, ({ name }) => name).values()].flatMap(
    (found) => chooseExport(found, listable) ?? [],
  );
  const lines = [...groupBy(chosen, ({ module }) => module)].map(
    ([module, found]) =>
      `export type { ${found
        .map(({ name }) => name)
        .toSorted(byText)
        .join(', ')} } from ${quote(locate(module))};\n`,
  );
  const tables = `export type { Resources, UnlistableResources } from ${quote(locate('resources'))};\n`;
  return [...lines, tables].toSorted(byText).join('');
}

/** Chooses among types of one name, given in the server's order of preference. */
function chooseExport(found: readonly Export[], listable: ReadonlySet<string>): Export | undefined {
  const preferred = [...groupBy(found, groupOfModule).values()].map((group) => group[0] as Export);
  const stable = filterUnlessEmpty(preferred, ({ module }) => /(?:^|\/)v\d+$/.test(module));
  const [only, ...others] = filterUnlessEmpty(stable, (one) => listable.has(exportKey(one)));
  return others.length === 0 ? only : undefined;
}

function exportKey({ module, name }: Export): string {
  return `${module}/${name}`;
}

function groupOfModule({ module }: Export): string {
  return module.includes('/') ? module.slice(0, module.lastIndexOf('/')) : '';
}

function filterUnlessEmpty<T>(items: readonly T[], holds: (item: T) => boolean): readonly T[] {
  const kept = items.filter(holds);
  return kept.length === 0 ? items : kept;
}

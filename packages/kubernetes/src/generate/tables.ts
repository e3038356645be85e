import type { Entry } from './catalogue.ts';
import { Imports, type Locate } from './imports.ts';
import { type Kind, resourceName } from './kinds.ts';
import { byText, groupBy, quote } from './names.ts';

/** A resource and the type of its objects. */
export interface TypedKind {
  readonly kind: Kind;
  readonly entry: Entry;
}

function isListable(kind: Kind): boolean {
  return kind.verbs.includes('list');
}

/** From resource names to types: those that can be listed, and the others (reviews and the like, made to be created). */
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
      typed.filter(({ kind }) => isListable(kind)),
    ),
    table(
      'UnlistableResources',
      typed.filter(({ kind }) => !isListable(kind)),
    ),
  ];
  return [imports.toString(), ...tables].filter((text) => text !== '').join('\n');
}

/** A type as the entry file sees it. */
interface Export {
  readonly module: string;
  readonly name: string;
}

/**
 * The entry file: every type that one name can stand for.
 *
 * In a group, the version that the server prefers has the name. Between groups, a stable version wins, then a kind
 * that can be listed. A name that still means two things (Event) is left out: it is imported from its module.
 */
export function indexText(
  names: ReadonlyMap<string, readonly string[]>,
  typed: readonly TypedKind[],
  locate: Locate,
): string {
  const rank = new Map<string, number>();
  for (const { entry } of typed) if (!rank.has(entry.module)) rank.set(entry.module, rank.size);
  const listable = new Set(typed.filter(({ kind }) => isListable(kind)).map(({ entry }) => exportKey(entry)));
  const exports = [...names]
    .toSorted(([a], [b]) => (rank.get(a) ?? rank.size) - (rank.get(b) ?? rank.size) || byText(a, b))
    .flatMap(([module, all]) => all.map((name) => ({ module, name })));
  const chosen = [...groupBy(exports, ({ name }) => name).values()].flatMap((found) => choose(found, listable) ?? []);
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

/** `found` have one name and come in the server's order of preference. */
function choose(found: readonly Export[], listable: ReadonlySet<string>): Export | undefined {
  const preferred = [...groupBy(found, groupOf).values()].map((group) => group[0] as Export);
  const stable = atLeastOne(preferred, ({ module }) => /(?:^|\/)v\d+$/.test(module));
  const [only, ...others] = atLeastOne(stable, (one) => listable.has(exportKey(one)));
  return others.length === 0 ? only : undefined;
}

function exportKey({ module, name }: Export): string {
  return `${module}/${name}`;
}

function groupOf({ module }: Export): string {
  return module.includes('/') ? module.slice(0, module.lastIndexOf('/')) : '';
}

function atLeastOne<T>(items: readonly T[], holds: (item: T) => boolean): readonly T[] {
  const kept = items.filter(holds);
  return kept.length === 0 ? items : kept;
}

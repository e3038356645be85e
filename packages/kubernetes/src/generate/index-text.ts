import type { Locate } from './imports.ts';
import { quoteGeneratedName } from './generated-names.ts';
import { isInResourcesText, type TypedKind } from './resources-text.ts';
import { compareForSorting, groupForSorting } from './sorting.ts';

/** A type that the entry file may export. */
interface Export {
  readonly module: string;
  readonly name: string;
}

/**
 * Writes `index.ts`, which exports every type whose name is unambiguous.
 *
 * Within a group, the server's preferred version wins. Between groups, a stable version wins, then a kind that can be
 * listed. A name that is still ambiguous (Event) is not exported: import it from its module.
 */
export function indexText(
  names: ReadonlyMap<string, readonly string[]>,
  typed: readonly TypedKind[],
  locate: Locate,
): string {
  const rank = new Map<string, number>();
  for (const { entry } of typed) if (!rank.has(entry.module)) rank.set(entry.module, rank.size);
  const listable = new Set(
    typed.filter(({ kind }) => isInResourcesText(kind)).map(({ entry }) => indexTextExportKey(entry)),
  );
  const exports = [...names]
    .toSorted(([a], [b]) => (rank.get(a) ?? rank.size) - (rank.get(b) ?? rank.size) || compareForSorting(a, b))
    .flatMap(([module, all]) => all.map((name) => ({ module, name })));
  const chosen = [...groupForSorting(exports, ({ name }) => name).values()].flatMap(
    (found) => indexTextExport(found, listable) ?? [],
  );
  const lines = [...groupForSorting(chosen, ({ module }) => module)].map(
    ([module, found]) =>
      `export type { ${found
        .map(({ name }) => name)
        .toSorted(compareForSorting)
        .join(', ')} } from ${quoteGeneratedName(locate(module))};\n`,
  );
  const tables = `export type { Resources, UnlistableResources } from ${quoteGeneratedName(locate('resources'))};\n`;
  return [...lines, tables].toSorted(compareForSorting).join('');
}

/** Chooses between types of one name, given in the server's order of preference. */
function indexTextExport(found: readonly Export[], listable: ReadonlySet<string>): Export | undefined {
  const preferred = [...groupForSorting(found, indexTextGroup).values()].map((group) => group[0] as Export);
  const stable = preferInIndexText(preferred, ({ module }) => /(?:^|\/)v\d+$/.test(module));
  const [only, ...others] = preferInIndexText(stable, (one) => listable.has(indexTextExportKey(one)));
  return others.length === 0 ? only : undefined;
}

function indexTextExportKey({ module, name }: Export): string {
  return `${module}/${name}`;
}

function indexTextGroup({ module }: Export): string {
  return module.includes('/') ? module.slice(0, module.lastIndexOf('/')) : '';
}

/** The items that match, or all of them if none does. */
function preferInIndexText<T>(items: readonly T[], matches: (item: T) => boolean): readonly T[] {
  const kept = items.filter(matches);
  return kept.length === 0 ? items : kept;
}

import type { Locate } from './imports.ts';
import { quoteString } from './names.ts';
import { isListable, type TypedKind } from './resources-text.ts';
import { compareText, groupBy } from './sorting.ts';

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
  const listable = new Set(typed.filter(({ kind }) => isListable(kind)).map(({ entry }) => exportKey(entry)));
  const exports = [...names]
    .toSorted(([a], [b]) => (rank.get(a) ?? rank.size) - (rank.get(b) ?? rank.size) || compareText(a, b))
    .flatMap(([module, all]) => all.map((name) => ({ module, name })));
  const chosen = [...groupBy(exports, ({ name }) => name).values()].flatMap(
    (found) => chooseExport(found, listable) ?? [],
  );
  const lines = [...groupBy(chosen, ({ module }) => module)].map(
    ([module, found]) =>
      `export type { ${found
        .map(({ name }) => name)
        .toSorted(compareText)
        .join(', ')} } from ${quoteString(locate(module))};\n`,
  );
  const tables = `export type { Resources, UnlistableResources } from ${quoteString(locate('resources'))};\n`;
  return [...lines, tables].toSorted(compareText).join('');
}

/** Chooses between types of one name, given in the server's order of preference. */
function chooseExport(found: readonly Export[], listable: ReadonlySet<string>): Export | undefined {
  const preferred = [...groupBy(found, groupOfModule).values()].map((group) => group[0] as Export);
  const stable = preferMatching(preferred, ({ module }) => /(?:^|\/)v\d+$/.test(module));
  const [only, ...others] = preferMatching(stable, (one) => listable.has(exportKey(one)));
  return others.length === 0 ? only : undefined;
}

function exportKey({ module, name }: Export): string {
  return `${module}/${name}`;
}

function groupOfModule({ module }: Export): string {
  return module.includes('/') ? module.slice(0, module.lastIndexOf('/')) : '';
}

/** The items that match, or all of them if none does. */
function preferMatching<T>(items: readonly T[], matches: (item: T) => boolean): readonly T[] {
  const kept = items.filter(matches);
  return kept.length === 0 ? items : kept;
}

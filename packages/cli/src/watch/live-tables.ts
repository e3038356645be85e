import type { Size } from '../host/host.ts';
import type { LiveView } from '../terminal/live.ts';
import { safe, type Safe } from '../text/safe.ts';
import type { LiveTable } from './live-table.ts';

/** Minimum height of a table: header, one row and status line. */
const MIN_LINES = 3;

/**
 * The screen of `watch` with several resources: their tables, one below the other, each with its own status
 * line. Tab chooses the table that gets the keys. An opened object takes the whole screen, and so does the
 * chosen table if the terminal is too small for all.
 *
 * Room rule: divides the screen and the keys; a table does the rest.
 */
export class LiveTables implements LiveView {
  readonly #tables: readonly LiveTable[];
  #chosen = 0;

  constructor(tables: readonly LiveTable[]) {
    this.#tables = tables;
  }

  get isTyping(): boolean {
    return this.#table?.isTyping ?? false;
  }

  lines(size: Size): readonly Safe[] {
    const table = this.#table;
    if (table === undefined) return [];
    const isSmall = size.rows < MIN_LINES * this.#tables.length;
    if (this.#tables.length === 1 || isSmall || table.hasOpened) return table.lines(size);
    const heights = liveTableHeights(
      this.#tables.map(({ wantedLines }) => Math.max(MIN_LINES, wantedLines)),
      size.rows,
    );
    return this.#tables.flatMap((each, index) =>
      each.lines({ columns: size.columns, rows: heights[index] ?? 0 }, each === table ? safe`▸ ` : safe`  `),
    );
  }

  onKey(key: string): void {
    if (key === 'tab' && !this.isTyping) this.#chosen = (this.#chosen + 1) % this.#tables.length;
    else this.#table?.onKey(key);
  }

  get #table(): LiveTable | undefined {
    return this.#tables[this.#chosen];
  }
}

/**
 * Divides `rows`: a small table gets what it needs, the others share the rest equally, and the largest gets
 * the remainder.
 */
function liveTableHeights(wanted: readonly number[], rows: number): readonly number[] {
  const heights = wanted.map(() => 0);
  const bySize = [...wanted.entries()].sort(([, a], [, b]) => a - b);
  let left = rows;
  for (const [at, [index, lines]] of bySize.entries()) {
    const share = Math.floor(left / (bySize.length - at));
    heights[index] = at === bySize.length - 1 ? left : Math.min(lines, share);
    left -= heights[index];
  }
  return heights;
}

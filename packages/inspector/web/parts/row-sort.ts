import { setDomAttribute } from './dom.ts';

/** A value that rows are sorted by. */
export type SortValue = string | number | undefined;

/**
 * The order chosen by clicks on the titles of a table: the first sorts by a column, the second reverses the
 * order, the third removes it.
 */
export class RowSort<T> {
  readonly #values: readonly ((row: T) => SortValue)[];
  #column: number | undefined;
  #isDescending = false;

  /** Takes one function per column. */
  constructor(values: readonly ((row: T) => SortValue)[]) {
    this.#values = values;
  }

  choose(column: number, titles: readonly HTMLElement[]): void {
    if (this.#column !== column) [this.#column, this.#isDescending] = [column, false];
    else if (!this.#isDescending) this.#isDescending = true;
    else this.#column = undefined;
    for (const [index, title] of titles.entries()) {
      const order = index === this.#column ? (this.#isDescending ? 'descending' : 'ascending') : undefined;
      setDomAttribute(title, 'aria-sort', order);
    }
  }

  /** The rows in the chosen order, or unchanged without one. Equal rows keep their order. */
  sorted(rows: readonly T[]): readonly T[] {
    const valueOf = this.#column === undefined ? undefined : this.#values[this.#column];
    if (valueOf === undefined) return rows;
    const sign = this.#isDescending ? -1 : 1;
    return rows.toSorted((a, b) => sign * compareForRowSort(valueOf(a), valueOf(b)));
  }
}

function compareForRowSort(a: SortValue, b: SortValue): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b, undefined, { numeric: true });
  const [left, right] = [typeof a === 'number' ? a : -Infinity, typeof b === 'number' ? b : -Infinity];
  return left === right ? 0 : left < right ? -1 : 1;
}

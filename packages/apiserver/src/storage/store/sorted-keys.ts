/**
 * The keys of a collection in byte order, sorted when first listed, so that a bulk load of 100,000 objects
 * sorts once. Keys are ASCII, so JavaScript's order of strings is the order of bytes.
 */
export class SortedKeys {
  #keys: string[] = [];
  #added: string[] = [];
  #removed = new Set<string>();

  add(key: string): void {
    // Its position in the sorted part still exists.
    if (!this.#removed.delete(key)) this.#added.push(key);
  }

  remove(key: string): void {
    this.#removed.add(key);
  }

  all(): readonly string[] {
    if (this.#removed.size > 0) {
      const removed = this.#removed;
      if (this.#added.length > 0) this.#added = this.#added.filter((key) => !removed.has(key));
      this.#keys = this.#keys.filter((key) => !removed.has(key));
      this.#removed = new Set();
    }
    if (this.#added.length > 0) {
      this.#keys = this.#added.length < 32 ? this.#inserted() : mergeSortedKeys(this.#keys, this.#added.toSorted());
      this.#added = [];
    }
    return this.#keys;
  }

  /** Position of the first key that is not below `key`. */
  from(key: string): number {
    return lowerBoundInSortedKeys(this.all(), key);
  }

  #inserted(): string[] {
    for (const key of this.#added) this.#keys.splice(lowerBoundInSortedKeys(this.#keys, key), 0, key);
    return this.#keys;
  }
}

export function lowerBoundInSortedKeys(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function mergeSortedKeys(a: readonly string[], b: readonly string[]): string[] {
  const out: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i] as string;
    const right = b[j] as string;
    if (left < right) {
      out.push(left);
      i += 1;
    } else {
      out.push(right);
      j += 1;
    }
  }
  while (i < a.length) out.push(a[i++] as string);
  while (j < b.length) out.push(b[j++] as string);
  return out;
}

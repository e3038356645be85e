import type { ApiObject } from '../../core/kube-object.ts';
import { parseRecord, type StoredRecord } from './stored-record.ts';

/**
 * Parsed objects of the most recently used records. Without it, every write, field selector and Table cell
 * would parse again; keeping all of them would take several times the memory of their JSON.
 *
 * The objects are shared: copy one before changing it.
 */
export class ObjectCache {
  readonly #limit: number;
  readonly #objects = new Map<StoredRecord, ApiObject>();

  constructor(limit = 1000) {
    this.#limit = limit;
  }

  get(record: StoredRecord): ApiObject {
    const known = this.#objects.get(record);
    if (known !== undefined) {
      // Used again: moves to the end of the eviction order.
      this.#objects.delete(record);
      this.#objects.set(record, known);
      return known;
    }
    const object = parseRecord(record);
    this.#remember(record, object);
    return object;
  }

  clear(): void {
    this.#objects.clear();
  }

  #remember(record: StoredRecord, object: ApiObject): void {
    if (this.#objects.size >= this.#limit) {
      const oldest = this.#objects.keys().next();
      if (oldest.done !== true) this.#objects.delete(oldest.value);
    }
    this.#objects.set(record, object);
  }
}

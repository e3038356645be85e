import type { Key } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { isOlder } from '../../core/object/resource-version.ts';

/** Maximum number of deletes that are remembered. A restored storage takes back the newest deletes first. */
const MAX_DELETED = 128;

/**
 * The objects that were deleted last, and the versions of their deletes.
 *
 * A delete is final: the same object (the same UID), in a state from before its delete, cannot be in a later
 * list of the same history. If it is, the storage was restored from a backup. Where the versions were raised,
 * nothing else in the list reveals that. Cases that only look like it are excluded:
 *
 *  - An object that the cache never had may be one whose event was lost on the way. It is not remembered here.
 *  - An object of the same name is another one if its UID is.
 *  - An object that has left a selector is deleted too; when it is selected again, that change gave it a new version.
 *  - An API that shows each user a part of its objects deletes what is no longer shown with the version of the object
 *    itself, which is not from before that.
 *
 * Room rule: remembers. `Process` decides.
 */
export class DeletedObjects<T> {
  readonly #access: ObjectAccess<T>;
  /** Deletes by key, oldest first. */
  readonly #deletes = new Map<Key, { readonly uid: string; readonly version: string }>();

  constructor(access: ObjectAccess<T>) {
    this.#access = access;
  }

  /** Records that `object` was deleted at `version`. */
  add(key: Key, object: T, version: string | undefined): void {
    const uid = this.#access.uid(object);
    this.#deletes.delete(key);
    if (!uid || !version) return;
    this.#deletes.set(key, { uid, version });
    if (this.#deletes.size <= MAX_DELETED) return;
    for (const oldest of this.#deletes.keys()) return void this.#deletes.delete(oldest);
  }

  /** Whether `object` is one that was deleted, in a state from before its delete. */
  has(key: Key, object: T): boolean {
    const deleted = this.#deletes.get(key);
    if (deleted === undefined || this.#access.uid(object) !== deleted.uid) return false;
    return isOlder(this.#access.resourceVersion(object), deleted.version);
  }

  /** Forgets all deletes, for a new history: an object deleted in the last one may exist. */
  clear(): void {
    this.#deletes.clear();
  }
}

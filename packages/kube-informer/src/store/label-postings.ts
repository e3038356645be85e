import type { Key } from '../core/object/key.ts';
import type { ObjectAccess } from '../core/object/object.ts';
import type { LabelRequirement, LabelSelector } from '../core/selector/selector.ts';
import type { Indexer } from './indexer.ts';
import { NAMESPACE_INDEX } from './indexer.ts';

/** Maximum number of indexed label keys: each costs an entry for every object. Others are read from the objects. */
const MAX_POSTED = 16;

/**
 * Finds objects by their labels. A label key that is queried a second time gets an index, so that objects that do not
 * match are no longer read.
 */
export class LabelPostings<T extends object> {
  readonly #indexer: Indexer<T>;
  readonly #access: ObjectAccess<T>;
  /** Label keys that were queried, and whether they have an index by now. */
  readonly #asked = new Map<string, boolean>();

  constructor(indexer: Indexer<T>, access: ObjectAccess<T>) {
    this.#indexer = indexer;
    this.#access = access;
  }

  /** The objects that match; `namespace` "" means all. */
  select(selector: LabelSelector, namespace: string): T[] {
    const keys = this.#postedKeys(selector);
    const inNamespace = (key: Key): boolean => namespace === '' || key.startsWith(`${namespace}/`);
    const candidates =
      keys === undefined
        ? namespace === ''
          ? this.#indexer.list()
          : this.#indexer.byIndex(NAMESPACE_INDEX, namespace)
        : [...keys].filter(inNamespace).map((key) => this.#indexer.get(key) as T);
    // For a selector with one requirement, the result of the index is complete.
    if (keys !== undefined && selector.requirements.length === 1) return candidates;
    return candidates.filter((object) => selector.matches(this.#access.labels(object)));
  }

  /** The keys that fulfil the requirement with the fewest of them; undefined when no requirement has an index. */
  #postedKeys({ requirements }: LabelSelector): ReadonlySet<Key> | undefined {
    let fewest: ReadonlySet<Key> | undefined;
    for (const requirement of requirements) {
      if (!asksForLabelPostings(requirement) || !this.#hasPosting(requirement.key)) continue;
      const keys = this.#keysOf(requirement);
      if (fewest === undefined || keys.size < fewest.size) fewest = keys;
    }
    return fewest;
  }

  #keysOf({ key, values }: LabelRequirement): ReadonlySet<Key> {
    const found = [...values].map((value) => this.#indexer.postedKeys(key, value));
    return found.length === 1 ? (found[0] as ReadonlySet<Key>) : new Set(found.flatMap((keys) => [...keys]));
  }

  #hasPosting(label: string): boolean {
    const hasPosting = this.#asked.get(label);
    if (hasPosting === true) return true;
    if (hasPosting === undefined) {
      if (this.#asked.size < MAX_POSTED) this.#asked.set(label, false);
      return false;
    }
    this.#indexer.addPosting(label, (object) => {
      const labels = this.#access.labels(object);
      const value: unknown = Object.hasOwn(labels, label) ? labels[label] : undefined;
      return typeof value === 'string' ? [value] : [];
    });
    this.#asked.set(label, true);
    return true;
  }
}

function asksForLabelPostings({ operator }: LabelRequirement): boolean {
  return operator === '=' || operator === 'in';
}

import {
  errorMessageOf,
  guardedAnswer,
  joinKey,
  type Key,
  type KubeObject,
  type Live,
  printableText,
  type UserCode,
} from 'kube-informer/core';

/** Maximum length of a message that is kept. There may be one for each object. */
const MAX_MESSAGE = 256;

/** An object whose keys could not be computed, so that its changes do not run the keys they should. */
export interface MappingFault {
  /** The mapping that failed: `index secret`, `watch 1, v1/secrets`, `owner of v1/configmaps`. */
  readonly mapping: string;
  /** The object that it failed for. */
  readonly key: Key;
  readonly message: string;
}

/**
 * The objects that a mapping of the user fails for. An entry ends when the mapping succeeds for a later state
 * of its object, or when the object is deleted.
 *
 * It belongs to the definition of a controller and not to its run: a cache may outlive a run and keeps the
 * index functions.
 */
export class MappingFaults {
  readonly #faults = new Map<string, MappingFault>();
  #told: (fault: MappingFault) => void = () => {};
  #changed: () => void = () => {};

  get size(): number {
    return this.#faults.size;
  }

  /** Sets the callbacks: `told` is called once for each new fault of an object, `changed` also after one has ended. */
  follow(told: (fault: MappingFault) => void, changed: () => void): void {
    this.#told = told;
    this.#changed = changed;
  }

  failed(mapping: string, key: Key, error: unknown): void {
    const message = printableText(errorMessageOf(error)).slice(0, MAX_MESSAGE);
    const id = mappingFaultId(mapping, key);
    if (this.#faults.get(id)?.message === message) return;
    const fault: MappingFault = { mapping, key, message };
    this.#faults.set(id, fault);
    this.#told(fault);
    this.#changed();
  }

  /** Ends a fault: the mapping succeeded for the newest state of the object, or the object is gone. */
  ended(mapping: string, key: Key): void {
    if (this.#faults.size > 0 && this.#faults.delete(mappingFaultId(mapping, key))) this.#changed();
  }

  /** Forgets the faults of these mappings. */
  forget(isForgotten: (mapping: string) => boolean): void {
    for (const [id, { mapping }] of this.#faults) if (isForgotten(mapping)) this.#faults.delete(id);
    this.#changed();
  }

  find(mapping: string, key: Key): MappingFault | undefined {
    return this.#faults.get(mappingFaultId(mapping, key));
  }

  first(max: number): readonly MappingFault[] {
    return [...this.#faults.values()].slice(0, max);
  }
}

/** An index function that is safe to call. */
type Indexer = (object: Live<KubeObject>) => readonly string[];

export const faultOfIndexMapping = (index: string): string => `index ${index}`;
export const isFaultOfIndexMapping = (mapping: string): boolean => mapping.startsWith('index ');

/**
 * Index functions that never throw. If one fails for an object, the object has no values in that index, and a
 * fault is recorded; it is in the cache and runs like any other. Otherwise the cache would refuse its new
 * state and keep the old one, or none.
 */
export function mappingFaultIndexers(
  indexers: Readonly<Record<string, UserCode<Indexer>>>,
  faults: MappingFaults,
): Readonly<Record<string, Indexer>> {
  const checked = Object.entries(indexers).map(([index, fn]): [string, Indexer] => {
    const mapping = faultOfIndexMapping(index);
    const valuesOf = guardedAnswer(mapping, fn);
    return [
      index,
      (object) => {
        const { namespace = '', name } = object.metadata;
        const key = joinKey({ namespace, name });
        try {
          const values: unknown = valuesOf(object);
          if (!Array.isArray(values) || values.some((value) => typeof value !== 'string'))
            throw new TypeError('expected a list of strings');
          faults.ended(mapping, key);
          return values as string[];
        } catch (error) {
          faults.failed(mapping, key, error);
          return [];
        }
      },
    ];
  });
  return Object.fromEntries(checked);
}

const mappingFaultId = (mapping: string, key: Key): string => `${mapping} ${key}`;

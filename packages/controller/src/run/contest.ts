import type { Key } from 'kube-informer/core';

const MIN_SPACING_MS = 1_000;
const MAX_SPACING_MS = 60_000;
/** Time without another rewrite after which a contest is over. */
export const CONTEST_MEMORY_MS = 600_000;

/** A field that this controller writes and another client changes. */
export interface ContestedField {
  readonly resource: string;
  readonly key: Key;
  /** The path, such as `spec.replicas`; undefined for the object itself, which is deleted again and again. */
  readonly path: string | undefined;
  /** The other field manager, from the managed fields of the object; undefined if they do not name it. */
  readonly manager: string | undefined;
  /** Number of times it was written again. */
  readonly times: number;
}

/**
 * Spaces the runs of a key that fights with others over a field: 1 s, doubling to a minute. The rate of runs does not show such a
 * fight: each turn of the other side may be slow, and may be a new generation.
 */
export class Contest {
  #field: ContestedField | undefined;
  #spacingMs = 0;
  #lastAt = 0;

  /** Records that the field was written again. Returns true when it was not known to be contested. */
  written(now: number, field: ContestedField): boolean {
    const isKnown = this.field(now) !== undefined;
    this.#spacingMs = isKnown ? Math.min(this.#spacingMs * 2, MAX_SPACING_MS) : MIN_SPACING_MS;
    this.#field = field;
    this.#lastAt = now;
    return !isKnown;
  }

  /** The contested field, while the contest lasts. */
  field(now: number): ContestedField | undefined {
    return now - this.#lastAt > CONTEST_MEMORY_MS ? undefined : this.#field;
  }

  /** Earliest time of the next run. */
  notBefore(now: number): number {
    return this.field(now) === undefined ? 0 : this.#lastAt + this.#spacingMs;
  }
}

/** A contested field as text: `spec.size of example.com/v1/widgets web/a, which kubectl changes` */
export function contestSentence({ resource, key, path, manager = 'another client' }: ContestedField): string {
  return path === undefined
    ? `${resource} ${key}, which another client deletes`
    : `${path} of ${resource} ${key}, which ${manager} changes`;
}

import { isOlder } from 'kube-informer/core';

/** The annotation of the Lease that carries what the leader has written. */
export const WRITTEN_ANNOTATION = 'kube-informer.dev/written';

/** Maximum number of resources in the annotation. An operator that writes more kinds keeps those it wrote last. */
const MAX_RESOURCES = 32;
/** Maximum length of a name or version that is accepted from an annotation: any user who may edit the Lease can write it. */
const MAX_TEXT = 300;

/**
 * The highest version that leaders have written, by resource.
 *
 * A leader records each of its writes; every renewal of the lease carries the table; the next leader starts
 * when its caches have reached these versions. Otherwise it would act on a state from before its
 * predecessor's last writes.
 */
export class WrittenVersions {
  /** Versions by resource, in order of the last write, oldest first. */
  readonly #versions = new Map<string, string>();

  /** Records a write of `resource` to which the server responded with `version`. */
  note(resource: string, version: string): void {
    const before = this.#versions.get(resource);
    this.#versions.delete(resource);
    // Without an order the later response counts.
    this.#versions.set(resource, before !== undefined && isOlder(version, before) ? before : version);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > MAX_RESOURCES && oldest !== undefined) this.#versions.delete(oldest);
  }

  /** Adds what a predecessor wrote, so that it is not lost if this leader ends before it has written. */
  adopt(versions: ReadonlyMap<string, string>): void {
    for (const [resource, version] of versions) this.note(resource, version);
  }

  /** Forgets the versions of a resource whose storage was restored: they will never be reached. */
  forget(resource: string): void {
    this.#versions.delete(resource);
  }

  /** The value of the annotation; undefined as long as nothing was written. */
  text(): string | undefined {
    return this.#versions.size === 0 ? undefined : JSON.stringify([...this.#versions]);
  }
}

/** Reads the annotation. Anything that is not a table of versions counts as empty: it only delays a start. */
export function parseWrittenVersions(text: string | undefined): ReadonlyMap<string, string> {
  if (text === undefined) return new Map();
  try {
    const rows: unknown = JSON.parse(text);
    return new Map(Array.isArray(rows) ? rows.filter(isWrittenVersionRow).slice(-MAX_RESOURCES) : []);
  } catch {
    return new Map(); // not JSON: written by hand
  }
}

function isWrittenVersionRow(row: unknown): row is [string, string] {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
  return Array.isArray(row) && row.length === 2 && row.every(isText);
}

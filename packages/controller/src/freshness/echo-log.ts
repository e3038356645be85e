import { compareVersions, type Key, type KubeObject } from 'kube-informer/core';

/** Maximum number of objects whose echo is awaited. */
const MAX_AWAITED = 1_000;

/** A write whose echo is awaited. */
export interface AwaitedWrite {
  readonly resource: string;
  readonly key: Key;
  /** Version that the server returned; undefined: the object is gone. */
  readonly version: string | undefined;
  /** Time of the event in the cache, in milliseconds since 1970. */
  echoedAt?: number | undefined;
}

/**
 * Records when a cache has received what a run wrote, for the timeline of a key. For display only: the gate
 * decides whether a key may run again.
 */
export class EchoLog {
  readonly #wallNow: () => number;
  readonly #awaited = new Map<string, AwaitedWrite[]>();

  constructor(wallNow: () => number) {
    this.#wallNow = wallNow;
  }

  /**
   * Records the response to a write. `cached` is the state in the cache now: the event may arrive before the response.
   */
  wrote(write: AwaitedWrite, cached: KubeObject | undefined): void {
    const isThere =
      write.version === undefined
        ? cached === undefined
        : hasEchoLogReached(cached?.metadata?.resourceVersion, write.version);
    if (isThere) {
      write.echoedAt = this.#wallNow();
      return;
    }
    const id = awaitedEchoLogId(write.resource, write.key);
    const writes = this.#awaited.get(id) ?? [];
    // Inserted again, so that the first entry of the map is the oldest.
    this.#awaited.delete(id);
    this.#awaited.set(id, [...writes, write]);
    const [oldest] = this.#awaited.keys();
    if (this.#awaited.size > MAX_AWAITED && oldest !== undefined) this.#awaited.delete(oldest);
  }

  /** Records an event of a declared cache. */
  seen(resource: string, key: Key, object: KubeObject, isDeleted: boolean): void {
    if (this.#awaited.size === 0) return;
    const id = awaitedEchoLogId(resource, key);
    const writes = this.#awaited.get(id);
    if (writes === undefined) return;
    const isEcho = ({ version }: AwaitedWrite): boolean =>
      isDeleted || hasEchoLogReached(object.metadata?.resourceVersion, version);
    const at = this.#wallNow();
    for (const write of writes) if (isEcho(write)) write.echoedAt = at;
    const left = writes.filter((write) => !isEcho(write));
    if (left.length === 0) this.#awaited.delete(id);
    else this.#awaited.set(id, left);
  }

  /** Stops waiting for any echo. */
  clear(): void {
    this.#awaited.clear();
  }
}

const awaitedEchoLogId = (resource: string, key: Key): string => `${resource} ${key}`;

/** Whether a version has reached another. Versions without an order reach only themselves. */
const hasEchoLogReached = (version: string | undefined, other: string | undefined): boolean =>
  (compareVersions(version, other) ?? -1) >= 0;

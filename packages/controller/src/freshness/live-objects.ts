import type { KubeObject } from 'kube-informer/core';
import type { Overlay } from './overlay.ts';
import type { WriteLedger, WrittenObject } from './write-ledger.ts';

/** An object as the server had it; undefined: it does not exist. */
export interface LiveObject extends WrittenObject {
  readonly object: KubeObject | undefined;
  /** Uid that the cache had before the read. */
  readonly cachedUid: string | undefined;
}

/** Objects that a key wrote, read from the server because a cache does not have them. */
export class LiveObjects {
  readonly #objects: readonly LiveObject[];
  readonly #ledger: WriteLedger;

  constructor(objects: readonly LiveObject[], ledger: WriteLedger) {
    this.#objects = objects;
    this.#ledger = ledger;
  }

  /** Lays the objects over the caches, except for those that a cache has reached since. */
  layOver(overlay: Overlay): void {
    for (const { resource, key, object, cachedUid } of this.#objects) {
      if (object === undefined) {
        if (cachedUid !== undefined) overlay.remove(resource, key, cachedUid);
      } else if (!this.#ledger.hasReached(resource, object)) overlay.put(resource, object);
    }
  }
}

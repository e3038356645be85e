import { SLAB_BYTES } from './slab.ts';

/**
 * The memory of slabs, used again when nothing refers to it any more.
 *
 * Shared memory where there is such: V8 counts the bytes of all other buffers against a limit that it derives from the heap of
 * objects. A packed cache has few objects, so every 9 MB of new slabs would make it collect all garbage. No other thread ever
 * gets it.
 */
export class SlabMemory {
  readonly #free: Uint8Array[] = [];

  /** Bytes that are kept for the next slabs. */
  get freeBytes(): number {
    return this.#free.length * SLAB_BYTES;
  }

  /** At least `length` bytes, usually those of a slab. */
  take(length: number): Uint8Array {
    if (length > SLAB_BYTES) return new Uint8Array(length);
    return this.#free.pop() ?? newSlabMemory();
  }

  /** Nothing reads these bytes any more. */
  give(bytes: Uint8Array): void {
    if (bytes.length === SLAB_BYTES && this.#free.length < MAX_FREE) this.#free.push(bytes);
  }

  /** Lets go of what is kept. */
  clear(): void {
    this.#free.length = 0;
  }
}

/** Slabs that are kept while bytes arrive: about as many as die between two collections. */
const MAX_FREE = 32;

/** Code that reads text refuses shared memory in some browsers. */
const canShare: boolean = (() => {
  try {
    new TextDecoder().decode(new Uint8Array(new SharedArrayBuffer(1)));
    return true;
  } catch {
    return false;
  }
})();

function newSlabMemory(): Uint8Array {
  return canShare ? new Uint8Array(new SharedArrayBuffer(SLAB_BYTES)) : new Uint8Array(SLAB_BYTES);
}

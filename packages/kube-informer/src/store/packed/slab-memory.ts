import { SLAB_BYTES } from './slab.ts';

/**
 * Memory for slabs, reused when nothing refers to it any more.
 *
 * Uses shared memory where possible: V8 counts the bytes of all other buffers against a limit that it derives
 * from the heap of objects. A packed cache has few objects, so every 9 MB of new slabs would cause a full
 * garbage collection. The memory is never passed to another thread.
 */
export class SlabMemory {
  readonly #free: Uint8Array[] = [];

  /** Bytes that are kept for the next slabs. */
  get freeBytes(): number {
    return this.#free.length * SLAB_BYTES;
  }

  /** Returns at least `length` bytes, usually a whole slab. */
  take(length: number): Uint8Array {
    if (length > SLAB_BYTES) return new Uint8Array(length);
    return this.#free.pop() ?? newSlabMemory();
  }

  /** Takes back bytes that nothing reads any more. */
  give(bytes: Uint8Array): void {
    if (bytes.length === SLAB_BYTES && this.#free.length < MAX_FREE) this.#free.push(bytes);
  }

  /** Releases the free slabs. */
  clear(): void {
    this.#free.length = 0;
  }
}

/** Maximum number of free slabs: about as many as are freed between two garbage collections. */
const MAX_FREE = 32;

/** Whether shared memory can be used; false in browsers whose TextDecoder refuses it. */
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

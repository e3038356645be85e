/**
 * Size of a slab: large enough that its own cost is small, small enough that one remaining object does not
 * keep much memory.
 */
const SLAB_BYTES = 16 * 1024;
/** Maximum length of texts in a slab; longer ones get their own memory. */
const SHARED_UP_TO = SLAB_BYTES / 4;

let slab = Buffer.alloc(0);
let used = 0;

/**
 * The UTF-8 bytes of a text, stored next to those of others. `Buffer.from` packs too, but leaves a third of
 * its pool empty for texts of the size of a Kubernetes object.
 */
export function storedSlabBytes(text: string): Buffer {
  const length = Buffer.byteLength(text);
  if (length > SHARED_UP_TO) {
    const own = Buffer.allocUnsafeSlow(length);
    own.write(text);
    return own;
  }
  if (used + length > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const bytes = slab.subarray(used, used + length);
  bytes.write(text);
  used += length;
  return bytes;
}

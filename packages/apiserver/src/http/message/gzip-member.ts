import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Magic, deflate, no flags, no time, fastest, unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** The last block: stored, and empty. */
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff]);

const FASTEST_AND_FLUSHED = { level: 1, finishFlush: constants.Z_SYNC_FLUSH } as const;

/**
 * A whole gzip member that a reader can decompress before the next one comes.
 *
 * The flush before the last block makes that possible: some readers, such as Go's, hold back the end of a
 * member until the next one begins, which may never happen in a quiet watch.
 */
export function gzipMember(bytes: Buffer): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length >>> 0, 4);
  return Buffer.concat([HEADER, deflateRawSync(bytes, FASTEST_AND_FLUSHED), LAST_BLOCK, trailer]);
}

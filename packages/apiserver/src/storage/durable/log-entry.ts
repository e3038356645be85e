import { crc32 } from 'node:zlib';

/** One change of the store, as it is written to disk. */
export interface LogEntry {
  readonly revision: number;
  readonly op: 'put' | 'delete';
  readonly key: string;
  /** The value; empty for a delete. The bytes must not change after the entry was passed on. */
  readonly value: Uint8Array;
}

/** A change, or the last entry of a snapshot, which shows that it is complete. */
export type FileEntry = LogEntry | { readonly op: 'end'; readonly revision: number };

/**
 * The bytes of an entry, little-endian:
 *
 *   length 4 │ crc32 4 │ revision 8 │ op 1 │ key length 4 │ key │ value
 *              └ of the length and of everything after the crc
 *
 * `length` is that of everything after the crc. The crc covers it too, so that a wrong length is noticed.
 */
const PREFIX_BYTES = 8;
const FIXED_BYTES = 13;
/** Bytes of an entry with neither key nor value. */
export const MIN_ENTRY_BYTES: number = PREFIX_BYTES + FIXED_BYTES;
/** Maximum length that is ever written; a larger one is damage, not a reason to wait for that many bytes. */
const MAX_LENGTH = 0x4000_0000;

const OPS = ['put', 'delete', 'end'] as const;

/** The beginning of every file, so that no other file is mistaken for one. */
export const MAGIC: Buffer = Buffer.from('kiwal-1\n', 'latin1');

/** Encodes an entry in two pieces, so that a large value is not copied before it is written. */
export function encodeLogEntry(entry: FileEntry): [Buffer, Uint8Array] {
  const key = Buffer.from('key' in entry ? entry.key : '');
  const value = 'value' in entry ? entry.value : EMPTY;
  const length = FIXED_BYTES + key.length + value.length;
  const head = Buffer.allocUnsafe(PREFIX_BYTES + FIXED_BYTES + key.length);
  head.writeUInt32LE(length, 0);
  head.writeBigUInt64LE(BigInt(entry.revision), 8);
  head.writeUInt8(OPS.indexOf(entry.op), 16);
  head.writeUInt32LE(key.length, 17);
  key.copy(head, PREFIX_BYTES + FIXED_BYTES);
  head.writeUInt32LE(crc32(value, crc32(head.subarray(PREFIX_BYTES), crc32(head.subarray(0, 4)))), 4);
  return [head, value];
}

const EMPTY = new Uint8Array();

/** An entry and its size; `incomplete`: more bytes are needed; `broken`: the bytes are damaged. */
export type Decoded = { readonly entry: FileEntry; readonly bytes: number } | 'incomplete' | 'broken';

/** Decodes the entry that begins at `at`. Its value is a view of `bytes`, not a copy. */
export function decodeLogEntry(bytes: Buffer, at: number): Decoded {
  if (bytes.length - at < PREFIX_BYTES) return 'incomplete';
  const length = bytes.readUInt32LE(at);
  if (length < FIXED_BYTES || length > MAX_LENGTH) return 'broken';
  const body = at + PREFIX_BYTES;
  if (bytes.length - body < length) return 'incomplete';
  const sum = crc32(bytes.subarray(body, body + length), crc32(bytes.subarray(at, at + 4)));
  if (sum !== bytes.readUInt32LE(at + 4)) return 'broken';
  const keyFrom = body + FIXED_BYTES;
  const keyTo = keyFrom + bytes.readUInt32LE(body + 9);
  const op = OPS[bytes.readUInt8(body + 8)];
  if (op === undefined || keyTo > body + length) return 'broken';
  const revision = Number(bytes.readBigUInt64LE(body));
  const size = PREFIX_BYTES + length;
  if (op === 'end') return { entry: { op, revision }, bytes: size };
  const key = bytes.toString('utf8', keyFrom, keyTo);
  return { entry: { revision, op, key, value: bytes.subarray(keyTo, body + length) }, bytes: size };
}

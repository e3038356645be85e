import { serverTimestamp } from '../../core/server-timestamp.ts';

/**
 * The few shapes of ASN.1 that a certificate is made of, written as DER.
 *
 * Room rule: writes only, and only what `x509.ts` needs. It knows nothing of certificates.
 */

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;

/** Encodes tag, length and content. */
export function derTagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...derLength(body.length)]), body]);
}

export const derSequence = (...items: readonly Uint8Array[]): Buffer => derTagged(SEQUENCE, ...items);

export const derSet = (...items: readonly Uint8Array[]): Buffer => derTagged(SET, ...items);

/**
 * Encodes a member of a CHOICE or an optional field: constructed if it contains other values, primitive if it
 * contains bytes.
 */
export const derContext = (
  number: number,
  content: Uint8Array,
  { constructed = true }: { readonly constructed?: boolean } = {},
): Buffer => derTagged((constructed ? 0xa0 : 0x80) | number, content);

/** Encodes a non-negative number, given as big-endian bytes. */
export function derInteger(bytes: Uint8Array): Buffer {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from += 1;
  const digits = bytes.subarray(from);
  // If the first bit is set, the number would be negative.
  const needsZero = digits.length === 0 || (digits[0] as number) >= 0x80;
  return derTagged(INTEGER, Buffer.from(needsZero ? [0] : []), digits);
}

/** Encodes an object identifier such as `1.2.840.10045.4.3.2`. */
export function derObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return derTagged(OBJECT_IDENTIFIER, Buffer.from([first * 40 + second, ...rest.flatMap(derBase128)]));
}

export const derOctetString = (bytes: Uint8Array): Buffer => derTagged(OCTET_STRING, bytes);

export const derBitString = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  derTagged(BIT_STRING, Buffer.from([unusedBits]), bytes);

export const derBoolean = (value: boolean): Buffer => Buffer.from([0x01, 0x01, value ? 0xff : 0x00]);

export const derUtf8String = (text: string): Buffer => derTagged(UTF8_STRING, Buffer.from(text));

/** Encodes a time: in the two-digit form until 2049 and the four-digit one after it, as RFC 5280 demands. */
export function derTime(ms: number): Buffer {
  const digits = serverTimestamp(ms).replaceAll(/[-:T]/g, '');
  return digits < '2050'
    ? derTagged(UTC_TIME, Buffer.from(digits.slice(2), 'ascii'))
    : derTagged(GENERALIZED_TIME, Buffer.from(digits, 'ascii'));
}

function derLength(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function derBase128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

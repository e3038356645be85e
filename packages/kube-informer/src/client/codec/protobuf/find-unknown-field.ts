import type { UnknownField } from '../../../core/object/object-codec.ts';
import { checkSpecialMessage } from './decode-special.ts';
import type { MessageProgram } from './message-program.ts';
import { BYTES, VARINT, WireCursor, WireError } from './wire-cursor.ts';

/**
 * Walks over every tag of the message from `at` to `end`, without building anything. Returns the first field that the table
 * does not have, or has with another wire type: a newer server sends it, and decoding would lose it.
 *
 * Throws WireError for bytes that contradict themselves, nest deeper than `maxDepth` or cannot be decoded.
 *
 * Every object on arrival goes through here, so tags and lengths of one byte are read in place.
 */
export function findUnknownField(
  program: MessageProgram,
  bytes: Uint8Array,
  at: number,
  end: number,
  maxDepth: number,
): UnknownField | undefined {
  if (maxDepth === 0) throw new WireError('it is nested too deep');
  const { fields } = program;
  let next = at;
  while (next < end) {
    let tag = bytes[next] as number;
    if (tag < 0x80) next += 1;
    else {
      const cursor = new WireCursor(bytes, next);
      tag = cursor.varint(end);
      next = cursor.at;
    }
    const number = tag >>> 3;
    const wireType = tag & 7;
    const field = number < fields.length ? fields[number] : undefined;
    const isKnown =
      field !== undefined && (field.wireType === wireType || (wireType === BYTES && field.isPackable));
    if (!isKnown) return unknownField(program, bytes, next, end, tag);
    if (wireType === BYTES) {
      const length = next < end ? (bytes[next] as number) : 0x80;
      let from = next + 1;
      next = from + length;
      if (length >= 0x80 || next > end) {
        const cursor = new WireCursor(bytes, from - 1);
        next = cursor.endOfField(end);
        from = cursor.at;
      }
      const message = field.entry ?? field.message;
      if (message !== undefined) {
        const unknown = findUnknownField(message, bytes, from, next, maxDepth - 1);
        if (unknown !== undefined) return unknown;
        if (message.special !== undefined) checkSpecialMessage(message, bytes, from, next, maxDepth - 1);
      } else if (field.isPackable) requireVarints(bytes, from, next);
    } else if (wireType === VARINT && next < end && (bytes[next] as number) < 0x80) next += 1;
    else next = afterField(bytes, next, end, wireType);
  }
  return undefined;
} // prettier-ignore

function unknownField({ name }: MessageProgram, bytes: Uint8Array, at: number, end: number, tag: number): UnknownField {
  if (tag < 8 || tag > 0xffff_ffff) throw new WireError('a tag has no valid field number');
  afterField(bytes, at, end, tag & 7);
  return { message: name, field: tag >>> 3 };
}

function afterField(bytes: Uint8Array, at: number, end: number, wireType: number): number {
  const cursor = new WireCursor(bytes, at);
  cursor.skip(wireType, end);
  return cursor.at;
}

function requireVarints(bytes: Uint8Array, at: number, end: number): void {
  const cursor = new WireCursor(bytes, at);
  while (cursor.at < end) cursor.varint(end);
}

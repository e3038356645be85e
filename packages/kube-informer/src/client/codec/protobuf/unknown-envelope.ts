import type { TypeRef } from '../../../core/object/object.ts';
import type { Piece } from './piece-reader.ts';
import { BYTES, WireCursor, WireError } from './wire-cursor.ts';

/** Length of the first bytes of every object: `k8s` and a zero. */
export const MAGIC_LENGTH: number = 4;

/** The fields of `runtime.Unknown`, which surrounds every object and every list. */
export const TYPE_META = 1;
export const RAW = 2;

export function requireUnknownEnvelopeMagic({ bytes, at, end }: Piece): void {
  const isMagic =
    end - at >= MAGIC_LENGTH &&
    bytes[at] === 0x6b &&
    bytes[at + 1] === 0x38 &&
    bytes[at + 2] === 0x73 &&
    bytes[at + 3] === 0;
  if (!isMagic) throw new WireError('it does not begin as Kubernetes protobuf');
}

/** The type and the content of an object with its envelope. */
export function openUnknownEnvelope(piece: Piece): { readonly typeMeta: Piece; readonly raw: Piece } {
  requireUnknownEnvelopeMagic(piece);
  const { bytes, end } = piece;
  const cursor = new WireCursor(bytes, piece.at + MAGIC_LENGTH);
  let typeMeta: Piece | undefined;
  let raw: Piece | undefined;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if ((tag & 7) !== BYTES) {
      cursor.skip(tag & 7, end);
      continue;
    }
    const to = cursor.endOfField(end);
    const field: Piece = { bytes, at: cursor.at, end: to };
    if (tag >>> 3 === TYPE_META) typeMeta = field;
    else if (tag >>> 3 === RAW) raw = field;
    cursor.at = to;
  }
  if (typeMeta === undefined) throw new WireError('it has no type');
  return { typeMeta, raw: raw ?? { bytes, at: end, end } };
}

/** Reads apiVersion and kind. */
export function readTypeOfUnknownEnvelope({ bytes, at, end }: Piece): Required<TypeRef> {
  const cursor = new WireCursor(bytes, at);
  let apiVersion = '';
  let kind = '';
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag === 10) apiVersion = cursor.text(cursor.endOfField(end));
    else if (tag === 18) kind = cursor.text(cursor.endOfField(end));
    else cursor.skip(tag & 7, end);
  }
  return { apiVersion, kind };
}

export function isSameUnknownEnvelopePiece(one: Piece, other: Piece): boolean {
  const length = one.end - one.at;
  if (length !== other.end - other.at) return false;
  for (let i = 0; i < length; i += 1) if (one.bytes[one.at + i] !== other.bytes[other.at + i]) return false;
  return true;
}

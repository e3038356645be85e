import { type FieldTree, reductionFateOf, type Reduction } from '../../../core/object/reduction.ts';
import type { FieldProgram, MessageProgram } from './message-program.ts';
import { BYTES, WireCursor } from './wire-cursor.ts';

const KEY_TAG = 1 * 8 + BYTES;

/** The program of a message without the fields that are not kept, so that none of them is shown, not even as null. */
export function programToReduceMessage(
  program: MessageProgram,
  keeps: Reduction['keeps'],
  tree: FieldTree,
): MessageProgram {
  const fields = program.fields.map((field) =>
    field === undefined ? undefined : reduceMessageField(field, keeps, tree),
  );
  const nulls = program.nulls.filter((name) => reductionFateOf(keeps, tree, name) !== 'nothing');
  return { name: program.name, fields, nulls, special: program.special };
}

function reduceMessageField(field: FieldProgram, keeps: Reduction['keeps'], tree: FieldTree): FieldProgram | undefined {
  const { shape, message } = field;
  if (shape === 'inline') return { ...field, message: programToReduceMessage(message as MessageProgram, keeps, tree) };
  const fate = reductionFateOf(keeps, tree, field.name);
  if (fate === 'all') return field;
  if (fate === 'nothing') return undefined;
  // The field stays as it is: entries of a map are reduced by their keys, and embedded JSON is kept whole.
  if (shape === 'map' || shape === 'lazy' || message?.special === 'json') return field;
  if (message === undefined || message.special !== undefined) return keeps === 'others' ? field : undefined;
  return { ...field, message: programToReduceMessage(message, keeps, fate) };
}

/** Buffer for results, shared by all calls: each result is read before the next call. */
let room = new Uint8Array(16_384);

/**
 * Copies the parts of a message that are kept. The bytes must have passed `findUnknownField` with the whole program.
 *
 * The length of a message that became shorter takes as many bytes as it took before: so nothing has to be moved.
 */
export function reduceMessage(
  program: MessageProgram,
  bytes: Uint8Array,
  at: number,
  end: number,
  { keeps, fields }: Reduction,
): Uint8Array {
  if (room.length < end - at) room = new Uint8Array((end - at) * 2);
  return room.subarray(0, cutReducedMessage(program, new WireCursor(bytes, at), end, keeps, fields, 0));
}

function cutReducedMessage(
  program: MessageProgram,
  cursor: WireCursor,
  end: number,
  keeps: Reduction['keeps'],
  tree: FieldTree,
  from: number,
): number {
  const { bytes } = cursor;
  let to = from;
  while (cursor.at < end) {
    const start = cursor.at;
    const tag = cursor.varint(end);
    const lengthAt = cursor.at;
    const field = program.fields[tag >>> 3];
    cursor.skip(tag & 7, end);
    const after = cursor.at;
    const fate =
      field === undefined ? 'nothing' : field.shape === 'inline' ? tree : reductionFateOf(keeps, tree, field.name);
    if (fate === 'nothing' || field === undefined) continue;
    const { message, shape } = field;
    const isPlainMessage =
      message !== undefined && message.special === undefined && shape !== 'map' && shape !== 'lazy';
    if (fate === 'all' || !isPlainMessage) {
      if (fate !== 'all' && !keepsWholeReducedMessage(field, cursor, lengthAt, after, keeps, fate)) continue;
      room.set(bytes.subarray(start, after), to);
      to += after - start;
      continue;
    }
    cursor.at = lengthAt;
    cursor.endOfField(end);
    const contentAt = cursor.at;
    room.set(bytes.subarray(start, lengthAt), to);
    const head = to + lengthAt - start;
    const content = head + contentAt - lengthAt;
    to = cutReducedMessage(message, cursor, after, keeps, fate, content);
    writeReducedMessageLength(head, contentAt - lengthAt, to - content);
    cursor.at = after;
  }
  return to;
}

/** Whether a field is kept whole although only paths inside it are named: it is not a message with fields. */
function keepsWholeReducedMessage(
  field: FieldProgram,
  cursor: WireCursor,
  lengthAt: number,
  after: number,
  keeps: Reduction['keeps'],
  tree: FieldTree,
): boolean {
  if (field.shape !== 'map') return keeps === 'others' || field.shape === 'lazy' || field.message?.special === 'json';
  cursor.at = lengthAt;
  cursor.endOfField(after);
  let key = '';
  while (cursor.at < after) {
    const tag = cursor.varint(after);
    if (tag === KEY_TAG) key = cursor.text(cursor.endOfField(after));
    else cursor.skip(tag & 7, after);
  }
  return reductionFateOf(keeps, tree, key) !== 'nothing';
}

/** Writes a length in exactly `width` bytes; zeros at its end do not change the number. */
function writeReducedMessageLength(at: number, width: number, length: number): void {
  let left = length;
  for (let i = 0; i < width; i += 1) {
    room[at + i] = (left & 0x7f) | (i < width - 1 ? 0x80 : 0);
    left >>>= 7;
  }
}

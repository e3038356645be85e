import type { UnknownField } from '../../../core/object/object-codec.ts';
import { checkSpecialMessage } from './decode-special.ts';
import type { FieldProgram, MessageProgram } from './message-program.ts';
import { BYTES, VARINT, WireCursor, WireError } from './wire-cursor.ts';

/** The action for the field behind a tag. */
const UNKNOWN = 0;
const NUMBER = 1;
const TEXT = 2;
const MESSAGE = 3;
/** Numbers of a list in one field. */
const NUMBERS = 4;
const FIXED = 5;

/**
 * Walks over every tag of the message from `at` to `end`, without building anything. Returns the first field that the table
 * does not have, or has with another wire type: a newer server sends it, and decoding would lose it.
 *
 * Throws WireError for bytes that contradict themselves, nest deeper than `maxDepth` or cannot be decoded.
 */
export function findUnknownField(
  program: MessageProgram,
  bytes: Uint8Array,
  at: number,
  end: number,
  maxDepth: number,
): UnknownField | undefined {
  return findUnknownInTags(tagsToFindUnknown(program), bytes, at, end, maxDepth);
}

/** Every object on arrival goes through here, so tags and lengths of one or two bytes are read in place. */
function findUnknownInTags(
  table: TagTable,
  bytes: Uint8Array,
  at: number,
  end: number,
  maxDepth: number,
): UnknownField | undefined {
  if (maxDepth === 0) throw new WireError('it is nested too deep');
  const { actions } = table;
  let next = at;
  while (next < end) {
    let tag = bytes[next] as number;
    if (tag < 0x80) next += 1;
    else {
      const cursor = new WireCursor(bytes, next);
      tag = cursor.varint(end);
      next = cursor.at;
    }
    const action = tag >= 0 && tag < actions.length ? (actions[tag] as number) : UNKNOWN;
    if (action === NUMBER) {
      if (next < end && (bytes[next] as number) < 0x80) next += 1;
      else next = afterUnknownField(bytes, next, end, VARINT);
      continue;
    }
    if (action === UNKNOWN) return unknownField(table.program, bytes, next, end, tag);
    if (action === FIXED) {
      next = afterUnknownField(bytes, next, end, tag & 7);
      continue;
    }
    const lengthAt = next;
    const first = lengthAt < end ? (bytes[lengthAt] as number) : 0x80;
    const second = first < 0x80 || lengthAt + 1 >= end ? 0x80 : (bytes[lengthAt + 1] as number);
    let from = lengthAt + (first < 0x80 ? 1 : 2);
    next = first < 0x80 ? from + first : from + ((first & 0x7f) | (second << 7));
    if ((first >= 0x80 && second >= 0x80) || next > end) {
      // Longer than two bytes, or longer than the message.
      const cursor = new WireCursor(bytes, lengthAt);
      next = cursor.endOfField(end);
      from = cursor.at;
    }
    if (action === MESSAGE) {
      const nested = table.nestedAt(tag >>> 3);
      const unknown = findUnknownInTags(nested, bytes, from, next, maxDepth - 1);
      if (unknown !== undefined) return unknown;
      const message = nested.program;
      if (message.special !== undefined) checkSpecialMessage(message, bytes, from, next, maxDepth - 1);
    } else if (action === NUMBERS) requireVarints(bytes, from, next);
  }
  return undefined;
}

/** The fields of a message as the walk needs them: one byte for each tag, instead of one object for each field. */
class TagTable {
  readonly program: MessageProgram;
  /** By tag. */
  readonly actions: Uint8Array;
  /** By field number; filled when one is first needed, because messages may contain themselves. */
  readonly #nested: (TagTable | undefined)[];

  constructor(program: MessageProgram) {
    const { fields } = program;
    this.program = program;
    this.actions = new Uint8Array(fields.length * 8);
    this.#nested = fields.map(() => undefined);
    for (const field of fields) {
      if (field === undefined) continue;
      this.actions[field.number * 8 + field.wireType] = tagActionToFindUnknown(field);
      if (field.isPackable) this.actions[field.number * 8 + BYTES] = NUMBERS;
    }
  }

  nestedAt(number: number): TagTable {
    const known = this.#nested[number];
    if (known !== undefined) return known;
    const { entry, message } = this.program.fields[number] as FieldProgram;
    const nested = tagsToFindUnknown((entry ?? message) as MessageProgram);
    this.#nested[number] = nested;
    return nested;
  }
}

const tagTables = new WeakMap<MessageProgram, TagTable>();

function tagsToFindUnknown(program: MessageProgram): TagTable {
  let table = tagTables.get(program);
  if (table === undefined) {
    table = new TagTable(program);
    tagTables.set(program, table);
  }
  return table;
}

function tagActionToFindUnknown({ wireType, entry, message }: FieldProgram): number {
  if (wireType === VARINT) return NUMBER;
  if (wireType !== BYTES) return FIXED;
  return entry === undefined && message === undefined ? TEXT : MESSAGE;
}

function unknownField({ name }: MessageProgram, bytes: Uint8Array, at: number, end: number, tag: number): UnknownField {
  if (tag < 8 || tag > 0xffff_ffff) throw new WireError('a tag has no valid field number');
  afterUnknownField(bytes, at, end, tag & 7);
  return { message: name, field: tag >>> 3 };
}

function afterUnknownField(bytes: Uint8Array, at: number, end: number, wireType: number): number {
  const cursor = new WireCursor(bytes, at);
  cursor.skip(wireType, end);
  return cursor.at;
}

function requireVarints(bytes: Uint8Array, at: number, end: number): void {
  const cursor = new WireCursor(bytes, at);
  while (cursor.at < end) cursor.varint(end);
}

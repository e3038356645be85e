import type { UnknownField } from '../../../core/object/object-codec.ts';
import { checkSpecialMessage } from './decode-special.ts';
import type { FieldProgram, MessageProgram } from './message-program.ts';
import { BYTES, VARINT, WireCursor, WireError } from './wire-cursor.ts';

/** The action for the field behind a tag. */
const UNKNOWN = 0;
const NUMBER = 1;
const FIXED = 2;
/** First of the actions for fields with a length. */
const TEXT = 3;
const MESSAGE = 4;
/** Numbers of a list in one field. */
const NUMBERS = 5;

/** The tags of a Time's fields. */
const SECONDS_TAG = 1 * 8 + VARINT;
const NANOS_TAG = 2 * 8 + VARINT;

/**
 * Walks over every tag of the message from `at` to `end`, without building anything. Returns the first field
 * that the table does not have, or has with another wire type: a newer server sends it, and decoding would
 * lose it.
 *
 * Throws WireError for bytes that are malformed, nest deeper than `maxDepth` or cannot be decoded.
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

/**
 * The walk over the tags. Every object passes through it on arrival, with some five hundred fields, so tags
 * and lengths of one or two bytes are read in place. A byte beyond the end belongs to the next message or is
 * undefined; either way the length it gives reaches beyond the end, and the cursor refuses it.
 */
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
    next += 1;
    if (tag >= 0x80) {
      const second = bytes[next] as number;
      if (second < 0x80 && next < end) {
        tag = (tag & 0x7f) | (second << 7);
        next += 1;
      } else {
        const cursor = new WireCursor(bytes, next - 1);
        tag = cursor.varint(end);
        next = cursor.at;
      }
    }
    const action = tag < actions.length && tag >= 0 ? (actions[tag] as number) : UNKNOWN;
    if (action >= TEXT) {
      const lengthAt = next;
      const first = bytes[lengthAt] as number;
      let from = lengthAt + 1;
      if (first < 0x80) next = from + first;
      else {
        const second = bytes[from] as number;
        from += 1;
        next = second < 0x80 ? from + ((first & 0x7f) | (second << 7)) : Number.POSITIVE_INFINITY;
      }
      if (!(next <= end)) {
        // Longer than two bytes, or longer than the message.
        const cursor = new WireCursor(bytes, lengthAt);
        next = cursor.endOfField(end);
        from = cursor.at;
      }
      if (action === TEXT) continue;
      if (action === MESSAGE) {
        const nested = table.nested[tag >>> 3] ?? table.nestedAt(tag >>> 3);
        if (nested.isTime && maxDepth > 1 && isUsualTime(bytes, from, next)) continue;
        const unknown = findUnknownInTags(nested, bytes, from, next, maxDepth - 1);
        if (unknown !== undefined) return unknown;
        if (nested.isChecked) checkSpecialMessage(nested.program, bytes, from, next, maxDepth - 1);
      } else requireVarints(bytes, from, next);
    } else if (action === NUMBER) {
      if ((bytes[next] as number) < 0x80 && next < end) next += 1;
      else if ((bytes[next + 1] as number) < 0x80 && next + 1 < end) next += 2;
      else next = afterUnknownField(bytes, next, end, VARINT);
    } else if (action === FIXED) next = afterUnknownField(bytes, next, end, tag & 7);
    else return unknownField(table.program, bytes, next, end, tag);
  }
  return undefined;
}

/**
 * Whether a Time is encoded the way servers do for the years 1972 to 2106: the tag and five bytes of seconds,
 * and nanoseconds of zero or none. Every pod has a dozen of them.
 */
function isUsualTime(bytes: Uint8Array, at: number, end: number): boolean {
  const length = end - at;
  return (
    (length === 6 || (length === 8 && bytes[at + 6] === NANOS_TAG && bytes[at + 7] === 0)) &&
    bytes[at] === SECONDS_TAG &&
    (bytes[at + 1] as number) >= 0x80 &&
    (bytes[at + 2] as number) >= 0x80 &&
    (bytes[at + 3] as number) >= 0x80 &&
    (bytes[at + 4] as number) >= 0x80 &&
    (bytes[at + 5] as number) < 0x10
  );
}

/** The fields of a message as the walk needs them: one byte for each tag, instead of one object for each field. */
class TagTable {
  readonly program: MessageProgram;
  /** Actions by tag. */
  readonly actions: Uint8Array;
  /** Tables of nested messages by field number; filled when first needed, because messages may contain themselves. */
  readonly nested: (TagTable | undefined)[];
  readonly isTime: boolean;
  /** Whether the message needs a check beyond its tags. */
  readonly isChecked: boolean;

  constructor(program: MessageProgram) {
    const { fields } = program;
    this.program = program;
    this.actions = new Uint8Array(fields.length * 8);
    this.nested = Array.from(fields, () => undefined);
    this.isTime = program.special === 'time' || program.special === 'micro-time';
    this.isChecked = program.special !== undefined;
    for (const field of fields) {
      if (field === undefined) continue;
      this.actions[field.number * 8 + field.wireType] = tagActionToFindUnknown(field);
      if (field.isPackable) this.actions[field.number * 8 + BYTES] = NUMBERS;
    }
  }

  nestedAt(number: number): TagTable {
    const { entry, message } = this.program.fields[number] as FieldProgram;
    const nested = tagsToFindUnknown((entry ?? message) as MessageProgram);
    this.nested[number] = nested;
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

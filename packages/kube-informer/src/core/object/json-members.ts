import { KubeError } from '../errors.ts';
import { skipCheckedJsonSpace } from './json-check.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The position of a value: from its first byte to after its last. */
export interface JsonRange {
  readonly at: number;
  readonly end: number;
}

/** The type of a JSON value, by its first byte. */
export type JsonKind = 'object' | 'array' | 'text' | 'other';

/** Node's own decoding of a part of bytes, which saves a view and half of the time. Absent elsewhere. */
const utf8Slice = (
  globalThis as {
    Buffer?: { prototype: { utf8Slice?: (this: Uint8Array, from: number, to: number) => string } };
  }
).Buffer?.prototype.utf8Slice;
const decoder = new TextDecoder();

/** The text in a range of bytes that were checked to be UTF-8. */
export function jsonMemberText(bytes: Uint8Array, at: number, end: number): string {
  return utf8Slice === undefined ? decoder.decode(bytes.subarray(at, end)) : utf8Slice.call(bytes, at, end);
}

export function jsonMemberKindAt(bytes: Uint8Array, at: number): JsonKind {
  const byte = bytes[at];
  if (byte === 0x7b) return 'object';
  if (byte === 0x5b) return 'array';
  return byte === QUOTE ? 'text' : 'other';
}

/** The string at `at`, without its quotes and escapes. */
export function jsonMemberStringAt(bytes: Uint8Array, at: number, end: number): string {
  for (let i = at + 1; i < end - 1; i += 1) {
    if (bytes[i] === BACKSLASH) return JSON.parse(jsonMemberText(bytes, at, end)) as string;
  }
  return jsonMemberText(bytes, at + 1, end - 1);
}

/**
 * Walks over the members of one object. Throws for bytes that end early: a part of an object does not pass for the whole.
 *
 * @example
 * const members = new JsonMembers(bytes, at, end);
 * while (members.next()) read(members.nameAt, members.nameEnd, members.valueAt);
 */
export class JsonMembers {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  /** Position of the next name; -1 until the end of the value is known. */
  #at: number;
  #isFirst = true;
  nameAt = 0;
  nameEnd = 0;
  valueAt = 0;

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.#bytes = bytes;
    this.#end = end;
    this.#at = requireJsonMemberByte(bytes, skipCheckedJsonSpace(bytes, at, end), end, 0x7b) + 1;
  }

  /** Goes to the next member; false after the last. */
  next(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = skipCheckedJsonSpace(bytes, this.#isFirst ? this.#at : this.valueEnd(), end);
    if (at >= end) throw cutJsonMembers();
    if (bytes[at] === 0x7d) return false;
    if (!this.#isFirst) at = skipCheckedJsonSpace(bytes, requireJsonMemberByte(bytes, at, end, 0x2c) + 1, end);
    this.#isFirst = false;
    this.nameAt = requireJsonMemberByte(bytes, at, end, QUOTE);
    this.nameEnd = endOfJsonMemberText(bytes, at, end);
    const colon = requireJsonMemberByte(bytes, skipCheckedJsonSpace(bytes, this.nameEnd, end), end, 0x3a);
    this.valueAt = skipCheckedJsonSpace(bytes, colon + 1, end);
    this.#at = -1;
    return true;
  }

  /** The index after the value. */
  valueEnd(): number {
    if (this.#at === -1) this.#at = endOfJsonMemberValue(this.#bytes, this.valueAt, this.#end);
    return this.#at;
  }

  /** Goes to the member with this name; false when there is none. */
  find(name: string): boolean {
    while (this.next()) if (isJsonMemberName(this.#bytes, this.nameAt, this.nameEnd, name)) return true;
    return false;
  }
}

/** Calls `visit` with the beginning of each item of the array at `from`. */
export function walkJsonMemberItems(bytes: Uint8Array, from: number, end: number, visit: (at: number) => void): void {
  let at = skipCheckedJsonSpace(bytes, from + 1, end);
  while (at < end && bytes[at] !== 0x5d) {
    const itemEnd = endOfJsonMemberValue(bytes, at, end);
    visit(at);
    at = skipCheckedJsonSpace(bytes, itemEnd, end);
    if (bytes[at] === 0x2c) at = skipCheckedJsonSpace(bytes, at + 1, end);
  }
  if (at >= end) throw cutJsonMembers();
}

/** Whether the name between quotes is `name`, which has only ASCII characters. */
export function isJsonMemberName(bytes: Uint8Array, at: number, end: number, name: string): boolean {
  const { length } = name;
  if (end - at - 2 !== length) return memberHasEscapes(bytes, at, end) && jsonMemberStringAt(bytes, at, end) === name;
  for (let i = 0; i < length; i += 1) {
    if (bytes[at + 1 + i] !== name.charCodeAt(i)) return jsonMemberStringAt(bytes, at, end) === name;
  }
  return true;
}

/** The value of a member of the object at `at`. */
export function findJsonMember(bytes: Uint8Array, at: number, end: number, name: string): JsonRange | undefined {
  const members = new JsonMembers(bytes, at, end);
  return members.find(name) ? { at: members.valueAt, end: members.valueEnd() } : undefined;
}

/** The index after the value at `from`. */
export function endOfJsonMemberValue(bytes: Uint8Array, from: number, end: number): number {
  const kind = jsonMemberKindAt(bytes, from);
  if (kind === 'text') return endOfJsonMemberText(bytes, from, end);
  let at = from;
  if (kind === 'other') {
    // Numbers and words end at a comma, a bracket or a space.
    while (at < end && bytes[at] !== 0x2c && bytes[at] !== 0x7d && bytes[at] !== 0x5d && (bytes[at] as number) > 0x20)
      at += 1;
    if (at >= end) throw cutJsonMembers();
    return at;
  }
  let depth = 0;
  while (at < end) {
    const byte = bytes[at] as number;
    at += 1;
    if (byte === QUOTE) at = endOfJsonMemberText(bytes, at - 1, end);
    else if ((byte & 0xdf) === 0x5b) depth += 1; // { or [
    else if ((byte & 0xdf) === 0x5d) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  throw cutJsonMembers();
}

function endOfJsonMemberText(bytes: Uint8Array, from: number, end: number): number {
  let at = from + 1;
  while (at < end) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  throw cutJsonMembers();
}

function memberHasEscapes(bytes: Uint8Array, at: number, end: number): boolean {
  for (let i = at; i < end; i += 1) if (bytes[i] === BACKSLASH) return true;
  return false;
}

function requireJsonMemberByte(bytes: Uint8Array, at: number, end: number, byte: number): number {
  if (at < end && bytes[at] === byte) return at;
  throw cutJsonMembers();
}

function cutJsonMembers(): KubeError {
  return new KubeError('LIST_INVALID', 'an object is not valid JSON: it ends too early');
}

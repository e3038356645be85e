import {
  endOfJsonMemberValue,
  jsonMemberKindAt,
  JsonMembers,
  jsonMemberStringAt,
  walkJsonMemberItems,
} from './json-members.ts';
import { type FieldTree, reductionFateOf, type Reduction } from './reduction.ts';

const COMMA = 0x2c;
const COLON = 0x3a;
const NULL = 0x6e;

/** Buffer for results, shared by all calls: each result is read before the next call. */
let room = new Uint8Array(16_384);

/**
 * Copies the parts of a JSON object that are kept. The bytes must be valid. The result is valid until the
 * next call.
 */
export function reduceJson(bytes: Uint8Array, at: number, end: number, { keeps, fields }: Reduction): Uint8Array {
  // The kept part is never longer than the whole.
  if (room.length < end - at) room = new Uint8Array((end - at) * 2);
  const cutter = new JsonCutter(bytes, end, keeps);
  cutter.object(at, fields);
  return room.subarray(0, cutter.length);
}

class JsonCutter {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #keeps: Reduction['keeps'];
  length = 0;

  constructor(bytes: Uint8Array, end: number, keeps: Reduction['keeps']) {
    this.#bytes = bytes;
    this.#end = end;
    this.#keeps = keeps;
  }

  object(at: number, fields: FieldTree): void {
    const bytes = this.#bytes;
    this.#byte(0x7b);
    const first = this.length;
    for (const members = new JsonMembers(bytes, at, this.#end); members.next();) {
      const { nameAt, nameEnd, valueAt } = members;
      const fate = reductionFateOf(this.#keeps, fields, jsonMemberStringAt(bytes, nameAt, nameEnd));
      if (fate === 'nothing' || (fate !== 'all' && !this.#hasInside(valueAt))) continue;
      if (this.length > first) this.#byte(COMMA);
      this.#copy(nameAt, nameEnd);
      this.#byte(COLON);
      if (fate === 'all') this.#copy(valueAt, members.valueEnd());
      else this.#value(valueAt, fate);
    }
    this.#byte(0x7d);
  }

  /**
   * Whether a selection of fields matches something here. A value without fields has none; null stays, like
   * an absent list.
   */
  #hasInside(at: number): boolean {
    return this.#keeps === 'others' || jsonMemberKindAt(this.#bytes, at) === 'object' || jsonMemberKindAt(this.#bytes, at) === 'array' || this.#bytes[at] === NULL;
  } // prettier-ignore

  #value(at: number, fields: FieldTree): void {
    const kind = jsonMemberKindAt(this.#bytes, at);
    if (kind === 'object') return this.object(at, fields);
    if (kind !== 'array') return this.#copy(at, endOfJsonMemberValue(this.#bytes, at, this.#end));
    this.#byte(0x5b);
    const first = this.length;
    walkJsonMemberItems(this.#bytes, at, this.#end, (item) => {
      if (this.length > first) this.#byte(COMMA);
      this.#value(item, fields);
    });
    this.#byte(0x5d);
  }

  #byte(byte: number): void {
    room[this.length] = byte;
    this.length += 1;
  }

  #copy(from: number, to: number): void {
    room.set(this.#bytes.subarray(from, to), this.length);
    this.length += to - from;
  }
}

import { KubeError } from '../../../core/errors.ts';
import type { KubeList, TypeRef } from '../../../core/object/object.ts';
import { unreadableObject } from '../../../core/object/unreadable.ts';
import { invalidListCharge, ListCharge, truncatedListCharge } from '../list-charge.ts';
import type { ListFeed, ListFeedOptions } from '../wire-format.ts';
import type { MessagePrograms } from './message-program.ts';
import { isBadForObjectReader, ObjectReader, UnknownToTable } from './object-reader.ts';
import { type Piece, PieceReader } from './piece-reader.ts';
import { decodeMessage } from './decode-message.ts';
import { findUnknownField } from './find-unknown-field.ts';
import {
  MAGIC_LENGTH,
  RAW,
  readTypeOfUnknownEnvelope,
  requireUnknownEnvelopeMagic,
  TYPE_META,
} from './unknown-envelope.ts';
import { WireCursor } from './wire-cursor.ts';

const LIST_SUFFIX = 'List';
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
/** The fields of every list. */
const METADATA = 1;
const ITEM = 2;
/** Bytes kept of an item that is too long: its identity is at its beginning. */
const MAX_HEAD_BYTES = 65_536;
/** Maximum length of the type and of other small fields of the envelope. */
const MAX_ENVELOPE_BYTES = 4_096;

/** The meaning of the next bytes. */
type Place =
  | { readonly at: 'magic' }
  | { readonly at: 'envelope' } // before a field of the envelope
  | { readonly at: 'list' } // before a field of the list
  | { readonly at: 'field'; readonly level: 'envelope' | 'list'; readonly number: number; readonly length: number };

const ENVELOPE: Place = { at: 'envelope' };
const LIST: Place = { at: 'list' };

/**
 * Decodes a list in protobuf from chunks.
 *
 *   magic ─► envelope: type ─► list: metadata ─► item* ─► envelope
 *
 * Every length is known before its bytes, so an item is used where it is, or copied once if it spans chunks.
 */
export class ProtobufList<T> implements ListFeed<T> {
  readonly #programs: MessagePrograms;
  readonly #options: ListFeedOptions<T>;
  readonly #charge: ListCharge;
  readonly #pieces = new PieceReader();
  readonly #items: T[] = [];
  #place: Place = { at: 'magic' };
  #received = 0;
  /** Position of the end of the list in the body; undefined until the list has begun. */
  #listEnd: number | undefined;
  #type: Required<TypeRef> | undefined;
  #metadata: KubeList<T>['metadata'];
  #reader: ObjectReader<T> | undefined;
  #status: object | undefined;

  constructor(programs: MessagePrograms, options: ListFeedOptions<T>) {
    this.#programs = programs;
    this.#options = options;
    this.#charge = new ListCharge(options);
  }

  push(chunk: Uint8Array): void {
    this.#received += chunk.length;
    this.#charge.received(this.#received);
    this.#pieces.push(chunk);
  }

  read(): number {
    const from = this.#pieces.position;
    const itemsBefore = this.#items.length;
    try {
      // A field of no length needs no bytes.
      while (this.#isReady() && this.#step() && this.#items.length === itemsBefore);
    } catch (error) {
      throw this.#failure(error);
    }
    return this.#pieces.position - from;
  }

  #isReady(): boolean {
    return this.#pieces.available > 0 || (this.#place.at === 'field' && this.#place.length === 0);
  }

  finish(): { readonly list: KubeList<T>; readonly late: readonly T[] } {
    if (this.#received === 0) throw invalidListCharge('the response is empty');
    const isOpen = this.#place.at !== 'envelope' || this.#pieces.isInside || this.#listEnd === undefined;
    if (isOpen) throw truncatedListCharge(this.#received);
    const { kind = '', apiVersion = '' } = this.#type ?? {};
    if (this.#status !== undefined) return { list: this.#status as KubeList<T>, late: [] };
    return { list: { kind, apiVersion, metadata: this.#metadata ?? {}, items: this.#items }, late: [] };
  }

  complete(): void {
    // Items are complete when they are built: the type comes before them.
  }

  /** One step; false when more bytes are needed. */
  #step(): boolean {
    const place = this.#place;
    if (place.at === 'magic') {
      const magic = this.#pieces.piece(MAGIC_LENGTH);
      if (magic === undefined) return false;
      requireUnknownEnvelopeMagic(magic);
      this.#place = ENVELOPE;
      return true;
    }
    if (place.at === 'field') return this.#readField(place);
    const header = this.#pieces.header();
    if (header === undefined) return false;
    if (place.at === 'envelope') this.#enterEnvelopeField(header);
    else this.#enterListField(header);
    return true;
  }

  #enterEnvelopeField({ number, length }: { readonly number: number; readonly length: number }): void {
    if (number === RAW) {
      if (this.#type === undefined) throw invalidListCharge('its content comes before its type');
      this.#listEnd = this.#pieces.position + length;
      this.#charge.received(this.#listEnd);
      if (this.#type.kind === 'Status') this.#place = { at: 'field', level: 'envelope', number, length };
      else this.#enterList(this.#type);
      return;
    }
    if (length > MAX_ENVELOPE_BYTES) throw invalidListCharge(`its envelope is longer than ${MAX_ENVELOPE_BYTES} bytes`);
    this.#place = { at: 'field', level: 'envelope', number, length };
  }

  #enterList({ apiVersion, kind }: Required<TypeRef>): void {
    if (!kind.endsWith(LIST_SUFFIX) || kind === LIST_SUFFIX) throw invalidListCharge('it has no items');
    const type = { apiVersion, kind: kind.slice(0, -LIST_SUFFIX.length) };
    this.#reader = new ObjectReader(type, this.#programs, this.#options);
    this.#leaveField('list');
  }

  #enterListField({ number, length }: { readonly number: number; readonly length: number }): void {
    const { maxItemBytes, unreadable } = this.#options;
    if (this.#pieces.position + length > (this.#listEnd as number))
      throw invalidListCharge('a field is longer than the list around it');
    if (number !== METADATA && number !== ITEM)
      throw new UnknownToTable(this.#type ?? {}, { message: this.#type?.kind ?? '', field: number });
    if (length > maxItemBytes && (number === METADATA || unreadable === 'throw')) {
      const what = number === METADATA ? 'the part outside the items' : this.#itemPlace(length);
      throw invalidListCharge(`${what} is longer than ${maxItemBytes} bytes (option maxItemBytes)`);
    }
    this.#place = { at: 'field', level: 'list', number, length };
  }

  #readField({ level, number, length }: Extract<Place, { at: 'field' }>): boolean {
    const isTooLong = length > this.#options.maxItemBytes;
    const piece = this.#pieces.piece(length, isTooLong ? Math.min(MAX_HEAD_BYTES, length) : length);
    if (piece === undefined) return false;
    if (level === 'list') {
      if (number === ITEM) this.#addItem(piece, length, isTooLong);
      else this.#readMetadata(piece);
    } else if (number === TYPE_META && this.#type === undefined) this.#type = readTypeOfUnknownEnvelope(piece);
    else if (number === RAW) this.#readStatus(piece, isTooLong);
    this.#leaveField(level);
    return true;
  }

  #leaveField(level: 'envelope' | 'list'): void {
    this.#place = level === 'list' && this.#pieces.position < (this.#listEnd as number) ? LIST : ENVELOPE;
  }

  #readMetadata({ bytes, at, end }: Piece): void {
    const program = this.#programs.ofMessage(LIST_META);
    const { maxDepth } = this.#options;
    const unknown = findUnknownField(program, bytes, at, end, maxDepth);
    if (unknown !== undefined) throw new UnknownToTable(this.#type ?? {}, unknown);
    const limits = { maxDepth, copiesLazy: true };
    this.#metadata = decodeMessage(program, new WireCursor(bytes, at), end, limits) as KubeList<T>['metadata'];
  }

  #readStatus(piece: Piece, isTooLong: boolean): void {
    if (isTooLong) throw invalidListCharge(`its Status is longer than ${this.#options.maxItemBytes} bytes`);
    const { maxDepth } = this.#options;
    const type = this.#type as Required<TypeRef>;
    this.#status = new ObjectReader(type, this.#programs, { maxDepth, unreadable: 'throw' }).readPlain(piece);
  }

  #addItem(piece: Piece, length: number, isTooLong: boolean): void {
    this.#charge.item(length, this.#pieces.position);
    const reader = this.#reader as ObjectReader<T>;
    let item: T;
    try {
      item = isTooLong
        ? this.#marked(piece, length, `is longer than ${this.#options.maxItemBytes} bytes`)
        : reader.read(piece);
    } catch (error) {
      if (!isBadForObjectReader(error)) throw error;
      item = this.#marked(piece, length, 'is not a valid object', error);
    }
    this.#items.push(item);
    this.#options.onItem?.(item);
  }

  /**
   * A marked object in place of an item that cannot be decoded. Its length is known, so the items after it
   * can be decoded.
   */
  #marked(piece: Piece, length: number, what: string, cause?: Error): T {
    const error = invalidListCharge(`${this.#itemPlace(length)} ${what}${cause === undefined ? '' : `: ${cause.message}`}`, cause);
    if (this.#options.unreadable === 'throw') throw error;
    return unreadableObject((this.#reader as ObjectReader<T>).salvage(piece), error) as T;
  } // prettier-ignore

  #itemPlace(length: number): string {
    return `item ${this.#items.length} (${length} bytes, up to byte ${this.#pieces.position})`;
  }

  #failure(error: unknown): unknown {
    if (error instanceof UnknownToTable) this.#options.onUnknown?.(error.type, error.field);
    else if (error instanceof KubeError || !(error instanceof Error) || error.name !== 'WireError') return error;
    return invalidListCharge(`${error.message} (near byte ${this.#pieces.position})`, error);
  }
}

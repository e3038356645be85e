import { defined } from '../../../core/defined.ts';
import { KubeError } from '../../../core/errors.ts';
import { unreadableObject } from '../../../core/object/unreadable.ts';
import type { KubeObject } from '../../../core/object/object.ts';
import type { WatchEvent } from '../../../core/object/watch-event.ts';
import { isStatus, safeStatus } from '../../../core/safe-status.ts';
import { isJsonChangeFrame } from '../json-frames.ts';
import type { FrameFeed, FrameFeedOptions } from '../wire-format.ts';
import type { MessagePrograms } from './message-program.ts';
import { isBadForObjectReader, ObjectReader, UnknownToTable } from './object-reader.ts';
import { type Piece, PieceReader } from './piece-reader.ts';
import {
  isSameUnknownEnvelopePiece,
  MAGIC_LENGTH,
  openUnknownEnvelope,
  readTypeOfUnknownEnvelope,
} from './unknown-envelope.ts';
import { BYTES, WireCursor, WireError } from './wire-cursor.ts';

/** Bytes of the length before each frame. */
const LENGTH_BYTES = 4;
/** Bytes kept of a frame that is too long: type and identity are at its beginning. */
const MAX_HEAD_BYTES = 65_536;
/** A frame this many times longer than the maximum is refused, even where long frames are marked: no object is that large. */
const MAX_EXCESS = 16;

/** The fields of a WatchEvent, and of the messages inside it. */
const TYPE = 1;
const OBJECT = 2;
const TYPE_TAG = TYPE * 8 + BYTES;
const OBJECT_TAG = OBJECT * 8 + BYTES;
const RAW_TAG = 1 * 8 + BYTES;
/** The magic number: `k8s` and a zero. */
const MAGIC_NUMBER = 0x6b38_7300;
/** The last two fields of the envelope: encoding and content type, always sent and always empty. */
const EMPTY_TEXTS = [3 * 8 + BYTES, 0, 4 * 8 + BYTES, 0];

/**
 * The events of a watch in protobuf: four bytes of length (big-endian), then a WatchEvent, whose object has an envelope of its
 * own.
 */
export class ProtobufFrames<T> implements FrameFeed<T> {
  readonly #programs: MessagePrograms;
  readonly #options: FrameFeedOptions<T>;
  readonly #pieces = new PieceReader();
  /** Length of the frame being read; undefined before a frame. */
  #length: number | undefined;
  #number = 0;
  #lastLength = 0;
  /** The reader of the last frame's type: the types of a watch hardly ever change. */
  #reader: ObjectReader<T> | undefined;
  #readerType: Piece | undefined;

  constructor(programs: MessagePrograms, options: FrameFeedOptions<T>) {
    this.#programs = programs;
    this.#options = options;
  }

  get lastLength(): number {
    return this.#lastLength;
  }

  get isUnfinished(): boolean {
    return this.#length !== undefined || this.#pieces.isInside;
  }

  push(chunk: Uint8Array): void {
    this.#pieces.push(chunk);
  }

  truncation(): KubeError | undefined {
    if (!this.isUnfinished) return undefined;
    return new KubeError('TRANSPORT', `the watch was truncated: it ended inside frame ${this.#number + 1}`, {
      cause: new Error('unexpected EOF'),
    });
  }

  next(): WatchEvent<T> | undefined {
    if (this.#length === undefined) {
      if (this.#pieces.available === 0) return undefined;
      const head = this.#pieces.piece(LENGTH_BYTES);
      if (head === undefined) return undefined;
      this.#length = uint32InFrame(head.bytes, head.at);
      this.#requireLength(this.#length);
    }
    const length = this.#length;
    const { maxFrameBytes } = this.#options;
    const isTooLong = length > maxFrameBytes;
    const piece = this.#pieces.piece(length, isTooLong ? Math.min(MAX_HEAD_BYTES, length) : length);
    if (piece === undefined) return undefined;
    this.#length = undefined;
    this.#number += 1;
    this.#lastLength = length;
    try {
      if (isTooLong) return this.#marked(piece, new WireError(`it is longer than ${maxFrameBytes} bytes`), true);
      return this.#event(piece);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Refuses a length before anything is allocated for it. */
  #requireLength(length: number): void {
    const { maxFrameBytes, unreadable } = this.#options;
    const most = unreadable === 'mark' ? maxFrameBytes * MAX_EXCESS : maxFrameBytes;
    if (length > most)
      throw undecodableProtobufFrame(`frame ${this.#number + 1} is longer than ${most} bytes (option maxFrameBytes)`);
  }

  #event(frame: Piece): WatchEvent<T> {
    const usual = this.#usualEvent(frame);
    if (usual !== undefined) return usual;
    const { type, object } = openProtobufFrame(frame);
    if (type === '' || object === undefined) throw new WireError('it is not an event: it needs a type and an object');
    if (!isJsonChangeFrame(type)) return this.#plainEvent(type, object);
    const { typeMeta, raw } = openUnknownEnvelope(object);
    return this.#changeEvent(frame, type, this.#readerOf(typeMeta), raw);
  }

  #changeEvent(frame: Piece, type: 'ADDED' | 'MODIFIED' | 'DELETED', reader: ObjectReader<T>, raw: Piece): WatchEvent<T> {
    try {
      return { type, object: reader.read(raw) };
    } catch (error) {
      if (!isBadForObjectReader(error)) throw error;
      return this.#marked(frame, error, false);
    }
  } // prettier-ignore

  /**
   * Reads an event with the layout that servers use and the type of the last one, in place and without an
   * object for each of the five messages around it. Undefined for any other frame.
   *
   *   type · object { raw { magic · envelope { type · content · two empty texts } } }
   */
  #usualEvent(frame: Piece): WatchEvent<T> | undefined {
    const reader = this.#reader;
    const readerType = this.#readerType;
    if (reader === undefined || readerType === undefined) return undefined;
    const { bytes, end } = frame;
    const cursor = new WireCursor(bytes, frame.at);
    if (bytes[cursor.at] !== TYPE_TAG) return undefined;
    cursor.at += 1;
    const type = cursor.text(cursor.endOfField(end));
    if (!isJsonChangeFrame(type)) return undefined;
    if (bytes[cursor.at] !== OBJECT_TAG) return undefined;
    cursor.at += 1;
    if (cursor.endOfField(end) !== end || bytes[cursor.at] !== RAW_TAG) return undefined;
    cursor.at += 1;
    if (cursor.endOfField(end) !== end) return undefined;
    if (end - cursor.at < MAGIC_LENGTH || uint32InFrame(bytes, cursor.at) !== MAGIC_NUMBER) return undefined;
    cursor.at += MAGIC_LENGTH;
    if (bytes[cursor.at] !== RAW_TAG) return undefined;
    cursor.at += 1;
    const typeEnd = cursor.endOfField(end);
    if (!isSameUnknownEnvelopePiece({ bytes, at: cursor.at, end: typeEnd }, readerType)) return undefined;
    if (bytes[typeEnd] !== OBJECT_TAG) return undefined;
    cursor.at = typeEnd + 1;
    const to = cursor.endOfField(end);
    if (end !== to && !(end - to === EMPTY_TEXTS.length && EMPTY_TEXTS.every((byte, i) => bytes[to + i] === byte)))
      return undefined;
    return this.#changeEvent(frame, type, reader, { bytes, at: cursor.at, end: to });
  }

  /** A bookmark, an error, or a type that the consumer refuses. */
  #plainEvent(type: string, object: Piece): WatchEvent<T> {
    const { typeMeta, raw } = openUnknownEnvelope(object);
    const meta = readTypeOfUnknownEnvelope(typeMeta);
    const { maxDepth, isSecret } = this.#options;
    const options = { ...this.#options, builder: undefined, maxDepth };
    const plain = new ObjectReader(meta, this.#programs, meta.kind === 'Status' ? { ...options, metadataOnly: undefined } : options).readPlain(raw);
    if (type !== 'ERROR') return { type, object: plain } as unknown as WatchEvent<T>;
    return { type, object: isStatus(plain) ? safeStatus(plain, { isSecret }) : plain } as WatchEvent<T>;
  } // prettier-ignore

  #readerOf(typeMeta: Piece): ObjectReader<T> {
    if (
      this.#reader === undefined ||
      this.#readerType === undefined ||
      !isSameUnknownEnvelopePiece(typeMeta, this.#readerType)
    ) {
      this.#reader = new ObjectReader(readTypeOfUnknownEnvelope(typeMeta), this.#programs, this.#options);
      const bytes = typeMeta.bytes.slice(typeMeta.at, typeMeta.end);
      this.#readerType = { bytes, at: 0, end: bytes.length };
    }
    return this.#reader;
  }

  /**
   * The event with a marked object. Without a name or a version the event would be lost: then the stream ends, and the
   * consumer resumes or lists again.
   */
  #marked(frame: Piece, cause: Error, isCut: boolean): WatchEvent<T> {
    const error = undecodableProtobufFrame(`${this.#place}: ${cause.message}`, cause);
    if (this.#options.unreadable === 'throw') throw error;
    const { type, known } = isCut ? this.#salvageCut(frame) : this.#salvage(frame);
    const { name, resourceVersion } = known?.metadata ?? {};
    if (!isJsonChangeFrame(type) || known === undefined || !name || !resourceVersion) throw error;
    return { type, object: unreadableObject(known, error) as T };
  }

  #salvage(frame: Piece): Salvaged {
    const { type, object } = openProtobufFrame(frame);
    if (object === undefined) return { type, known: undefined };
    const { typeMeta, raw } = openUnknownEnvelope(object);
    return { type, known: this.#readerOf(typeMeta).salvage(raw) };
  }

  /** Reads a frame whose end was dropped. The lengths around the object reach beyond what was kept. */
  #salvageCut({ bytes, at, end }: Piece): Salvaged {
    const cursor = new WireCursor(bytes, at);
    // The order in which servers write: type, object { raw { magic, envelope { type, content … } } }.
    if (cursor.varint(end) !== TYPE_TAG) return NOTHING;
    const type = cursor.text(cursor.endOfField(end));
    for (const tag of [OBJECT_TAG, RAW_TAG]) {
      if (cursor.varint(end) !== tag) return NOTHING;
      cursor.varint(end);
    }
    cursor.at += MAGIC_LENGTH;
    if (cursor.varint(end) !== RAW_TAG) return NOTHING;
    const to = cursor.endOfField(end);
    const typeMeta: Piece = { bytes, at: cursor.at, end: to };
    cursor.at = to;
    if (cursor.varint(end) !== OBJECT_TAG) return NOTHING;
    cursor.varint(end);
    return { type, known: this.#readerOf(typeMeta).salvage({ bytes, at: cursor.at, end }) };
  }

  get #place(): string {
    return `frame ${this.#number} (${this.#lastLength} bytes, up to byte ${this.#pieces.position} of the stream)`;
  }

  #failure(error: unknown): unknown {
    if (error instanceof UnknownToTable) this.#options.onUnknown?.(error.type, error.field);
    else if (!(error instanceof WireError)) return error;
    return undecodableProtobufFrame(`${this.#place}: ${error.message}`, error);
  }
}

interface Salvaged {
  readonly type: string;
  readonly known: KubeObject | undefined;
}

const NOTHING: Salvaged = { type: '', known: undefined };

/** The type of an event, and its object with the envelope. */
function openProtobufFrame({ bytes, at, end }: Piece): { readonly type: string; readonly object: Piece | undefined } {
  const cursor = new WireCursor(bytes, at);
  let type = '';
  let object: Piece | undefined;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if ((tag & 7) !== BYTES) {
      cursor.skip(tag & 7, end);
      continue;
    }
    const to = cursor.endOfField(end);
    if (tag >>> 3 === TYPE) type = cursor.text(to);
    else if (tag >>> 3 === OBJECT) object = rawExtensionInFrame(bytes, cursor.at, to);
    cursor.at = to;
  }
  return { type, object };
}

/** The content of a RawExtension, which has one field. */
function rawExtensionInFrame(bytes: Uint8Array, at: number, end: number): Piece | undefined {
  const cursor = new WireCursor(bytes, at);
  let raw: Piece | undefined;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag !== 10) cursor.skip(tag & 7, end);
    else {
      const to = cursor.endOfField(end);
      raw = { bytes, at: cursor.at, end: to };
      cursor.at = to;
    }
  }
  return raw;
}

function uint32InFrame(bytes: Uint8Array, at: number): number {
  const rest = ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
  return (bytes[at] as number) * 0x100_0000 + rest;
}

function undecodableProtobufFrame(what: string, cause?: unknown): KubeError {
  return new KubeError('WATCH_DECODE', `the watch cannot be read: ${what}`, defined({ cause }));
}

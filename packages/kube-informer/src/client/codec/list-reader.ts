import type { ObjectCodec } from '../../core/object/object-codec.ts';
import { isTableObject, type KubeList, type KubeObject, type TypeRef } from '../../core/object/object.ts';
import { unreadableCause, unreadableObject } from '../../core/object/unreadable.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { isSpaceByte, type JsonFailure, parseJsonBytes } from './json-bytes.ts';
import { JsonScanner, STILL_OPEN } from './json-scan.ts';
import { invalidListCharge, ListCharge, truncatedListCharge } from './list-charge.ts';
import { ListEnvelope } from './list-envelope.ts';
import { buildFromJsonObject, OBJECT_METADATA, parseJsonObject } from './json-object.ts';
import { keepMetadataOnly } from './metadata-only.ts';
import { salvageObject } from './salvage.ts';
import type { ListFeed, ListFeedOptions, ObjectBuilder } from './wire-format.ts';

const COMMA = 0x2c;
const END_OF_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const NO_BYTES = new Uint8Array(0);
const LIST_SUFFIX = 'List';

interface ItemType {
  /** kind and apiVersion of the list. */
  readonly list: TypeRef;
  /** The type of items that have none; undefined when the list's kind does not end in `List`. */
  readonly fill: Required<TypeRef> | undefined;
}

/**
 * Decodes a list from chunks, one step at a time.
 *
 *   before ─► envelope ─► items: (between ─► item)* ─► envelope ─► closed
 *
 * An item inside one chunk is parsed in place; an item that spans chunks is copied once. The caller may pause after each
 * step.
 *
 * Room rule: synchronous. Knows JSON and the shape of a list; no event loop, no body.
 */
export class ListReader<T> implements ListFeed<T> {
  readonly #limits: ListFeedOptions<T>;
  readonly #charge: ListCharge;
  readonly #envelope: ListEnvelope;
  readonly #scanner = new JsonScanner();
  readonly #partial = new ByteBuffer();
  #chunk: Uint8Array = NO_BYTES;
  #at = 0;
  /** Offsets of the chunk and of the item in the body, for messages. */
  #chunkStart = 0;
  #itemStart = 0;
  /** Bytes of the item that were not kept, because it is longer than `maxItemBytes`. */
  #dropped = 0;
  #expects: 'first' | 'item' | 'comma' | 'rest-of-item' = 'first';
  #items: T[] = [];
  /** Undefined until the kind and apiVersion of the list are known. */
  #type: ItemType | undefined;
  /** Codec for a caller that builds items from bytes. */
  #codec: ObjectCodec | undefined;
  #codecType: ItemType | undefined;
  #hasEntered = false;
  #hasFilled = false;

  constructor(limits: ListFeedOptions<T>) {
    this.#limits = limits;
    // Also counts the items of an earlier `items` key.
    this.#charge = new ListCharge(limits);
    this.#envelope = new ListEnvelope(limits.maxDepth);
  }

  /** Adds a chunk. Call it only after `read` returned 0. */
  push(chunk: Uint8Array): void {
    this.#chunkStart += this.#chunk.length;
    this.#chunk = chunk;
    this.#at = 0;
    this.#charge.received(this.#received);
  }

  /** Reads at most one item. Returns the number of bytes read; 0 at the end of the chunk. */
  read(): number {
    const from = this.#at;
    if (from === this.#chunk.length) return 0;
    const { place } = this.#envelope;
    if (place === 'closed') this.#readAfter();
    else if (place !== 'items') this.#readEnvelope();
    else if (this.#expects === 'rest-of-item') this.#readItem();
    else this.#readBetween();
    return this.#at - from;
  }

  /** The list, and the items that were decoded before the type of the list was known. */
  finish(): { readonly list: KubeList<T>; readonly late: readonly T[] } {
    const { place } = this.#envelope;
    if (place === 'before') throw invalidListCharge('the response is empty');
    if (place !== 'closed') throw truncatedListCharge(this.#received);
    const list = this.#parse(this.#envelope.bytes, 'the part outside the items') as KubeObject & { items?: unknown };
    const type = typeInListReader(list);
    const hasItems = Array.isArray(list.items);
    if (!hasItems && list.kind === 'Status') return { list: list as unknown as KubeList<T>, late: [] };
    if (!hasItems && list.items !== null && !isTableObject(list)) throw invalidListCharge('it has no items');
    // Items have already been handed out with the first type.
    if (this.#hasFilled && !isSameTypeInListReader(type, this.#type))
      throw invalidListCharge('it has two different kind/apiVersion pairs');
    const late = hasItems && this.#type === undefined ? this.#items : [];
    this.#type ??= type;
    list.items = hasItems ? this.#items : [];
    return { list: list as KubeList<T>, late };
  }

  /** Adds the type an item lacks, cuts it to its metadata if requested, and calls `onItem`. */
  complete(item: T): void {
    const { builder, metadataOnly, onItem } = this.#limits;
    if (builder === undefined || unreadableCause(item) !== undefined) {
      this.#fillType(item as object);
      if (metadataOnly !== undefined) keepMetadataOnly(item as object, metadataOnly);
    }
    onItem?.(item);
  }

  #fillType(item: object): void {
    const { kind, apiVersion } = item as TypeRef;
    const fill = this.#type?.fill;
    if (fill === undefined || kind || apiVersion) return;
    Object.assign(item, fill);
    this.#hasFilled = true;
  }

  #buildItem(bytes: Uint8Array): unknown {
    const { builder, metadataOnly } = this.#limits;
    if (builder === undefined || metadataOnly !== undefined) {
      const item = parseJsonObject(bytes, OBJECT_METADATA, Number.POSITIVE_INFINITY, this.#unparsableItem);
      if (builder === undefined || unreadableCause(item) !== undefined) return item;
      this.#fillType(item as object);
      if (metadataOnly !== undefined) keepMetadataOnly(item as object, metadataOnly);
      return buildFromJsonObject(builder, item as KubeObject);
    }
    const codec = this.#codecOf(builder);
    try {
      codec.check(bytes, 0, bytes.length);
    } catch (cause) {
      return this.#unreadableItem('is not valid JSON', bytes, cause);
    }
    return builder.build(codec, bytes, 0, bytes.length);
  }

  /** The codec for all items of a type. It is shared because it reuses the shape of the last item. */
  #codecOf(builder: ObjectBuilder<T>): ObjectCodec {
    if (this.#codec === undefined || this.#codecType !== this.#type) {
      this.#codec = builder.jsonCodec(this.#type?.fill ?? {});
      this.#codecType = this.#type;
    }
    return this.#codec;
  }

  get #received(): number {
    return this.#chunkStart + this.#chunk.length;
  }

  #readEnvelope(): void {
    const envelope = this.#envelope;
    const { maxItemBytes, maxDepth } = this.#limits;
    this.#at = envelope.read(this.#chunk, this.#at);
    if (envelope.length > maxItemBytes) {
      throw invalidListCharge(`the part outside the items is longer than ${maxItemBytes} bytes (option maxItemBytes)`);
    }
    if (envelope.place === 'not-an-object') throw invalidListCharge('the response is not a JSON object');
    if (envelope.place === 'too-deep')
      throw invalidListCharge(`it nests deeper than ${maxDepth} levels outside its items`);
    if (envelope.place === 'items') this.#enterItems();
  }

  #enterItems(): void {
    // The last of two `items` keys wins. Its items get their type at the end; parsing the head again for each would be quadratic.
    const isFirst = !this.#hasEntered;
    this.#hasEntered = true;
    this.#hasFilled = false;
    this.#items = [];
    this.#expects = 'first';
    this.#type = undefined;
    if (!isFirst) return;
    const type = typeInListReader(this.#parse(this.#envelope.head(), 'the part before the items') as KubeObject);
    // Servers send kind and apiVersion first. If they are missing here, they may follow the items.
    if (type.list.kind !== undefined && type.list.apiVersion !== undefined) this.#type = type;
  }

  #readBetween(): void {
    const chunk = this.#chunk;
    while (this.#at < chunk.length) {
      const byte = chunk[this.#at] as number;
      if (byte === OPEN_OBJECT && this.#expects !== 'comma') {
        this.#itemStart = this.#chunkStart + this.#at;
        this.#expects = 'rest-of-item';
        return this.#readItem();
      }
      if (byte === END_OF_ARRAY && this.#expects !== 'item') {
        this.#at = this.#envelope.leaveItems(chunk, this.#at);
        return;
      }
      if (byte === COMMA && this.#expects === 'comma') this.#expects = 'item';
      else if (!isSpaceByte(byte)) {
        throw invalidListCharge(
          `expected an object as item ${this.#items.length} at byte ${this.#chunkStart + this.#at}`,
        );
      }
      this.#at += 1;
    }
  }

  #readItem(): void {
    const { maxItemBytes, maxDepth, unreadable } = this.#limits;
    const from = this.#at;
    const end = this.#scanner.scan(this.#chunk, from);
    const to = end === STILL_OPEN ? this.#chunk.length : end;
    const kept = Math.min(to, from + maxItemBytes - this.#partial.length);
    this.#dropped += to - kept;
    if (this.#dropped > 0 && unreadable === 'throw') {
      throw invalidListCharge(
        `item ${this.#items.length} (from byte ${this.#itemStart}) is longer than ${maxItemBytes} bytes (option maxItemBytes)`,
      );
    }
    this.#at = to;
    let bytes = this.#chunk.subarray(from, kept);
    if (end === STILL_OPEN) return this.#partial.append(bytes);
    if (this.#partial.length > 0) {
      this.#partial.append(bytes);
      bytes = this.#partial.view();
    }
    this.#charge.item(bytes.length, this.#chunkStart + this.#at);
    let item: unknown;
    if (this.#dropped > 0) item = this.#unreadableItem(`is longer than ${maxItemBytes} bytes`, bytes);
    else if (this.#scanner.deepest > maxDepth)
      item = this.#unreadableItem(`nests deeper than ${maxDepth} levels`, bytes);
    else item = this.#buildItem(bytes);
    this.#partial.clear();
    this.#dropped = 0;
    this.#expects = 'comma';
    this.#items.push(item as T);
    if (this.#type !== undefined) this.complete(item as T);
  }

  #readAfter(): void {
    const chunk = this.#chunk;
    for (; this.#at < chunk.length; this.#at += 1) {
      if (isSpaceByte(chunk[this.#at] as number)) continue;
      throw invalidListCharge(`there are more bytes after its end, from byte ${this.#chunkStart + this.#at} on`);
    }
  }

  // One closure per list, not per item: a list may have a hundred thousand.
  readonly #unparsableItem = ({ reason, cause, bytes }: JsonFailure): KubeObject =>
    this.#unreadableItem(`is ${reason}`, bytes, cause);

  /**
   * A marked object in place of an item that cannot be decoded. Its brackets are closed, so the items after
   * it can be decoded.
   */
  #unreadableItem(what: string, bytes: Uint8Array, cause?: unknown): KubeObject {
    const place = `item ${this.#items.length} (${bytes.length + this.#dropped} bytes, from byte ${this.#itemStart})`;
    const error = invalidListCharge(`${place} ${what}`, cause);
    if (this.#limits.unreadable === 'throw') throw error;
    return unreadableObject(salvageObject(bytes), error);
  }

  #parse(bytes: Uint8Array, what: string): unknown {
    return parseJsonBytes(bytes, this.#limits.maxDepth, ({ reason, cause }) => {
      throw invalidListCharge(`${what} (${bytes.length} bytes) is ${reason}`, cause);
    });
  }
}

/** The kind of the items is the list's kind without `List`. Items of any other list carry their own type. */
function typeInListReader({ kind, apiVersion }: TypeRef): ItemType {
  const list: TypeRef = {
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof apiVersion === 'string' ? { apiVersion } : {}),
  };
  const isNamed = list.kind?.endsWith(LIST_SUFFIX) === true && list.kind.length > LIST_SUFFIX.length;
  const fill =
    isNamed && list.kind !== undefined && list.apiVersion
      ? { apiVersion: list.apiVersion, kind: list.kind.slice(0, -LIST_SUFFIX.length) }
      : undefined;
  return { list, fill };
}

function isSameTypeInListReader(a: ItemType, b: ItemType | undefined): boolean {
  return a.list.kind === b?.list.kind && a.list.apiVersion === b?.list.apiVersion;
}

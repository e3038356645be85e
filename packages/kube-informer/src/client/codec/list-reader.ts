import { KubeError } from '../../core/errors.ts';
import { isTableObject, type KubeList, type KubeObject, type TypeRef } from '../../core/object/object.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { isSpaceByte, type JsonFailure, parseJsonBytes } from './json-bytes.ts';
import { JsonScanner, STILL_OPEN, TOO_DEEP } from './json-scan.ts';
import { ListEnvelope } from './list-envelope.ts';

const COMMA = 0x2c;
const END_OF_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const NO_BYTES = new Uint8Array(0);
const LIST_SUFFIX = 'List';

interface ListLimits {
  readonly maxItemBytes: number;
  readonly maxBytes: number;
  readonly maxDepth: number;
}

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
export class ListReader<T> {
  readonly #limits: ListLimits;
  readonly #onItem: ((item: T) => void) | undefined;
  readonly #envelope: ListEnvelope;
  readonly #scanner: JsonScanner;
  readonly #partial = new ByteBuffer();
  #chunk: Uint8Array = NO_BYTES;
  #at = 0;
  /** Offsets of the chunk and of the item in the body, for messages. */
  #chunkStart = 0;
  #itemStart = 0;
  #expects: 'first' | 'item' | 'comma' | 'rest-of-item' = 'first';
  #items: T[] = [];
  /** Undefined until the kind and apiVersion of the list are known. */
  #type: ItemType | undefined;
  #hasEntered = false;
  #hasFilled = false;

  constructor(limits: ListLimits, onItem: ((item: T) => void) | undefined) {
    this.#limits = limits;
    this.#onItem = onItem;
    this.#envelope = new ListEnvelope(limits.maxDepth);
    this.#scanner = new JsonScanner(limits.maxDepth);
  }

  /** Adds a chunk. Call it only after `read` returned 0. */
  push(chunk: Uint8Array): void {
    this.#chunkStart += this.#chunk.length;
    this.#chunk = chunk;
    this.#at = 0;
    const { maxBytes } = this.#limits;
    if (this.#chunkStart + chunk.length > maxBytes)
      throw invalidListForReader(`it is longer than ${maxBytes} bytes (option maxBytes)`);
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
    if (place === 'before') throw invalidListForReader('the response is empty');
    if (place !== 'closed') {
      throw new KubeError(
        'TRANSPORT',
        `the list was truncated: it ended after ${this.#received} bytes without being closed`,
        {
          cause: new Error('unexpected EOF'),
        },
      );
    }
    const list = this.#parse(this.#envelope.bytes, 'the part outside the items') as KubeObject & { items?: unknown };
    const type = listReaderItemType(list);
    const hasItems = Array.isArray(list.items);
    if (!hasItems && list.kind === 'Status') return { list: list as unknown as KubeList<T>, late: [] };
    if (!hasItems && list.items !== null && !isTableObject(list)) throw invalidListForReader('it has no items');
    // Items have already been handed out with the first type.
    if (this.#hasFilled && !isSameReaderItemType(type, this.#type))
      throw invalidListForReader('it has two different kind/apiVersion pairs');
    const late = hasItems && this.#type === undefined ? this.#items : [];
    this.#type ??= type;
    list.items = hasItems ? this.#items : [];
    return { list: list as KubeList<T>, late };
  }

  /** Adds the type an item lacks and calls `onItem`. */
  complete(item: T): void {
    const { kind, apiVersion } = item as TypeRef;
    const fill = this.#type?.fill;
    if (fill !== undefined && !kind && !apiVersion) {
      Object.assign(item as object, fill);
      this.#hasFilled = true;
    }
    this.#onItem?.(item);
  }

  get #received(): number {
    return this.#chunkStart + this.#chunk.length;
  }

  #readEnvelope(): void {
    const envelope = this.#envelope;
    const { maxItemBytes, maxDepth } = this.#limits;
    this.#at = envelope.read(this.#chunk, this.#at);
    if (envelope.length > maxItemBytes) {
      throw invalidListForReader(
        `the part outside the items is longer than ${maxItemBytes} bytes (option maxItemBytes)`,
      );
    }
    if (envelope.place === 'not-an-object') throw invalidListForReader('the response is not a JSON object');
    if (envelope.place === 'too-deep') throw invalidListForReader(`it nests deeper than ${maxDepth} (option maxDepth)`);
    if (envelope.place === 'items') this.#enterItems();
  }

  #enterItems(): void {
    // Of two `items` keys the last wins. Its items get their type at the end; parsing the head again for each would be quadratic.
    const isFirst = !this.#hasEntered;
    this.#hasEntered = true;
    this.#hasFilled = false;
    this.#items = [];
    this.#expects = 'first';
    this.#type = undefined;
    if (!isFirst) return;
    const type = listReaderItemType(this.#parse(this.#envelope.head(), 'the part before the items') as KubeObject);
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
        throw invalidListForReader(
          `expected an object as item ${this.#items.length} at byte ${this.#chunkStart + this.#at}`,
        );
      }
      this.#at += 1;
    }
  }

  #readItem(): void {
    const { maxItemBytes, maxDepth } = this.#limits;
    const from = this.#at;
    const room = maxItemBytes - this.#partial.length;
    const chunk = this.#chunk.length - from > room ? this.#chunk.subarray(0, from + room) : this.#chunk;
    const end = this.#scanner.scan(chunk, from);
    if (end === TOO_DEEP)
      throw invalidListForReader(`${this.#place()} nests deeper than ${maxDepth} (option maxDepth)`);
    if (end === STILL_OPEN) {
      if (chunk.length < this.#chunk.length) {
        throw invalidListForReader(`${this.#place()} is longer than ${maxItemBytes} bytes (option maxItemBytes)`);
      }
      this.#partial.append(chunk, from);
      this.#at = chunk.length;
      return;
    }
    let bytes = chunk.subarray(from, end);
    if (this.#partial.length > 0) {
      this.#partial.append(bytes);
      bytes = this.#partial.view();
    }
    this.#at = end;
    const item = parseJsonBytes(bytes, Number.POSITIVE_INFINITY, this.#unreadableItem) as T;
    this.#partial.clear();
    this.#expects = 'comma';
    this.#items.push(item);
    if (this.#type !== undefined) this.complete(item);
  }

  #readAfter(): void {
    const chunk = this.#chunk;
    for (; this.#at < chunk.length; this.#at += 1) {
      if (isSpaceByte(chunk[this.#at] as number)) continue;
      throw invalidListForReader(`there are more bytes after its end, from byte ${this.#chunkStart + this.#at} on`);
    }
  }

  #place(): string {
    return `item ${this.#items.length} (from byte ${this.#itemStart})`;
  }

  // One closure per list, not per item: a list may have a hundred thousand.
  readonly #unreadableItem = ({ reason, cause, bytes }: JsonFailure): never => {
    throw invalidListForReader(
      `item ${this.#items.length} (${bytes.length} bytes, from byte ${this.#itemStart}) is ${reason}`,
      cause,
    );
  };

  #parse(bytes: Uint8Array, what: string): unknown {
    return parseJsonBytes(bytes, this.#limits.maxDepth, ({ reason, cause }) => {
      throw invalidListForReader(`${what} (${bytes.length} bytes) is ${reason}`, cause);
    });
  }
}

/** The kind of the items is the list's kind without `List`. Items of any other list carry their own type. */
function listReaderItemType({ kind, apiVersion }: TypeRef): ItemType {
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

function isSameReaderItemType(a: ItemType, b: ItemType | undefined): boolean {
  return a.list.kind === b?.list.kind && a.list.apiVersion === b?.list.apiVersion;
}

function invalidListForReader(what: string, cause?: unknown): KubeError {
  return new KubeError('LIST_INVALID', `the list cannot be read: ${what}`, cause === undefined ? {} : { cause });
}

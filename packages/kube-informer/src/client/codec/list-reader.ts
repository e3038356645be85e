import { KubeError } from '../../core/errors.ts';
import { isTable, type KubeList, type KubeObject, type TypeRef } from '../../core/object/object.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { isSpace, type JsonFailure, parseJson } from './json-bytes.ts';
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
  /** What the list calls itself. */
  readonly list: TypeRef;
  /** What items without a type are; undefined when the list's kind does not tell. */
  readonly fill: Required<TypeRef> | undefined;
}

/**
 * A list put together from chunks, one step at a time.
 *
 *   before ─► envelope ─► items: (between ─► item)* ─► envelope ─► closed
 *
 * An item that lies in one chunk is parsed where it lies; one that does not is copied once. After each step the
 * caller may pause.
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
  /** Where the chunk begins in the body, and the item in the body: for messages. */
  #chunkStart = 0;
  #itemStart = 0;
  #expects: 'first' | 'item' | 'comma' | 'rest-of-item' = 'first';
  #items: T[] = [];
  /** Undefined until the list has said what it is. */
  #type: ItemType | undefined;
  #hasEntered = false;
  #hasFilled = false;

  constructor(limits: ListLimits, onItem: ((item: T) => void) | undefined) {
    this.#limits = limits;
    this.#onItem = onItem;
    this.#envelope = new ListEnvelope(limits.maxDepth);
    this.#scanner = new JsonScanner(limits.maxDepth);
  }

  /** More bytes. Only when `read` had nothing left. */
  push(chunk: Uint8Array): void {
    this.#chunkStart += this.#chunk.length;
    this.#chunk = chunk;
    this.#at = 0;
    const { maxBytes } = this.#limits;
    if (this.#chunkStart + chunk.length > maxBytes)
      throw invalid(`it is longer than ${maxBytes} bytes (option maxBytes)`);
  }

  /** One step: at most one item. Answers how many bytes it took; 0 when the chunk is used up. */
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

  /** The list, and those of its items that still wait for their type. */
  finish(): { readonly list: KubeList<T>; readonly late: readonly T[] } {
    const { place } = this.#envelope;
    if (place === 'before') throw invalid('the answer is empty');
    if (place !== 'closed') {
      throw new KubeError('TRANSPORT', `the list was truncated: it ended after ${this.#received} bytes, still open`, {
        cause: new Error('unexpected EOF'),
      });
    }
    const list = this.#parse(this.#envelope.bytes, 'the part around the items') as KubeObject & { items?: unknown };
    const type = itemType(list);
    const hasItems = Array.isArray(list.items);
    if (!hasItems && list.kind === 'Status') return { list: list as unknown as KubeList<T>, late: [] };
    if (!hasItems && list.items !== null && !isTable(list)) throw invalid('it has no items');
    // Items have been handed out under the first name: no way back.
    if (this.#hasFilled && !isSameType(type, this.#type)) throw invalid('it names its type twice, and differently');
    const late = hasItems && this.#type === undefined ? this.#items : [];
    this.#type ??= type;
    list.items = hasItems ? this.#items : [];
    return { list: list as KubeList<T>, late };
  }

  /** Gives an item the type it lacks and shows it. */
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
      throw invalid(`what is not in its items is longer than ${maxItemBytes} bytes (option maxItemBytes)`);
    }
    if (envelope.place === 'not-an-object') throw invalid('the answer is not a JSON object');
    if (envelope.place === 'too-deep') throw invalid(`it nests deeper than ${maxDepth} (option maxDepth)`);
    if (envelope.place === 'items') this.#enterItems();
  }

  #enterItems(): void {
    // Of two keys of one name the last wins; its items wait for the end, or a list of such keys would take for ever.
    const isFirst = !this.#hasEntered;
    this.#hasEntered = true;
    this.#hasFilled = false;
    this.#items = [];
    this.#expects = 'first';
    this.#type = undefined;
    if (!isFirst) return;
    const type = itemType(this.#parse(this.#envelope.head(), 'the part before the items') as KubeObject);
    // Servers name the type first. Where one does not, it may still come.
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
      else if (!isSpace(byte)) {
        throw invalid(`expected an object as item ${this.#items.length} at byte ${this.#chunkStart + this.#at}`);
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
    if (end === TOO_DEEP) throw invalid(`${this.#place()} nests deeper than ${maxDepth} (option maxDepth)`);
    if (end === STILL_OPEN) {
      if (chunk.length < this.#chunk.length) {
        throw invalid(`${this.#place()} is longer than ${maxItemBytes} bytes (option maxItemBytes)`);
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
    const item = parseJson(bytes, Number.POSITIVE_INFINITY, this.#unreadableItem) as T;
    this.#partial.clear();
    this.#expects = 'comma';
    this.#items.push(item);
    if (this.#type !== undefined) this.complete(item);
  }

  #readAfter(): void {
    const chunk = this.#chunk;
    for (; this.#at < chunk.length; this.#at += 1) {
      if (isSpace(chunk[this.#at] as number)) continue;
      throw invalid(`there is more after its end, from byte ${this.#chunkStart + this.#at} on`);
    }
  }

  #place(): string {
    return `item ${this.#items.length} (from byte ${this.#itemStart})`;
  }

  // Made once: a list has a hundred thousand items.
  readonly #unreadableItem = ({ reason, cause, bytes }: JsonFailure): never => {
    throw invalid(
      `item ${this.#items.length} (${bytes.length} bytes, from byte ${this.#itemStart}) is ${reason}`,
      cause,
    );
  };

  #parse(bytes: Uint8Array, what: string): unknown {
    return parseJson(bytes, this.#limits.maxDepth, ({ reason, cause }) => {
      throw invalid(`${what} (${bytes.length} bytes) is ${reason}`, cause);
    });
  }
}

/** List kind minus `List`. A kind that does not end so has items that say themselves what they are. */
function itemType({ kind, apiVersion }: TypeRef): ItemType {
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

function isSameType(a: ItemType, b: ItemType | undefined): boolean {
  return a.list.kind === b?.list.kind && a.list.apiVersion === b?.list.apiVersion;
}

function invalid(what: string, cause?: unknown): KubeError {
  return new KubeError('LIST_INVALID', `the list cannot be read: ${what}`, cause === undefined ? {} : { cause });
}

import type { KubeError } from '../../core/errors.ts';
import type { ObjectCodec, UnknownField } from '../../core/object/object-codec.ts';
import type { KubeList, TypeRef } from '../../core/object/object.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';

/**
 * Makes the objects of a list or a watch: the range `at` to `end` of `bytes`, which `codec` has checked. The bytes are valid
 * during the call only.
 */
export interface ObjectBuilder<T> {
  build(codec: ObjectCodec, bytes: Uint8Array, at: number, end: number): T;
  /** Reads JSON objects of the given type, which items of a list do not carry. */
  jsonCodec(type: TypeRef): ObjectCodec;
}

/** Options of the feeds of every format. */
export interface FeedOptions<T> {
  readonly maxDepth: number;
  /** Handling of an object that cannot be decoded. */
  readonly unreadable: 'throw' | 'mark';
  /**
   * Keep only the metadata. The value is the type of whole objects, as far as it is known: they become
   * PartialObjectMetadata.
   */
  readonly metadataOnly?: TypeRef | undefined;
  /** @default plain objects */
  readonly builder?: ObjectBuilder<T> | undefined;
  /** Called before a failure, when the server sent a kind or a field that this version of the library does not know. */
  readonly onUnknown?: ((type: TypeRef, field: UnknownField | undefined) => void) | undefined;
}

export interface ListFeedOptions<T> extends FeedOptions<T> {
  readonly maxItemBytes: number;
  readonly maxBytes: number;
  readonly maxItems: number;
  readonly onItem?: ((item: T) => void) | undefined;
}

/** Decodes a list from chunks, one step at a time. Synchronous: the driver pauses between steps. */
export interface ListFeed<T> {
  /** Adds a chunk. Call it only after `read` returned 0. */
  push(chunk: Uint8Array): void;
  /** Reads at most one item. Returns the number of bytes read; 0 at the end of the chunk. */
  read(): number;
  /** The list, and the items that still have to be completed. */
  finish(): { readonly list: KubeList<T>; readonly late: readonly T[] };
  /** Adds the type an item lacks and calls `onItem`. */
  complete(item: T): void;
}

export interface FrameFeedOptions<T> extends FeedOptions<T> {
  readonly maxFrameBytes: number;
  /** Whether an ERROR event may quote a Secret. */
  readonly isSecret: boolean;
}

/** Decodes the events of a watch from chunks. Synchronous: the driver pauses between events. */
export interface FrameFeed<T> {
  /** Adds a chunk. Call it only after `next` returned undefined. */
  push(chunk: Uint8Array): void;
  /** The next event; undefined when its end has not arrived. */
  next(): WatchEvent<T> | undefined;
  /** Length of the last frame in bytes. */
  readonly lastLength: number;
  /** Whether a frame has begun and its end has not arrived. Valid after `next` returned undefined. */
  readonly isUnfinished: boolean;
  /** The error for a stream that ends here; undefined when it ends between two frames. */
  truncation(): KubeError | undefined;
}

/** A format of lists and watches: JSON or protobuf. */
export interface WireFormat {
  list<T>(options: ListFeedOptions<T>): ListFeed<T>;
  frames<T>(options: FrameFeedOptions<T>): FrameFeed<T>;
}

import { guardedAnswer, type UserCode } from '../../core/guarded.ts';
import { type Env, guardedEnv, systemEnv } from '../../core/env.ts';
import type { KubeList } from '../../core/object/object.ts';
import { Slices } from '../../core/async/slices.ts';
import { MAX_DEPTH } from '../../core/object/json-check.ts';
import { pauseDueAfterBytes, MAX_OBJECT_BYTES, limitOfJsonBytes } from './json-bytes.ts';
import { jsonFormat } from './json-format.ts';
import type { FeedOptions, WireFormat } from './wire-format.ts';

/** Default maximum size of a list. Decoded objects take about three times their JSON, so it exceeds any default heap. */
const MAX_LIST_BYTES = 2_147_483_648;

/** Default maximum number of items: far more than a cluster can hold of one kind, and little enough for any heap when they are empty. */
const MAX_LIST_ITEMS = 2_000_000;

export interface ListStreamOptions<T> {
  readonly env?: UserCode<Env>;
  /**
   * Called with each item as soon as it is decoded and has its type, in the order of the list. It may change the item in
   * place (for example drop `managedFields`). If the list sends its type after the items, all calls come at the end.
   */
  readonly onItem?: UserCode<(item: T) => void>;
  /** Maximum size of an item, and of the list without its items. @default 33_554_432 (32 MB) */
  readonly maxItemBytes?: number;
  /** Maximum size of the list; an item counts as at least 256 bytes. @default 2_147_483_648 (2 GB) */
  readonly maxBytes?: number;
  /** Maximum number of items. @default 2_000_000 */
  readonly maxItems?: number;
  /** Maximum nesting of an item. @default 1_000 */
  readonly maxDepth?: number;
  /**
   * An item that cannot be decoded: `throw` LIST_INVALID, or `mark` it with `unreadableObject` and continue, as informers
   * do. @default 'throw'
   */
  readonly unreadable?: 'throw' | 'mark';
}

/**
 * Decodes the body of a LIST, item by item as the bytes arrive.
 *
 * Promises:
 *  - the body is never held as one string; how it is cut into chunks does not matter
 *  - yields to the event loop every few milliseconds, however fast the bytes arrive
 *  - the result equals `JSON.parse` of the whole (numbers become doubles, of equal keys the last wins),
 *    except that items without kind and apiVersion get them from the list, and `items: null` is an empty list
 *  - a Status is returned as it is, without items, for the caller to throw; a Table with empty items, to be refused
 *  - an item that cannot be decoded (too deep, too long, not valid JSON or UTF-8) is marked if asked for; its brackets
 *    are closed, so the others can be read
 *  - anything else that is not a list fails with LIST_INVALID, a body that ends too early with TRANSPORT ("truncated");
 *    neither message quotes the content, which may be a Secret
 *  - an error, also one of `onItem`, closes the body; an error of the body is thrown unchanged
 *
 * Not promised: that items have metadata, or that there is only one page. The pager checks that.
 *
 * Room rule: knows JSON and the shape of a list. No requests, no retry, no resourceVersion.
 */
export async function decodeList<T>(
  body: AsyncIterable<Uint8Array>,
  options: ListStreamOptions<T> = {},
): Promise<KubeList<T>> {
  return decodeListOf(jsonFormat, body, options);
}

/** Options of lists and watches that only this package uses. */
export type InnerStreamOptions<T> = Pick<FeedOptions<T>, 'builder' | 'metadataOnly' | 'onUnknown'>;

/** Decodes the body of a LIST in any format, as `decodeList` does for JSON. */
export async function decodeListOf<T>(
  format: WireFormat,
  body: AsyncIterable<Uint8Array>,
  options: ListStreamOptions<T> & InnerStreamOptions<T>,
): Promise<KubeList<T>> {
  const { maxItemBytes = MAX_OBJECT_BYTES } = options;
  const { maxBytes = MAX_LIST_BYTES, maxDepth = MAX_DEPTH, unreadable = 'throw', maxItems = MAX_LIST_ITEMS } = options;
  limitOfJsonBytes('maxItemBytes', maxItemBytes);
  limitOfJsonBytes('maxBytes', maxBytes);
  limitOfJsonBytes('maxDepth', maxDepth);
  limitOfJsonBytes('maxItems', maxItems);
  // An error that it throws fails the list; its result is not awaited, so a promise is refused.
  const onItem = options.onItem === undefined ? undefined : guardedAnswer('onItem', options.onItem);
  const { builder, metadataOnly, onUnknown } = options;
  const inner = { builder, metadataOnly, onUnknown };
  const reader = format.list<T>({ maxItemBytes, maxBytes, maxItems, maxDepth, unreadable, onItem, ...inner });
  const slices = new Slices(guardedEnv(options.env ?? systemEnv));
  for await (const chunk of body) {
    reader.push(chunk);
    for (let taken = reader.read(); taken > 0; taken = reader.read()) {
      if (pauseDueAfterBytes(slices, taken)) await slices.pause();
    }
  }
  const { list, late } = reader.finish();
  for (const item of late) {
    reader.complete(item);
    if (slices.due()) await slices.pause();
  }
  return list;
}

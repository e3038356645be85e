import { type Env, systemEnv } from '../../core/env.ts';
import type { KubeList } from '../../core/object/object.ts';
import { Slices } from '../../core/async/slices.ts';
import { dueAfter, MAX_DEPTH, MAX_OBJECT_BYTES, requireLimit } from './json-bytes.ts';
import { ListReader } from './list-reader.ts';

/** Decoded objects take about three times their JSON, so a list of this size is beyond any default heap. */
const MAX_LIST_BYTES = 2_147_483_648;

export interface ListStreamOptions<T> {
  readonly env?: Env;
  /**
   * Told of each item as soon as it is decoded and has its type, in the order of the list. It may change the item in
   * place (drop `managedFields`, say). When the list names its type after its items, they come all at the end.
   */
  readonly onItem?: (item: T) => void;
  /** Largest item, and largest rest of the list without its items. @default 33_554_432 (32 MB) */
  readonly maxItemBytes?: number;
  /** Largest list. @default 2_147_483_648 (2 GB) */
  readonly maxBytes?: number;
  /** Deepest nesting of an item. @default 512 */
  readonly maxDepth?: number;
}

/**
 * Reads the body of a LIST, item by item as the bytes arrive.
 *
 * Promises:
 *  - the body is never one string and never one `JSON.parse`; how it is cut into chunks changes nothing
 *  - the event loop gets its turn every few milliseconds, however fast the bytes come
 *  - the result is what `JSON.parse` of the whole would be (numbers become doubles, of equal keys the last wins),
 *    except that items without kind and apiVersion get them from the list, and `items: null` is an empty list
 *  - a Status is handed over as it is, without items, for the caller to raise; a Table with empty items, to be refused
 *  - anything else that is no list fails with LIST_INVALID, a body that ends too early with TRANSPORT ("truncated");
 *    neither says anything of the content, which may be a Secret
 *  - an error, also one of `onItem`, closes the body; what the body throws is handed on as it is
 *
 * Not promised: that items have metadata, or that there is only one page. The pager asks for that.
 *
 * Room rule: knows JSON and the shape of a list. No requests, no retry, no resourceVersion.
 */
export async function decodeList<T>(
  body: AsyncIterable<Uint8Array>,
  options: ListStreamOptions<T> = {},
): Promise<KubeList<T>> {
  const { env = systemEnv, onItem, maxItemBytes = MAX_OBJECT_BYTES } = options;
  const { maxBytes = MAX_LIST_BYTES, maxDepth = MAX_DEPTH } = options;
  requireLimit('maxItemBytes', maxItemBytes);
  requireLimit('maxBytes', maxBytes);
  requireLimit('maxDepth', maxDepth);
  const reader = new ListReader<T>({ maxItemBytes, maxBytes, maxDepth }, onItem);
  const slices = new Slices(env);
  for await (const chunk of body) {
    reader.push(chunk);
    for (let taken = reader.read(); taken > 0; taken = reader.read()) {
      if (dueAfter(slices, taken)) await slices.pause();
    }
  }
  const { list, late } = reader.finish();
  for (const item of late) {
    reader.complete(item);
    if (slices.due()) await slices.pause();
  }
  return list;
}

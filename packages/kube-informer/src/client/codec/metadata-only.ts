import type { KubeObject } from '../../core/object/object.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';

/**
 * Deletes all fields of an object except apiVersion, kind and metadata, in place.
 *
 * A server may ignore the request for metadata only and send whole objects; a caller that wants names and labels must
 * not get the content of a Secret.
 */
export function keepMetadataOnly(object: object): void {
  if ((object as KubeObject).kind === 'PartialObjectMetadata') return;
  for (const field of Object.keys(object)) {
    if (field !== 'apiVersion' && field !== 'kind' && field !== 'metadata')
      delete (object as Record<string, unknown>)[field];
  }
}

/** Does the same to the objects of a watch; the Status of an ERROR event stays whole. */
export function keepEventMetadataOnly<T>(
  events: AsyncIterableIterator<WatchEvent<T>, undefined>,
): AsyncIterableIterator<WatchEvent<T>, undefined> {
  return {
    async next() {
      const result = await events.next();
      if (result.done !== true && result.value.type !== 'ERROR') keepMetadataOnly(result.value.object as object);
      return result;
    },
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

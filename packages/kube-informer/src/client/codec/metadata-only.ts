import type { KubeObject } from '../../core/object/object.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';

/**
 * Takes everything but type and metadata off an object, in place.
 *
 * A server that does not know how to send metadata only sends whole objects, which is allowed; whoever asked for names
 * and labels must not end up with a Secret's content all the same.
 */
export function bare(object: object): void {
  if ((object as KubeObject).kind === 'PartialObjectMetadata') return;
  for (const field of Object.keys(object)) {
    if (field !== 'apiVersion' && field !== 'kind' && field !== 'metadata')
      delete (object as Record<string, unknown>)[field];
  }
}

/** The same for the objects of a watch; the Status of an error stays whole. */
export function bareEvents<T>(
  events: AsyncIterableIterator<WatchEvent<T>, undefined>,
): AsyncIterableIterator<WatchEvent<T>, undefined> {
  return {
    async next() {
      const result = await events.next();
      if (result.done !== true && result.value.type !== 'ERROR') bare(result.value.object as object);
      return result;
    },
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

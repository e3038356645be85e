import { defined } from '../../core/defined.ts';
import { KubeError } from '../../core/errors.ts';
import { plainJsonCodec } from '../../core/object/json-codec.ts';
import type { BuildObject } from '../../core/object/object-codec.ts';
import { type KubeObject, plainAccess } from '../../core/object/object.ts';
import { unreadableCause, unreadableObject } from '../../core/object/unreadable.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';
import { type ListWatch, requireListWatch, type WatchStream } from './list-watch.ts';

const codec = plainJsonCodec();

/**
 * A source of what `build` makes from each object's bytes. If `source` has only decoded objects, they are
 * encoded as JSON again: correct, but slower than either form alone.
 *
 * Room rule: changes objects only. Bookmarks, errors and marks of objects that could not be decoded pass
 * through.
 */
export function packedSource<T extends object, R extends object>(
  source: ListWatch<T>,
  build: BuildObject<R>,
): ListWatch<R | KubeObject> {
  requireListWatch(source);
  if (source.building !== undefined) return source.building(build);
  const pack = (object: T): R | KubeObject => packedSourceObject(object, build);
  const { clusterId, echo, expected, watchListUnsupported } = source;
  return {
    ...defined({ expected, watchListUnsupported }),
    ...defined({ echo: echo?.bind(source), clusterId: clusterId?.bind(source) }),
    list: async (options, signal) => {
      const list = await source.list(options, signal);
      // A response that is not a list is refused by its reader.
      return Array.isArray(list?.items) ? { ...list, items: list.items.map(pack) } : (list as never);
    },
    watch: (options, signal) => packPlainWatch(source.watch(options, signal), pack),
  };
}

/** Packs the events of a watch. Not a generator, which could not be closed while an event is awaited. */
function packPlainWatch<T, R>(stream: WatchStream<T>, pack: (object: T) => R): WatchStream<R> {
  const { progress } = stream;
  return {
    ...defined({ progress }),
    [Symbol.asyncIterator]() {
      const events = stream[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await events.next();
          return next.done === true ? next : { done: false, value: packedSourceEvent(next.value, pack) };
        },
        async return() {
          await events.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function packedSourceEvent<T, R>(event: WatchEvent<T>, pack: (object: T) => R): WatchEvent<R> {
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: pack(event.object) };
    case 'BOOKMARK':
    case 'ERROR':
    default:
      return event;
  }
}

function packedSourceObject<T extends object, R>(object: T, build: BuildObject<R>): R | KubeObject {
  // The reader of the list or the event refuses anything but an object.
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object;
  if (unreadableCause(object) !== undefined) return object;
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(object));
    return build(codec, bytes, 0, bytes.length);
  } catch (cause) {
    const { name, namespace, uid, resourceVersion } = (object as KubeObject).metadata ?? {};
    const known = { ...plainAccess.type(object), metadata: { name, namespace, uid, resourceVersion } } as KubeObject;
    return unreadableObject(known, new KubeError('LIST_INVALID', 'the object cannot be written as JSON', { cause }));
  }
}

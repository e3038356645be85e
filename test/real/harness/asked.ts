import type { KubeObject } from 'kube-informer';
import { INITIAL_EVENTS_END, type WatchEvent, type WatchOptions } from 'kube-informer/core';
import { type ListWatch, withOptions } from 'kube-informer/informer';

/** A request of an informer. */
export type Asked = WatchOptions & { readonly verb: string };

/**
 * Whether the request is for the whole collection: not a probe of one item, not a next page, not the list of `verify`.
 */
export function isWhole({ verb, limit, sendInitialEvents, continue: token, resourceVersionMatch }: Asked): boolean {
  if (verb === 'watch') return sendInitialEvents === true;
  return limit !== 1 && token === undefined && resourceVersionMatch !== 'Exact';
}

export interface Counted<T> {
  readonly source: ListWatch<T>;
  readonly calls: readonly Asked[];
  /** How often the whole collection was received, as a list or as a stream. With a busy server there may be more requests. */
  readonly wholes: () => number;
}

/** The same source, with a record of its requests. */
export function counted<T extends KubeObject>(source: ListWatch<T>): Counted<T> {
  const calls: Asked[] = [];
  let wholes = 0;
  const received = withOptions(source, (options, verb) => {
    calls.push({ ...options, verb });
    return options;
  });
  return {
    calls,
    wholes: () => wholes,
    source: {
      ...received,
      async list(options, signal) {
        const page = await received.list(options, signal);
        if (isWhole({ ...options, verb: 'list' })) wholes += 1;
        return page;
      },
      async *watch(options, signal): AsyncGenerator<WatchEvent<T>> {
        for await (const event of received.watch(options, signal)) {
          if (event.type === 'BOOKMARK' && event.object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true')
            wholes += 1;
          yield event;
        }
      },
    },
  };
}

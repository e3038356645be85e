import type { KubeObject } from 'kube-informer';
import { INITIAL_EVENTS_END, type WatchEvent, type WatchOptions } from 'kube-informer/core';
import { type ListWatch, withOptions } from 'kube-informer/informer';

/** What an informer asked of the server. */
export type Asked = WatchOptions & { readonly verb: string };

/**
 * The collection was asked for from the start. Not: one item, which is the question whether the server is behind us; the
 * next pages; and what `verify` compares with.
 */
export function isWhole({ verb, limit, sendInitialEvents, continue: token, resourceVersionMatch }: Asked): boolean {
  if (verb === 'watch') return sendInitialEvents === true;
  return limit !== 1 && token === undefined && resourceVersionMatch !== 'Exact';
}

export interface Counted<T> {
  readonly source: ListWatch<T>;
  readonly calls: readonly Asked[];
  /** How often the whole collection came, as a list or as a stream. A busy server may have been asked more often. */
  readonly wholes: () => number;
}

/** The same source, and an account of what it was asked for. */
export function counted<T extends KubeObject>(source: ListWatch<T>): Counted<T> {
  const calls: Asked[] = [];
  let wholes = 0;
  const told = withOptions(source, (options, verb) => {
    calls.push({ ...options, verb });
    return options;
  });
  return {
    calls,
    wholes: () => wholes,
    source: {
      ...told,
      async list(options, signal) {
        const page = await told.list(options, signal);
        if (isWhole({ ...options, verb: 'list' })) wholes += 1;
        return page;
      },
      async *watch(options, signal): AsyncGenerator<WatchEvent<T>> {
        for await (const event of told.watch(options, signal)) {
          if (event.type === 'BOOKMARK' && event.object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true')
            wholes += 1;
          yield event;
        }
      },
    },
  };
}

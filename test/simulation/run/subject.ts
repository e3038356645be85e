import { type Env, KubeError, unreadableObject, type WatchEvent } from 'kube-informer/core';
import { type ListWatch, SharedInformer } from 'kube-informer/informer';
import type { Item } from '../world/history.ts';
import type { Pace } from '../world/list-body.ts';
import type { Server } from '../world/server.ts';
import type { Setup } from '../world/setup.ts';

/** The code under test. The zoo has its own copies, with a bug each. */
export interface Engine {
  readonly SharedInformer: typeof SharedInformer;
  readonly atMinimumPace?: Pace;
}

export interface SubjectOptions {
  readonly engine: Engine | undefined;
  readonly source: Server;
  readonly env: Env;
  readonly setup: Setup;
  readonly stopGraceMs: number;
  readonly onEpochReset: () => void;
  readonly onWatchError: (error: unknown) => void;
}

/** Creates the informer under test from the run's setup. */
export function createSubject(options: SubjectOptions): SharedInformer<Item> {
  const { engine = { SharedInformer }, source, env, setup, stopGraceMs, onEpochReset, onWatchError } = options;
  const { queue, batch, watchList, verifyWatchList, allowStaleFirstList, resyncMs, freeze, pageSize } = setup;
  const { uidChange, maxInternalErrorRetryMs, auditMs, bad, keys, hold } = setup;
  // With an odd number of keys a bad state cannot be decoded, with an even one the transform fails on it.
  const isDecoded = keys % 2 === 0;
  return new engine.SharedInformer<Item>(isDecoded ? source : withUnreadable(source), {
    name: 'items',
    env,
    queue,
    batch,
    watchList,
    verifyWatchList,
    allowStaleFirstList,
    resyncMs,
    freeze,
    pageSize,
    uidChange,
    maxInternalErrorRetryMs,
    detectMutations: false,
    stopGraceMs,
    onEpochReset,
    onWatchError,
    ...(auditMs === undefined ? {} : { audit: { everyMs: auditMs } }),
    ...(bad === 0 || !isDecoded ? { hold } : { transform: digest }),
  });
}

/** The same server, of whose bad states the client can decode only the metadata. */
function withUnreadable(server: Server): ListWatch<Item> {
  const decoded = (item: Item): Item => {
    if (!item.spec?.bad) return item;
    const error = new KubeError('WATCH_DECODE', 'the object nests deeper than 512 levels');
    return unreadableObject({ metadata: { ...item.metadata } }, error) as Item;
  };
  return {
    ...(server.clusterId === undefined
      ? {}
      : { clusterId: (signal) => server.clusterId?.(signal) ?? Promise.resolve('') }),
    async list(options, signal) {
      const list = await server.list(options, signal);
      return { ...list, items: list.items.map(decoded) };
    },
    watch(options, signal) {
      const events = server.watch(options, signal);
      const { progress } = events;
      return { ...mapped(events, decoded), ...(progress === undefined ? {} : { progress }) };
    },
    echo: server.echo,
  };
}

/** Event by event, so that reading ahead, errors and closing stay as they are. */
function mapped(
  events: AsyncIterable<WatchEvent<Item>>,
  decoded: (item: Item) => Item,
): AsyncIterable<WatchEvent<Item>> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          if (next.done === true) return next;
          const { type, object } = next.value;
          const isChange = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
          return isChange && object ? { done: false, value: { type, object: decoded(object) } } : next;
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** A transform that fails on bad states. */
function digest(item: Item): Item {
  if (item.spec.bad) throw new Error('cannot be read');
  return item;
}

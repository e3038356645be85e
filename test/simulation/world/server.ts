import type { ListOptions, KubeList, WatchOptions } from 'kube-informer/core';
import type { ListWatch, WatchStream } from 'kube-informer/informer';
import { refused } from './faults.ts';
import type { Item } from './history.ts';
import { ListServer } from './list-server.ts';
import { Requests } from './requests.ts';
import type { Frame } from './stream.ts';
import type { Traffic } from './traffic.ts';
import { WatchServer } from './watch-server.ts';
import type { World } from './world.ts';

const ECHO: WatchOptions = {
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: true,
  fieldSelector: 'metadata.name=none,metadata.namespace=none',
};

/**
 * The API server as the informer sees it, with the semantics of kube-apiserver:
 *
 *  list    unset: the newest state; "0": the state of the replica; N: not older than N, or 504 after 3 s;
 *          a continue token shows the moment of its first page, or 410
 *  watch   N: changes after N; 410 when the window is past it; a future N is accepted and silent;
 *          a bookmark every minute and shortly before the end, but none at or below N
 *  stream  the state as ADDED, a bookmark with the end marker, then changes
 *  echo    a stream for a name that does not exist: only the end marker, at the newest version of the storage
 *
 * and with the faults of the run. A version that is not a number is refused: 400 for a list, 500 for a watch.
 */
export class Server implements ListWatch<Item> {
  readonly #world: World;
  readonly #requests: Requests;
  readonly #lists: ListServer;
  readonly #watches: WatchServer;
  readonly clusterId?: (signal: AbortSignal) => Promise<string>;

  constructor(world: World, traffic: Traffic) {
    this.#world = world;
    this.#requests = new Requests(world, traffic);
    this.#lists = new ListServer(world, this.#requests);
    this.#watches = new WatchServer(world, this.#requests);
    if (world.parts.setup.clusterId) this.clusterId = (signal) => this.#askClusterId(signal);
  }

  readonly list = (options: ListOptions, signal: AbortSignal): Promise<KubeList<Item>> =>
    this.#lists.list(options, signal);

  readonly watch = (options: WatchOptions, signal: AbortSignal): WatchStream<Item> => {
    const stream = this.#watches.watch(options, signal);
    return this.#world.parts.setup.tellsProgress ? stream : { [Symbol.asyncIterator]: () => stream };
  };

  /** A streamed list of an object that does not exist. */
  readonly echo = ({ timeoutSeconds }: { timeoutSeconds: number }, signal: AbortSignal): AsyncIterable<Frame> =>
    this.#watches.watch({ ...ECHO, timeoutSeconds }, signal);

  #askClusterId(signal: AbortSignal): Promise<string> {
    return this.#requests.call<string>(false, signal, (call) =>
      this.#world.isDown ? call.fail(refused()) : call.answer(this.#world.clusterId),
    );
  }
}

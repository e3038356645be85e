import type { ServerResponse } from 'node:http';
import type { Env } from 'kube-informer/core';
import type { CacheTracker } from '../caches/cache-tracker.ts';
import type { Overview } from '../protocol/messages.ts';
import type { RowFeed } from '../summaries/row-feed.ts';
import { runInBackground } from './background.ts';

export interface EventStreamsOptions {
  readonly env: Env;
  readonly tracker: CacheTracker;
  readonly overview: () => Overview;
  /** Maximum number of clients; further ones are refused. @default 16 */
  readonly maxClients?: number;
  /** Maximum number of bytes buffered for a client. Above it, nothing more is written. @default 1 MiB */
  readonly maxBytes?: number;
}

interface Client {
  readonly response: ServerResponse;
  readonly feed: RowFeed | undefined;
  readonly end: AbortController;
  overviewAt: number;
  stalledAt: number | undefined;
}

const POLL_MS = 100;
const OVERVIEW_MS = 1_000;
/** Time after which a client that reads nothing is disconnected. */
const MAX_STALLED_MS = 60_000;

/**
 * Live changes for open pages, as server-sent events.
 *
 * Promises: a bounded number of clients, and bounded memory for each. A client that reads too slowly misses
 * changes and then gets a new snapshot, so that it shows the correct state as soon as it has caught up.
 *
 * Room rule: writes to clients; other rooms make the messages.
 */
export class EventStreams {
  readonly #env: Env;
  readonly #overview: () => Overview;
  readonly #maxClients: number;
  readonly #maxBytes: number;
  readonly #clients = new Set<Client>();
  readonly #forget: () => void;

  constructor({ env, tracker, overview, maxClients = 16, maxBytes = 1_048_576 }: EventStreamsOptions) {
    this.#env = env;
    this.#overview = overview;
    this.#maxClients = maxClients;
    this.#maxBytes = maxBytes;
    this.#forget = tracker.onChange((record, key) => {
      for (const { feed } of this.#clients) if (feed?.cache === record) feed.touch(key);
    });
  }

  get hasRoom(): boolean {
    return this.#clients.size < this.#maxClients;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Takes over a response whose headers are written. `problem` is the reason why there will be no rows. */
  open(response: ServerResponse, feed: RowFeed | undefined, problem?: string): void {
    const client: Client = { response, feed, end: new AbortController(), overviewAt: -Infinity, stalledAt: undefined };
    this.#clients.add(client);
    response.once('close', () => {
      client.end.abort();
      this.#clients.delete(client);
    });
    if (problem !== undefined) sendToEventStream(client, 'problem', { error: problem });
    void runInBackground(
      this.#env,
      () => this.#serve(client),
      () => response.destroy(),
    );
  }

  /** Closes all streams. */
  close(): void {
    this.#forget();
    for (const { response, end } of this.#clients) {
      end.abort();
      response.end();
    }
    this.#clients.clear();
  }

  async #serve(client: Client): Promise<void> {
    const { end, response } = client;
    while (!end.signal.aborted) {
      if (this.#canTake(client)) await this.#send(client);
      else if (this.#env.now() - (client.stalledAt ?? 0) > MAX_STALLED_MS) response.destroy();
      await this.#env.sleep(POLL_MS, end.signal);
    }
  }

  /** Whether a client can receive more: Node counts the buffered bytes, and nothing is added above the limit. */
  #canTake(client: Client): boolean {
    if (client.response.writableLength < this.#maxBytes) {
      client.stalledAt = undefined;
      return true;
    }
    client.stalledAt ??= this.#env.now();
    client.feed?.reset();
    return false;
  }

  async #send(client: Client): Promise<void> {
    const { feed, end } = client;
    if (this.#env.now() - client.overviewAt >= OVERVIEW_MS) {
      client.overviewAt = this.#env.now();
      sendToEventStream(client, 'overview', this.#overview());
    }
    if (feed === undefined) return;
    if (feed.needsSnapshot) {
      const rows = await feed.snapshot(end.signal);
      if (rows !== undefined && !end.signal.aborted) sendToEventStream(client, 'rows', rows);
      return;
    }
    const changes = await feed.changes(end.signal);
    if (changes !== undefined && !end.signal.aborted) sendToEventStream(client, 'changes', changes);
  }
}

/** Sends an event. JSON has no line breaks, so it fits on one `data` line. */
function sendToEventStream({ response }: Client, event: string, data: object): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

import { setMaxListeners } from 'node:events';
import type { Event } from '@kube-informer/kubernetes/events.k8s.io/v1';
import type { CallOptions, PatchOptions } from 'kube-informer/client';
import { type Env, isAlreadyExists, isNotFound, keyOf, statusOf, untilAborted } from 'kube-informer/core';
import type { EventSeries } from './event-series.ts';

/** The calls of a recorder. `client.resource('events.k8s.io/v1/events')` fits. */
export interface EventClient {
  create(event: Event, options: CallOptions): Promise<Event>;
  patch(key: string, patch: object, options: PatchOptions): Promise<Event>;
}

/** Maximum number of concurrent requests. */
const WRITERS = 8;
/** Maximum number of series that wait for a writer. */
const MAX_WAITING = 1_000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;
const RETRY_JITTER = 0.25;
/** Maximum time of one request. */
const REQUEST_MS = 10_000;

/**
 * Writes series with at most eight requests at a time. A series is queued once and never written by two
 * requests at once. A request carries the state of the series when it is sent, so a burst of equal events
 * becomes one request.
 */
export class EventWriter {
  readonly #events: EventClient;
  readonly #env: Env;
  readonly #dropped: (why: string, error?: unknown) => void;
  readonly #line = new Set<EventSeries>();
  readonly #busy = new Set<EventSeries>();
  readonly #end = new AbortController();
  readonly #idle = new Set<() => void>();
  #writers = 0;

  constructor(events: EventClient, env: Env, dropped: (why: string, error?: unknown) => void) {
    this.#events = events;
    this.#env = env;
    this.#dropped = dropped;
    setMaxListeners(0, this.#end.signal); // eight requests wait for it, each with several listeners
  }

  /** Queues the series; it is dropped if the queue is full. Returns whether it will be written. */
  add(series: EventSeries): boolean {
    if (this.#line.has(series)) return true;
    if (this.#end.signal.aborted || this.#line.size >= MAX_WAITING) {
      this.#dropped('too many events wait for the server');
      return false;
    }
    this.#line.add(series);
    if (this.#writers < WRITERS) void this.#write();
    return true;
  }

  /** Resolves when nothing waits and no request runs, or when `signal` aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    if (this.#writers === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#idle.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#idle.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Ends requests and waits. Series that are still queued are dropped. */
  close(): void {
    this.#end.abort();
    // Those that are being written are counted by their writers.
    for (const series of this.#line) if (!this.#busy.has(series)) this.#dropped('the recorder was closed');
    this.#line.clear();
  }

  async #write(): Promise<void> {
    this.#writers += 1;
    try {
      for (let series = this.#next(); series !== undefined; series = this.#next()) {
        this.#busy.add(series);
        await this.#store(series);
        this.#busy.delete(series);
      }
    } finally {
      this.#writers -= 1;
      if (this.#writers === 0) for (const done of this.#idle) done();
    }
  }

  /** The next series to write. One that is being written stays queued: its writer takes it again. */
  #next(): EventSeries | undefined {
    for (const series of this.#line) {
      if (this.#busy.has(series)) continue;
      this.#line.delete(series);
      return series;
    }
    return undefined;
  }

  async #store(series: EventSeries): Promise<void> {
    const { signal } = this.#end;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const { count } = series;
      try {
        await this.#send(series);
        series.wrote(count, this.#env.now());
        return;
      } catch (error) {
        if (isNotFound(error) && series.exists) {
          series.lost(); // deleted, or expired on the server: it is created again
          continue;
        }
        // A response was lost and the event exists: the next change is a patch.
        if (isAlreadyExists(error)) {
          series.wrote(1, this.#env.now());
          if (series.isWritten) return;
          continue;
        }
        // The server would refuse the same event again; without a response another try may succeed.
        if (statusOf(error) !== undefined || attempt >= MAX_TRIES) return this.#dropped('the server refused it', error);
        await this.#env.sleep(RETRY_MS * (1 + RETRY_JITTER * this.#env.random()), signal);
      }
    }
    this.#dropped('the recorder was closed');
  }

  async #send(series: EventSeries): Promise<void> {
    const { signal } = this.#end;
    const call = { signal, timeoutMs: REQUEST_MS };
    const key = keyOf(series.event);
    const sent = series.exists
      ? this.#events.patch(key, series.change(), { ...call, type: 'merge' })
      : this.#events.create(series.whole(), call);
    await untilAborted(sent, signal, 'writing an event');
  }
}

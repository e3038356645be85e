import { hostname } from 'node:os';
import {
  type Counter, type Env, errorMessageOf, guardedEnv, guardedMetrics, type KnownOptions, type KubeObject, type Metrics, noMetrics, requireKnown, requireOption,
  systemEnv, type UserCode,
} from 'kube-informer/core'; // prettier-ignore
import {
  type EventNote,
  eventObjectKey,
  type EventReporter,
  eventObjectSeriesKey,
  newEventObject,
} from './event-object.ts';
import { EventSeries } from './event-series.ts';
import { type EventClient, EventWriter } from './event-writer.ts';
import { SpamFilter } from './spam-filter.ts';

export interface EventRecorderOptions {
  /** Client for Events: `client.resource('events.k8s.io/v1/events')` */
  readonly events: EventClient;
  /** Name of the controller, as `kubectl describe` shows it. */
  readonly controller: string;
  /** @default `<controller>-<hostname>` */
  readonly instance?: string;
  readonly env?: UserCode<Env>;
  readonly metrics?: UserCode<Metrics>;
}

const EVENT_RECORDER_OPTIONS: KnownOptions<EventRecorderOptions> = {
  events: true, controller: true, instance: true, env: true, metrics: true,
}; // prettier-ignore

/** Interval at which ended series are looked for. */
const TEND_MS = 60_000;
/** Maximum number of series that are remembered. Beyond it, the oldest series ends. */
const MAX_SERIES = 4_096;
/** Maximum length of the name of a reporting instance. */
const MAX_INSTANCE = 128;

/**
 * Writes Events about objects: equal ones as one series with a count, and a limited number about each object.
 *
 * Promises: `record` returns at once and never throws; nothing is kept beyond fixed limits; dropped events
 * are counted. An event is a message for people: no program may depend on its arrival.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #env: Env;
  readonly #reporter: EventReporter;
  readonly #writer: EventWriter;
  readonly #spam = new SpamFilter();
  /** Series in order of their beginning. */
  readonly #series = new Map<string, EventSeries>();
  readonly #counter: Counter;
  readonly #closed = new AbortController();
  #isTended = false;
  #serial = 0;
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    requireKnown('events', options, EVENT_RECORDER_OPTIONS);
    const { events, controller, instance = `${controller}-${hostname()}`.slice(0, MAX_INSTANCE) } = options;
    requireOption(typeof controller === 'string' && controller !== '', 'events.controller', 'a name', controller);
    this.#env = guardedEnv(options.env ?? systemEnv);
    this.#reporter = { controller, instance };
    const metrics = guardedMetrics(this.#env, options.metrics ?? noMetrics);
    this.#counter = metrics.counter('kube_informer_controller_events_dropped_total', { controller });
    this.#counter.inc(0);
    this.#writer = new EventWriter(events, this.#env, (why, error) => this.#drop(why, error));
  }

  /** Number of events that were not written. */
  get dropped(): number {
    return this.#dropped;
  }

  normal(about: KubeObject, reason: string, note: string): void {
    this.record(about, { reason, note });
  }

  warning(about: KubeObject, reason: string, note: string): void {
    this.record(about, { type: 'Warning', reason, note });
  }

  /** Records an event about an object, which needs its apiVersion and kind. */
  record(about: KubeObject, note: EventNote): void {
    try {
      if (this.#closed.signal.aborted) this.#drop('the recorder was closed');
      else this.#record(about, note);
    } catch (error) {
      this.#drop('it is not valid', error);
    }
  }

  #record(about: KubeObject, note: EventNote): void {
    const now = this.#env.now();
    const wallNow = this.#env.wallNow();
    this.#serial += 1;
    const event = newEventObject(this.#env, this.#reporter, about, note, this.#serial);
    const key = eventObjectSeriesKey(event);
    const running = this.#series.get(key);
    if (running !== undefined && !running.isOver(now)) {
      running.repeat(now, wallNow);
      // The first repetition makes it a series, which people must see; later ones are only counted.
      if (running.count === 2 && this.#spam.allows(eventObjectKey(event.regarding), now)) this.#writer.add(running);
      return;
    }
    if (running !== undefined) this.#finish(key, running);
    if (!this.#spam.allows(eventObjectKey(event.regarding), now)) return this.#drop('too many events about one object');
    const series = new EventSeries(event, now, wallNow);
    if (!this.#writer.add(series)) return;
    this.#series.set(key, series);
    const [oldest] = this.#series;
    if (this.#series.size > MAX_SERIES && oldest !== undefined) this.#finish(...oldest);
    if (!this.#isTended) void this.#tend();
  }

  /** Writes final counts and refreshes running series, as long as there are any. */
  async #tend(): Promise<void> {
    this.#isTended = true;
    while (this.#series.size > 0 && !this.#closed.signal.aborted) {
      await this.#env.sleep(TEND_MS, this.#closed.signal);
      const now = this.#env.now();
      for (const [key, series] of this.#series) {
        if (series.isOver(now)) this.#finish(key, series);
        else if (series.isDue(now)) this.#writer.add(series);
      }
    }
    this.#isTended = false;
  }

  #finish(key: string, series: EventSeries): void {
    this.#series.delete(key);
    if (!series.isWritten) this.#writer.add(series);
  }

  /** Writes all counts. Resolves when the server has them, or after `timeoutMs`. */
  async flush({ timeoutMs = 5_000 }: { readonly timeoutMs?: number } = {}): Promise<void> {
    for (const series of this.#series.values()) if (!series.isWritten) this.#writer.add(series);
    const end = new AbortController();
    void this.#env.sleep(timeoutMs, end.signal).then(() => end.abort());
    await this.#writer.idle(end.signal);
    end.abort();
  }

  /** Flushes and stops. Idempotent. */
  async close(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#closed.abort();
    await this.flush(options);
    this.#writer.close();
    this.#series.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #drop(why: string, error?: unknown): void {
    this.#dropped += 1;
    this.#counter.inc();
    const reason = error === undefined ? {} : { error: errorMessageOf(error) };
    this.#env.log('debug', 'an event was dropped', { why, ...reason });
  }
}

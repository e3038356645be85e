import type { Event } from '@kube-informer/kubernetes/events.k8s.io/v1';
import { microTimestamp } from 'kube-informer/core';

/** Time without a repetition after which a series ends. */
export const SERIES_IDLE_MS = 360_000;
/** Time after which a running series is written again: servers delete events after an hour. */
export const SERIES_REFRESH_MS = 1_800_000;

/** Equal events about one object, as one Event on the server with a count. */
export class EventSeries {
  readonly event: Event;
  #count = 1;
  #writtenCount = 0;
  #lastWallMs: number;
  #lastAt: number;
  #writtenAt: number;

  constructor(event: Event, now: number, wallNow: number) {
    this.event = event;
    this.#lastAt = now;
    this.#writtenAt = now;
    this.#lastWallMs = wallNow;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts a repetition. The first one is written; later ones only when the series ends or is refreshed. */
  repeat(now: number, wallNow: number): void {
    this.#count += 1;
    this.#lastAt = now;
    this.#lastWallMs = wallNow;
  }

  get isWritten(): boolean {
    return this.#writtenCount === this.#count;
  }

  /** Whether the server has the event. */
  get exists(): boolean {
    return this.#writtenCount > 0;
  }

  isOver(now: number): boolean {
    return now - this.#lastAt >= SERIES_IDLE_MS;
  }

  isDue(now: number): boolean {
    return !this.isWritten && now - this.#writtenAt >= SERIES_REFRESH_MS;
  }

  /** Called when the server has stored `count`. */
  wrote(count: number, now: number): void {
    this.#writtenCount = count;
    this.#writtenAt = now;
  }

  /** Records that the server no longer has the event. */
  lost(): void {
    this.#writtenCount = 0;
  }

  /** The body of a patch. */
  change(): Pick<Event, 'series'> {
    return { series: { count: this.#count, lastObservedTime: microTimestamp(this.#lastWallMs) } };
  }

  /** The whole Event, for a create. */
  whole(): Event {
    return this.#count === 1 ? this.event : { ...this.event, ...this.change() };
  }
}

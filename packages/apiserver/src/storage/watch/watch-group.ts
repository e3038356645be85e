import type { Change } from '../store/stored-history.ts';
import type { Selection } from './selection.ts';
import type { WatchForm } from './watch-form.ts';

/** A watcher that has caught up. */
export interface Member {
  deliver(bytes: Buffer, events: number): void;
}

/** Frames already encoded for the current change, shared by all groups of the same form. */
export type Frames = Map<string, Buffer>;

/**
 * Watchers that get the same events as the same bytes: a change is matched and encoded once for all of them.
 *
 * Room rule: knows changes and bytes. No sockets, no timers: the hub ends each turn.
 */
export class WatchGroup {
  readonly key: string;
  readonly #selection: Selection;
  readonly #form: WatchForm;
  readonly #members = new Set<Member>();
  readonly #singleFrames: boolean;
  #batch: Buffer[] = [];

  constructor(key: string, selection: Selection, form: WatchForm, singleFrames: boolean) {
    this.key = key;
    this.#selection = selection;
    this.#form = form;
    this.#singleFrames = singleFrames;
  }

  get size(): number {
    return this.#members.size;
  }

  /** A new member gets the changes offered from now on, not those still in the batch. */
  join(member: Member): void {
    this.flush();
    this.#members.add(member);
  }

  leave(member: Member): void {
    this.#members.delete(member);
  }

  offer(change: Change, frames: Frames): void {
    const seen = this.#selection.view(change);
    if (seen === undefined) return;
    const key = `${seen.type}${this.#form.key}`;
    let bytes = frames.get(key);
    if (bytes === undefined) {
      bytes = this.#form.event(seen.type, seen.record, change.revision);
      frames.set(key, bytes);
    }
    this.#batch.push(bytes);
  }

  /** Passes the events of this turn to every member, as one buffer. */
  flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    if (this.#singleFrames) {
      for (const member of this.#members) for (const bytes of batch) member.deliver(bytes, 1);
      return;
    }
    const bytes = batch.length === 1 ? (batch[0] as Buffer) : Buffer.concat(batch);
    for (const member of this.#members) member.deliver(bytes, batch.length);
  }
}

import { INITIAL_EVENTS_END, type WatchEvent } from 'kube-informer/core';
import type { SimClock } from './clock.ts';
import type { Dice } from './dice.ts';
import { type FateKind, reset, serverError } from './faults.ts';
import type { Item } from './history.ts';
import type { Replica } from './replica.ts';

export type Frame = WatchEvent<Item>;

/** A fault of a stream, after so many frames or so many milliseconds. */
export interface Fate {
  readonly kind: FateKind;
  readonly afterFrames: number;
  readonly afterMs: number;
}

/** The end of a connection. */
export interface Ending {
  readonly by: 'client' | 'server';
  readonly error: unknown;
  readonly frames: number;
  readonly ageMs: number;
}

export interface StreamParts {
  readonly clock: SimClock;
  readonly dice: Dice;
  /** Called when the fault happens. */
  readonly struck: (kind: FateKind, stream: Stream) => void;
  readonly delivered: (frame: Frame, stream: Stream) => void;
  readonly closed: (stream: Stream, how: Ending) => void;
}

/**
 * One watch connection: frames travel in order, several in a chunk, until the server
 * ends it, the client closes it, or its fault happens.
 */
export class Stream implements AsyncIterable<Frame>, AsyncIterator<Frame> {
  readonly #parts: StreamParts;
  readonly #signal: AbortSignal;
  readonly #wire: Frame[] = [];
  readonly #arrived: Frame[] = [];
  readonly #timers: (() => void)[] = [];
  #fate: Fate | undefined;
  readonly #startedAt: number;
  #moving = false;
  #frames = 0;
  #ended: { readonly error: unknown } | undefined;
  #left = false;
  #reader: { resolve(result: IteratorResult<Frame>): void; reject(error: unknown): void } | undefined;
  readonly #abort = (): void => this.leave();
  /** Dead without a sign: nothing is delivered any more. */
  stalled = false;
  /** An initial state was requested, and its end marker has not been delivered. */
  initial: boolean;
  /** The replica that serves it, once accepted. */
  replica: Replica | undefined;
  /** The version it was opened at; nothing up to it is sent. */
  from = 0;
  /** Position in the history of the next entry to send. */
  cursor = 0;

  constructor(parts: StreamParts, signal: AbortSignal, initial: boolean) {
    this.#parts = parts;
    this.#signal = signal;
    this.#startedAt = parts.clock.now();
    this.initial = initial;
    if (signal.aborted) this.#left = true;
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  get isOpen(): boolean {
    return this.#ended === undefined && !this.#left;
  }

  // — the server's side ——————————————————————————————————————————————————

  /** Runs while the stream is open; a timer of a closed stream never fires. */
  after(ms: number, fire: () => void): void {
    this.#timers.push(
      this.#parts.clock.after(ms, () => {
        if (this.isOpen) fire();
      }),
    );
  }

  doom(fate: Fate): void {
    this.#fate = fate;
    if (fate.afterMs !== Number.POSITIVE_INFINITY) this.after(fate.afterMs, () => this.#strike());
    if (fate.afterFrames === 0) this.#strike();
  }

  send(frame: Frame): void {
    if (!this.isOpen || this.stalled) return;
    this.#wire.push(frame);
    if (!this.#moving) this.#move();
  }

  /** Frames that have arrived are still read; frames in flight arrive only if the end is a normal one. */
  end(error?: unknown): void {
    if (!this.isOpen) return;
    if (error === undefined) this.#arrive(this.#wire.length);
    if (!this.isOpen) return;
    this.#ended = { error };
    this.#close('server', error);
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    if (error === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(error);
  }

  #move(): void {
    this.#moving = true;
    const { dice } = this.#parts;
    this.after(dice.between(0.1, 4), () => {
      this.#moving = false;
      this.#arrive(dice.whole(1, 12));
      if (this.#wire.length > 0 && !this.#moving) this.#move();
    });
  }

  #arrive(most: number): void {
    for (let i = 0; i < most && this.#wire.length > 0 && this.isOpen && !this.stalled; i += 1) {
      if (this.#fate !== undefined && this.#frames >= this.#fate.afterFrames) {
        this.#strike();
        continue;
      }
      this.#frames += 1;
      this.#deliver(this.#wire.shift() as Frame);
    }
  }

  #deliver(frame: Frame): void {
    this.#parts.delivered(frame, this);
    if (isMarker(frame)) this.initial = false;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#arrived.push(frame);
    else reader.resolve({ done: false, value: frame });
  }

  #strike(): void {
    const fate = this.#fate;
    if (fate === undefined || !this.isOpen) return;
    this.#fate = undefined;
    const { dice } = this.#parts;
    this.#parts.struck(fate.kind, this);
    switch (fate.kind) {
      case 'short-watch':
      case 'cut-fin':
        this.#wire.length = 0;
        return this.end();
      case 'cut-rst':
        return this.end(reset());
      case 'stall':
        this.stalled = true;
        this.#wire.length = 0;
        return;
      case 'undecodable':
        return this.#deliver(mangled(this.#wire.shift(), dice));
      case 'error-event':
        // Some servers leave the stream open after the error.
        return this.fail(serverError(dice).status, dice.chance(0.5));
      case 'gone-event':
        return this.fail(
          { kind: 'Status', code: 410, reason: dice.pick(['Expired', 'Gone']), message: 'too old' },
          true,
        );
    }
  }

  /** An ERROR frame, and usually the end. */
  fail(status: unknown, close: boolean): void {
    this.#wire.length = 0;
    this.#deliver({ type: 'ERROR', object: status } as Frame);
    if (close) this.end();
  }

  #close(by: Ending['by'], error: unknown): void {
    this.#signal.removeEventListener('abort', this.#abort);
    for (const cancel of this.#timers) cancel();
    this.#parts.closed(this, { by, error, frames: this.#frames, ageMs: this.#parts.clock.now() - this.#startedAt });
  }

  // — the client's side ——————————————————————————————————————————————————

  next(): Promise<IteratorResult<Frame>> {
    const frame = this.#arrived.shift();
    if (frame !== undefined) return Promise.resolve({ done: false, value: frame });
    if (this.#left) return Promise.resolve({ done: true, value: undefined });
    if (this.#ended !== undefined) {
      const { error } = this.#ended;
      return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error as Error);
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Frame>> {
    this.leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** The client closes the connection. */
  leave(): void {
    if (!this.isOpen) return;
    this.#left = true;
    this.#close('client', undefined);
    this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<Frame> {
    return this;
  }
}

/** A frame without its name, its metadata or its type. */
function mangled(frame: Frame | undefined, dice: Dice): Frame {
  const { type = 'ADDED', object = {} } = frame ?? {};
  const resourceVersion = (object as Partial<Item>).metadata?.resourceVersion;
  const broken = dice.pick([
    { type, object: { metadata: { resourceVersion } } },
    { type, object: {} },
    { type: 'NEWS', object },
  ]);
  return broken as unknown as Frame;
}

export function bookmark(rv: number, marker?: 'true' | 'false'): Frame {
  const annotations = marker === undefined ? {} : { annotations: { [INITIAL_EVENTS_END]: marker } };
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(rv), ...annotations } } };
}

export function isMarker({ type, object }: Frame): boolean {
  return type === 'BOOKMARK' && object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
}

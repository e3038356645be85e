import { INITIAL_EVENTS_END, type WatchEvent } from 'kube-informer/core';
import type { SimClock } from './clock.ts';
import type { Dice } from './dice.ts';
import { type FateKind, reset, serverError, streamError } from './faults.ts';
import type { Item } from './history.ts';
import type { Role, Way } from './path.ts';
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
  /** Called when something on the way withholds, cuts or silences. */
  readonly hindered: (what: string, stream: Stream) => void;
  readonly delivered: (frame: Frame, stream: Stream) => void;
  readonly closed: (stream: Stream, how: Ending) => void;
}

/** Bytes of an event that a relay passes on before it waits for more. */
const MAX_CHUNK_BYTES = 4_096;

/**
 * One watch connection: frames travel in order, several in a chunk, until the server
 * ends it, the client closes it, or its fault happens. A relay on the way may withhold them or cut the connection.
 */
export class Stream implements AsyncIterable<Frame>, AsyncIterator<Frame> {
  readonly #parts: StreamParts;
  readonly #signal: AbortSignal;
  readonly #wire: Frame[] = [];
  /** Withheld by a relay. */
  readonly #held: Frame[] = [];
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
  #opened = false;
  #lastByteAt = 0;
  #way: Way = { hold: 'nothing', idleCut: undefined, silentAfter: undefined };
  readonly role: Role;
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

  /** What a transport can tell about a response that is still being received. */
  readonly progress: { readonly opened: boolean; readonly unfinished: boolean };

  constructor(parts: StreamParts, signal: AbortSignal, initial: boolean, role: Role) {
    this.#parts = parts;
    this.role = role;
    const opened = (): boolean => this.#opened;
    const unfinished = (): boolean => this.#way.hold === 'tail' && this.#held.length > 0;
    this.progress = {
      get opened() {
        return opened();
      },
      get unfinished() {
        return unfinished();
      },
    };
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

  get ageMs(): number {
    return this.#parts.clock.now() - this.#startedAt;
  }

  /** The server responds: headers are sent, and a relay may hold them back. */
  accept(way: Way): void {
    this.#way = way;
    this.#lastByteAt = this.#parts.clock.now();
    const late = way.hold === 'all' || way.hold === 'tail' || way.idleCut?.as === 'late-200';
    this.#opened = !late;
    if (way.idleCut !== undefined) this.#watchIdleness(way.idleCut.afterMs);
    if (way.silentAfter === 'headers') this.fallSilent('headers');
  }

  #watchIdleness(inMs: number): void {
    this.after(inMs, () => {
      const { afterMs = 0, as } = this.#way.idleCut ?? {};
      const left = this.#lastByteAt + afterMs - this.#parts.clock.now();
      if (left > 0) return this.#watchIdleness(left);
      // A dead connection does not deliver its own end.
      if (this.stalled) return;
      this.#parts.hindered(`cut after ${afterMs / 1_000} idle seconds (${as})`, this);
      this.#wire.length = 0;
      // The rest of a long event never comes, nor what follows it.
      const cutAt = this.#held.findIndex((frame) => sizeOf(frame) > MAX_CHUNK_BYTES);
      if (cutAt >= 0) this.#held.length = cutAt;
      if (as === 'fin') return this.end(reset());
      this.end(as === 'rst' ? streamError() : undefined);
    });
  }

  /** Makes the connection dead without a sign. */
  fallSilent(after: string): void {
    this.stalled = true;
    this.#wire.length = 0;
    this.#parts.hindered(`silent after ${after}`, this);
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
    // A request that is refused, or cut before its headers came, has no response.
    this.#opened ||= error === undefined;
    this.#release();
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
      this.#pass(this.#wire.shift() as Frame);
    }
  }

  /** A frame reaches the relay, and the client if the relay lets it. */
  #pass(frame: Frame): void {
    this.#lastByteAt = this.#parts.clock.now();
    const { hold, idleCut } = this.#way;
    if (hold === 'tail') this.#release();
    if (hold === 'body' || hold === 'all' || (hold === 'tail' && sizeOf(frame) > MAX_CHUNK_BYTES)) {
      this.#held.push(frame);
      this.#parts.hindered(`${hold} withheld`, this);
    } else this.#deliver(frame);
    if (hold === 'tail' || (hold === 'nothing' && idleCut?.as === 'late-200')) this.#opened = true;
  }

  #release(): void {
    for (let frame = this.#held.shift(); frame !== undefined; frame = this.#held.shift()) {
      if (this.#left) return;
      this.#deliver(frame);
    }
  }

  #deliver(frame: Frame): void {
    this.#parts.delivered(frame, this);
    if (isMarker(frame)) this.initial = false;
    const { silentAfter } = this.#way;
    const kind = isMarker(frame) || this.initial ? 'initial' : frame.type === 'BOOKMARK' ? 'bookmark' : 'event';
    if (kind === silentAfter) this.fallSilent(kind);
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
        return this.#pass(mangled(this.#wire.shift(), dice));
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
    this.#pass({ type: 'ERROR', object: status } as Frame);
    if (close) this.end();
  }

  #close(by: Ending['by'], error: unknown): void {
    this.#signal.removeEventListener('abort', this.#abort);
    for (const cancel of this.#timers) cancel();
    this.#parts.closed(this, { by, error, frames: this.#frames, ageMs: this.ageMs });
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

/** Every third state is a large object; bookmarks and errors are small. */
function sizeOf({ type, object }: Frame): number {
  if (type === 'BOOKMARK' || type === 'ERROR') return 190;
  return Number((object as Partial<Item>).metadata?.resourceVersion ?? 0) % 3 === 0 ? 12_500 : 300;
}

export function bookmark(rv: number, marker?: 'true' | 'false'): Frame {
  const annotations = marker === undefined ? {} : { annotations: { [INITIAL_EVENTS_END]: marker } };
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(rv), ...annotations } } };
}

export function isMarker({ type, object }: Frame): boolean {
  return type === 'BOOKMARK' && object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
}

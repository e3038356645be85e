import type { Env } from 'kube-informer/core';
import type { WatchSink } from '../../storage/watch/watch-sink.ts';

interface Step {
  readonly notBefore: number;
  readonly bytes: number;
  readonly run: () => void | Promise<void>;
}

export interface Throttle {
  readonly bytesPerSecond: number;
  readonly chunk?: number;
}

/**
 * Forwards bytes later and in other pieces than they came; never in another order, never changed.
 *
 * While nothing slows it down it writes at once. `afterwards` acts when everything before it has been
 * written; after `stop` nothing is forwarded, not even the end.
 *
 * Room rule: knows bytes and time. No frames, no rules.
 */
export class PacedSink implements WatchSink {
  readonly #env: Env;
  readonly #sink: WatchSink;
  readonly #steps: Step[] = [];
  readonly #stopped = new AbortController();
  readonly #trips: { readonly at: number; readonly act: () => void }[] = [];
  readonly #idle = new Set<() => void>();
  #held: { readonly promise: Promise<void>; readonly release: () => void } | undefined;
  #holds = 0;
  #isPumping = false;
  #waiting = 0;
  #taken = 0;
  #owedMs = 0;
  #merged: Buffer[] = [];
  /** Bytes per second, in chunks. */
  throttle: Throttle | undefined;
  /** Number of pieces into which each write is split. */
  split = 1;
  /** Writes within this time are sent together. */
  mergeMs = 0;

  constructor(env: Env, sink: WatchSink) {
    this.#env = env;
    this.#sink = sink;
  }

  get queued(): number {
    return this.#waiting + this.#sink.queued;
  }

  get isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** Aborts with `stop`. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  write(bytes: Buffer, delayMs = 0): void {
    if (this.isStopped || bytes.length === 0) return;
    const trip = this.#trips[0];
    if (trip === undefined || this.#taken + bytes.length < trip.at) return this.#take(bytes, delayMs);
    // An action is due inside these bytes: write the first part, act, then write the rest.
    this.#trips.shift();
    const length = Math.max(0, trip.at - this.#taken);
    if (length > 0) this.#take(bytes.subarray(0, length), delayMs);
    trip.act();
    this.write(bytes.subarray(length), delayMs);
  }

  /** Calls `act` after this number of bytes from now. */
  after(bytes: number, act: () => void): void {
    this.#trips.push({ at: this.#taken + bytes, act });
    this.#trips.sort((a, b) => a.at - b.at);
  }

  /** Calls `run` when everything written so far has been forwarded. */
  afterwards(run: () => void | Promise<void>, delayMs = 0): void {
    this.#push({ notBefore: this.#env.now() + delayMs, bytes: 0, run });
  }

  end(): void {
    this.afterwards(() => this.#sink.end());
  }

  drained(): Promise<void> {
    if (!this.#isPumping) return this.#sink.drained();
    return new Promise((resolve) => this.#idle.add(resolve));
  }

  hold(): void {
    this.#holds += 1;
    if (this.#held !== undefined) return;
    let release = (): void => {};
    const promise = new Promise<void>((resolve) => (release = resolve));
    this.#held = { promise, release };
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    this.#held?.release();
    this.#held = undefined;
  }

  stop(): void {
    this.#stopped.abort();
    this.#steps.length = 0;
    this.#waiting = 0;
    this.#merged = [];
    this.#held?.release();
    this.#wake();
  }

  #take(bytes: Buffer, delayMs: number): void {
    this.#taken += bytes.length;
    const isFree = !this.#isPumping && this.#held === undefined && delayMs === 0;
    if (isFree && this.throttle === undefined && this.split === 1 && this.mergeMs === 0) return this.#sink.write(bytes);
    if (this.mergeMs > 0) {
      this.#merged.push(bytes);
      if (this.#merged.length === 1) this.afterwards(() => this.#sendMerged(), Math.max(delayMs, this.mergeMs));
      return;
    }
    this.#push({ notBefore: this.#env.now() + delayMs, bytes: bytes.length, run: () => this.#send(bytes) });
  }

  #push(step: Step): void {
    if (this.isStopped) return;
    if (!this.#isPumping && this.#held === undefined && step.notBefore <= this.#env.now() && step.bytes === 0) {
      void step.run();
      return;
    }
    this.#steps.push(step);
    this.#waiting += step.bytes;
    if (!this.#isPumping) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    while (this.#steps.length > 0) {
      if (this.#held !== undefined && !this.isStopped) await this.#held.promise;
      const wait = (this.#steps[0]?.notBefore ?? 0) - this.#env.now();
      if (wait > 0) await this.#env.sleep(wait, this.signal);
      if (this.#held !== undefined && !this.isStopped) continue;
      const step = this.#steps.shift();
      if (step === undefined) break;
      await step.run();
      this.#waiting = Math.max(0, this.#waiting - step.bytes);
    }
    this.#isPumping = false;
    this.#wake();
  }

  #sendMerged(): void {
    const bytes = Buffer.concat(this.#merged);
    this.#merged = [];
    this.#sink.write(bytes);
  }

  async #send(bytes: Buffer): Promise<void> {
    const size = this.throttle?.chunk ?? (this.throttle === undefined ? Math.ceil(bytes.length / this.split) : 1024);
    for (let from = 0; from < bytes.length && !this.isStopped; from += size) {
      const chunk = bytes.subarray(from, from + size);
      this.#sink.write(chunk);
      await this.#rest(chunk.length);
    }
  }

  /**
   * Waits between two chunks. No timer is precise enough for a fast stream of small ones, so their time is
   * accumulated.
   */
  async #rest(bytes: number): Promise<void> {
    this.#owedMs += this.throttle === undefined ? 0 : (bytes * 1000) / this.throttle.bytesPerSecond;
    if (this.#owedMs < 1) return this.#env.yield();
    const ms = this.#owedMs;
    this.#owedMs = 0;
    await this.#env.sleep(ms, this.signal);
  }

  #wake(): void {
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }
}

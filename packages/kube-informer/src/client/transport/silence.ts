import type { Env } from '../../core/env.ts';

/**
 * Notices that bytes stopped coming while somebody waits for them.
 *
 * ```
 * reader asks ── waiting() ──► the time runs ── heard() ──► starts over
 * reader has its chunk ── satisfied() ──► the time stands still
 * ```
 *
 * A reader that does not ask (back-pressure) is not silence of the server; once it asks again the time runs from zero,
 * so a server that died meanwhile is found. Calls `onSilent` at most once, and never after `stop`.
 *
 * Room rule: one timer at most, and none that is re-armed per chunk.
 */
export class SilenceWatch {
  readonly #env: Env;
  readonly #ms: number;
  readonly #onSilent: () => void;
  readonly #stop = new AbortController();
  #since: number | undefined;

  constructor(env: Env, ms: number, onSilent: () => void) {
    this.#env = env;
    this.#ms = ms;
    this.#onSilent = onSilent;
    void this.#run();
  }

  waiting(): void {
    this.#since = this.#env.now();
  }

  /** A byte came, though maybe not yet one the reader can have (compressed data). */
  heard(): void {
    if (this.#since !== undefined) this.#since = this.#env.now();
  }

  satisfied(): void {
    this.#since = undefined;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let ms = this.#ms; ;) {
      await this.#env.sleep(ms, signal);
      if (signal.aborted) return;
      // When the whole process stood still, its time is over before it has read what came meanwhile.
      if (this.#left <= 0) await this.#env.yield();
      if (signal.aborted) return;
      ms = this.#left;
      if (ms > 0) continue;
      this.#onSilent();
      return;
    }
  }

  /** Asleep longer than this is impossible: whoever began to wait meanwhile did so less than `#ms` ago. */
  get #left(): number {
    return this.#since === undefined ? this.#ms : this.#since + this.#ms - this.#env.now();
  }
}

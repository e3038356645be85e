import { NOT_NEEDED } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';

/**
 * Detects that no bytes arrive while a reader waits for them.
 *
 * ```
 * reader asks ── waiting() ──► timer runs ── heard() ──► timer restarts
 * reader has its chunk ── satisfied() ──► timer stops
 * ```
 *
 * A reader that does not ask (back-pressure) is not silence of the server; when it asks again the timer starts from zero,
 * so a server that died meanwhile is found. Calls `onSilent` at most once, and never after `stop`.
 *
 * Room rule: one timer at most, never re-armed per chunk.
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

  /** Notes that bytes arrived, even if the reader does not see them yet (compressed data). */
  heard(): void {
    if (this.#since !== undefined) this.#since = this.#env.now();
  }

  satisfied(): void {
    this.#since = undefined;
  }

  stop(): void {
    this.#stop.abort(NOT_NEEDED);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let ms = this.#ms; ;) {
      await this.#env.sleep(ms, signal);
      if (signal.aborted) return;
      // After a suspended process wakes up, the timer fires before the bytes that arrived meanwhile are read.
      if (this.#left <= 0) await this.#env.yield();
      if (signal.aborted) return;
      ms = this.#left;
      if (ms > 0) continue;
      this.#onSilent();
      return;
    }
  }

  /** Time left. Sleeping for `#ms` is never too long: a reader that begins to wait meanwhile gets the full time. */
  get #left(): number {
    return this.#since === undefined ? this.#ms : this.#since + this.#ms - this.#env.now();
  }
}

import type { Env } from '../core/env.ts';
import { guardedCallback, type UserCode } from '../core/guarded.ts';
import type { InformerState } from './informer-state.ts';

/** Called after the state of an informer has changed. */
export type StateCallback = (now: InformerState, before: InformerState) => void;

/** Maximum interval between two looks at the state, which may also change by the passing of time. */
const MAX_LOOK_MS = 5_000;

/**
 * Calls the callbacks when the state has changed: its kind, or the reason of `stale` and `polling`.
 *
 * The state itself needs no timer. While there are callbacks, one timer looks at it.
 */
export class StateListeners {
  readonly #env: Env;
  readonly #state: () => InformerState;
  /** Milliseconds until the state may change by itself. */
  readonly #nextChangeMs: () => number;
  readonly #callbacks = new Set<StateCallback>();
  #announced: InformerState;
  #wake: AbortController | undefined;

  constructor(env: Env, state: () => InformerState, nextChangeMs: () => number) {
    this.#env = env;
    this.#state = state;
    this.#nextChangeMs = nextChangeMs;
    this.#announced = state();
  }

  on(callback: UserCode<StateCallback>): () => void {
    const guarded = guardedCallback(this.#env, 'onState', callback);
    if (this.#callbacks.size === 0) this.#announced = this.#state();
    this.#callbacks.add(guarded);
    if (this.#wake === undefined) void this.#look();
    return () => {
      this.#callbacks.delete(guarded);
      if (this.#callbacks.size === 0) this.changed();
    };
  }

  /** Reports that the state may have changed. Costs nothing without callbacks. */
  changed(): void {
    this.#wake?.abort();
  }

  async #look(): Promise<void> {
    while (this.#callbacks.size > 0) {
      this.#wake = new AbortController();
      const now = this.#state();
      if (isNewsForStateListener(now, this.#announced)) {
        const before = this.#announced;
        this.#announced = now;
        // A callback may remove another one, or itself.
        for (const callback of Array.from(this.#callbacks)) if (this.#callbacks.has(callback)) callback(now, before);
      }
      if (now.kind === 'stopped') break;
      const ms = this.#nextChangeMs();
      await this.#env.sleep(ms > 0 ? Math.min(ms, MAX_LOOK_MS) : MAX_LOOK_MS, this.#wake.signal);
    }
    this.#wake = undefined;
  }
}

/** Whether the kind differs, or the reason of `stale` and `polling`. */
export function isNewsForStateListener(a: InformerState, b: InformerState): boolean {
  const reason = (state: InformerState): unknown => ('reason' in state ? state.reason : undefined);
  return a.kind !== b.kind || reason(a) !== reason(b);
}

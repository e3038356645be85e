import type { Cause } from './reasons.ts';

/** Maximum number of runs kept per key, and of keys. */
const MAX_RUNS = 5;
const MAX_KEYS = 2_000;
/** Number of runs that the mean duration is about. */
const MEAN_OF = 20;

export type Outcome = 'success' | 'requeue' | 'error' | 'terminal' | 'timeout' | 'aborted' | 'hung';

/** One write of a run. */
export interface RunWrite {
  readonly verb: 'create' | 'replace' | 'patch' | 'apply' | 'delete';
  readonly resource: string;
  readonly key: string;
  /** Time of sending, in milliseconds since 1970. */
  readonly at: number;
  /** Time of the server's response, in milliseconds since 1970. */
  readonly answeredAt: number;
  /** Version that the server returned; undefined if it returned none. */
  readonly version: string | undefined;
  /** Whether the lease was held when the write was sent. */
  readonly held: boolean;
  /**
   * Time at which a cache of this controller had the write, in milliseconds since 1970; undefined if none has
   * it yet, or none will.
   */
  readonly echoedAt?: number | undefined;
}

/** A run that has ended, or is hung. */
export interface Run {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly reasons: readonly string[];
  /** The reasons with the times of their events. */
  readonly causes?: readonly Cause[];
  /**
   * Time at which the key became ready, in milliseconds since 1970: after a delay, and after the caches had
   * its last writes.
   */
  readonly queuedAt?: number;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Message of the error, if it failed. */
  readonly error?: string;
  readonly requeueAfterMs?: number;
  readonly writes: readonly RunWrite[];
  /** Whether the caches had what earlier runs wrote. */
  readonly fresh: boolean;
}

/** The last runs of the keys that ran last. */
export class RunLog {
  readonly #runs = new Map<string, Run[]>();
  #meanMs: number | undefined;
  #total = 0;
  #failures = 0;
  #lastFailure: Run | undefined;

  add(run: Run): void {
    this.#total += 1;
    this.#meanMs =
      this.#meanMs === undefined ? run.durationMs : this.#meanMs + (run.durationMs - this.#meanMs) / MEAN_OF;
    if (run.error !== undefined && run.outcome !== 'aborted') {
      this.#failures += 1;
      this.#lastFailure = run;
    }
    const runs = this.#runs.get(run.key) ?? [];
    runs.push(run);
    if (runs.length > MAX_RUNS) runs.shift();
    // Inserted again, so that the first key of the map is the one that ran least recently.
    this.#runs.delete(run.key);
    this.#runs.set(run.key, runs);
    for (const key of this.#runs.keys()) {
      if (this.#runs.size <= MAX_KEYS) break;
      this.#runs.delete(key);
    }
  }

  /** The runs of a key, oldest first. */
  of(key: string): readonly Run[] {
    return [...(this.#runs.get(key) ?? [])];
  }

  last(key: string): Run | undefined {
    return this.#runs.get(key)?.at(-1);
  }

  /** Mean duration of the last runs, later ones counting more; undefined before the first. */
  get meanMs(): number | undefined {
    return this.#meanMs;
  }

  /** Number of runs, and of those that failed, since the start. */
  get counts(): { readonly runs: number; readonly failures: number } {
    return { runs: this.#total, failures: this.#failures };
  }

  get lastFailure(): Run | undefined {
    return this.#lastFailure;
  }

  /** Keys that ran, most recent first. */
  keys(max: number): readonly string[] {
    return [...this.#runs.keys()].slice(-max).toReversed();
  }

  all(): readonly Run[] {
    return [...this.#runs.values()].flat();
  }
}

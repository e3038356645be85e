import type { Env } from '../../core/env.ts';

/**
 * A step of a reflector:
 *  - `stream`: a streaming list; `list`: a plain list;
 *  - `watch`: one open watch; `wait`: the pause before the next try;
 *  - `resync`: a resync of the sink; `epoch`: the server's storage went back in time or was replaced.
 */
export type StepKind = 'stream' | 'list' | 'watch' | 'wait' | 'resync' | 'epoch';

export interface Step {
  readonly kind: StepKind;
  /** Wall clock. */
  readonly startedAt: number;
  /** Wall clock; undefined while the step runs. */
  readonly endedAt: number | undefined;
  /** Number of objects of a list, or events of a watch, so far. */
  readonly objects: number;
  /** The version a watch was opened at, or the version of a list. */
  readonly resourceVersion: string | undefined;
  /** The reason for a wait, or for the end of the step. */
  readonly because: string | undefined;
  /** Whether the step failed. A watch that the server closed after its lifetime has not failed. */
  readonly failed: boolean;
}

/** The result of a step. A field that is not set keeps its value from the start. */
export interface StepEnd {
  readonly objects?: number;
  readonly resourceVersion?: string;
  readonly because?: string;
  readonly failed?: boolean;
}

export interface StepStart extends Omit<StepEnd, 'objects' | 'failed'> {
  /** Called when the timeline is read while the step runs. */
  readonly count?: () => number;
}

interface Entry {
  readonly kind: StepKind;
  readonly startedAt: number;
  readonly since: number;
  readonly start: StepStart;
  end: (StepEnd & { readonly afterMs: number }) | undefined;
}

/** Maximum number of steps kept: a day of a healthy connection, minutes of one that is cut every second. */
const MAX_STEPS = 200;

/**
 * The last steps of one reflector, oldest first. Costs nothing per event.
 *
 * Room rule: a record for people. No code decides anything by it.
 */
export class Timeline {
  readonly #env: Env;
  readonly #entries: Entry[] = [];

  constructor(env: Env) {
    this.#env = env;
  }

  get steps(): readonly Step[] {
    return this.#entries.map(({ kind, startedAt, start, end }) => ({
      kind,
      startedAt,
      endedAt: end === undefined ? undefined : startedAt + end.afterMs,
      objects: end?.objects ?? start.count?.() ?? 0,
      resourceVersion: end?.resourceVersion ?? start.resourceVersion,
      because: end?.because ?? start.because,
      failed: end?.failed ?? false,
    }));
  }

  /** Begins a step. The returned function ends it; only its first call counts. */
  begin(kind: StepKind, start: StepStart = {}): (end?: StepEnd) => void {
    const [startedAt, since] = [this.#env.wallNow(), this.#env.now()];
    const entry: Entry = { kind, startedAt, since, start, end: undefined };
    this.#entries.push(entry);
    if (this.#entries.length > MAX_STEPS) this.#entries.shift();
    return (end = {}) => {
      if (entry.end !== undefined) return;
      const objects = end.objects ?? start.count?.() ?? 0;
      entry.end = { ...end, objects, afterMs: this.#env.now() - entry.since };
    };
  }

  /** Records a step without a duration. */
  mark(kind: StepKind, start: StepStart = {}): void {
    this.begin(kind, start)();
  }
}

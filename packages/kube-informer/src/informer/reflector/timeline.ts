import type { Env } from '../../core/env.ts';

/**
 * What a reflector did, for people who ask why something was late:
 *  - `stream`: the initial state as a streaming list; `list`: as a plain list;
 *  - `watch`: one open watch; `wait`: the pause before the next try;
 *  - `resync`: what is held was announced again; `epoch`: the storage behind the server went back, or is another one.
 */
export type StepKind = 'stream' | 'list' | 'watch' | 'wait' | 'resync' | 'epoch';

export interface Step {
  readonly kind: StepKind;
  /** Wall clock. */
  readonly startedAt: number;
  /** Wall clock; undefined while it goes on. */
  readonly endedAt: number | undefined;
  /** Objects of a list, events of a watch, so far. */
  readonly objects: number;
  /** Where a watch was opened, or what a list came to. */
  readonly resourceVersion: string | undefined;
  /** Why a wait is needed, or how the step ended. */
  readonly because: string | undefined;
  /** Whether it ended otherwise than it should have. A watch whose time is over has not failed. */
  readonly failed: boolean;
}

/** What is known at the end; what is left out stays as it was at the beginning. */
export interface StepEnd {
  readonly objects?: number;
  readonly resourceVersion?: string;
  readonly because?: string;
  readonly failed?: boolean;
}

export interface StepStart extends Omit<StepEnd, 'objects' | 'failed'> {
  /** Asked whenever somebody looks while the step goes on. */
  readonly count?: () => number;
}

interface Entry {
  readonly kind: StepKind;
  readonly startedAt: number;
  readonly since: number;
  readonly start: StepStart;
  end: (StepEnd & { readonly afterMs: number }) | undefined;
}

/** A connection cut every second fills this in minutes; a healthy one in a day. */
const MOST_STEPS = 200;

/**
 * The last steps of one reflector, oldest first. Costs nothing per event.
 *
 * Room rule: only remembers. Nobody decides anything by it.
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

  /** A step begins; the function that comes back ends it. Only its first call counts. */
  begin(kind: StepKind, start: StepStart = {}): (end?: StepEnd) => void {
    const [startedAt, since] = [this.#env.wallNow(), this.#env.now()];
    const entry: Entry = { kind, startedAt, since, start, end: undefined };
    this.#entries.push(entry);
    if (this.#entries.length > MOST_STEPS) this.#entries.shift();
    return (end = {}) => {
      if (entry.end !== undefined) return;
      const objects = end.objects ?? start.count?.() ?? 0;
      entry.end = { ...end, objects, afterMs: this.#env.now() - entry.since };
    };
  }

  /** Something that takes no time. */
  mark(kind: StepKind, start: StepStart = {}): void {
    this.begin(kind, start)();
  }
}

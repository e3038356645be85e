import { printableText } from 'kube-informer/core';

/** Maximum number of reasons that are kept for one run. */
const MAX_REASONS = 16;

/** A reason of a run, and when it arrived first, in milliseconds since 1970. */
export interface Cause {
  readonly reason: string;
  readonly at: number;
}

/**
 * The reasons of the next run of a key, without repetitions: `initial`, `created`, `updated(spec.replicas)`, `deleted`,
 * `owned(v1/pods web/a)`, `related(v1/secrets web/tls)`, `requeue`, `retry(2)`, `manual`, `resync`, `led`.
 */
export class Reasons {
  readonly #reasons = new Map<string, number>();
  #more = 0;

  add(reason: string, at = 0): void {
    if (this.#reasons.has(reason)) return;
    if (this.#reasons.size < MAX_REASONS) this.#reasons.set(reason, at);
    else this.#more += 1;
  }

  /**
   * The reasons in order of arrival; `+3` stands for three that were not kept. Printable: they contain names and paths that any
   * user may have chosen, and people read them in terminals.
   */
  list(): readonly string[] {
    const reasons = [...this.#reasons.keys()].map(printableText);
    return this.#more === 0 ? reasons : [...reasons, `+${this.#more}`];
  }

  /** The kept reasons with their times. */
  causes(): readonly Cause[] {
    return [...this.#reasons].map(([reason, at]) => ({ reason: printableText(reason), at }));
  }
}

import type { Lease } from '@kube-informer/kubernetes';

/** The state of a candidate of this process. */
export interface Holder {
  readonly identity: string;
  /** Number of the fence of its last term that lets it write at this moment; undefined if it may not. */
  held(): number | undefined;
}

export interface LeaseLogOptions {
  /** Candidates of this process, whose fences are read at every write of the Lease. */
  readonly ours: () => Iterable<Holder>;
  /** Minimum time without a write before `holder` may take a lease that was not released. */
  readonly patienceMs: (holder: string) => number;
}

/**
 * Everything that was written to one Lease, and which rule it breaks.
 *
 * - A lease that was not released goes to another holder only after nothing was written to it for `patienceMs`.
 * - `leaseTransitions` grows by one with every holder and never shrinks.
 * - While the Lease names another holder, or none, no fence of ours is held.
 */
export class LeaseLog {
  readonly violations: string[] = [];
  /** Every holder in order. */
  readonly holders: string[] = [];
  writes = 0;
  expired = 0;
  released = 0;
  readonly #options: LeaseLogOptions;
  readonly #waiting = new Set<() => void>();
  #holder = '';
  #transitions: number | undefined;
  #writtenAt = 0;
  #renewals = 0;

  constructor(options: LeaseLogOptions) {
    this.#options = options;
  }

  /** Identity of the holder; empty if there is none. */
  get holder(): string {
    return this.#holder;
  }

  /** Must be called for each write, in order; `at` is on a monotonic clock. */
  written({ spec = {} }: Lease, at: number): void {
    const { holderIdentity: holder = '', leaseTransitions: transitions = 0 } = spec;
    const before = this.#holder;
    this.writes += 1;
    if (holder !== before) this.#changed(before, holder, transitions, at);
    else if (transitions !== this.#transitions) this.#break(`${holder} renewed and changed leaseTransitions`);
    for (const candidate of this.#options.ours()) {
      const term = candidate.held() ?? Infinity;
      // A later term is of a write that this log has yet to see.
      if (term < transitions || (term === transitions && candidate.identity !== holder))
        this.#break(`the Lease names "${holder}", and ${candidate.identity} may still write`);
    }
    this.#renewals = holder === before ? this.#renewals + 1 : 0;
    this.#holder = holder;
    this.#transitions = transitions;
    this.#writtenAt = at;
    for (const look of this.#waiting) look();
  }

  /** Resolves when the Lease names a holder for which `holds` is true; `renewals` counts the writes after the one that took it. */
  until(holds: (holder: string, renewals: number) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#holder === '' || !holds(this.#holder, this.#renewals)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  #changed(before: string, holder: string, transitions: number, at: number): void {
    if (holder === '') {
      this.released += 1;
      if (transitions !== this.#transitions)
        this.#break(`${before} changed leaseTransitions when it released the lease`);
      return;
    }
    this.holders.push(holder);
    const expected = this.#transitions === undefined ? 0 : this.#transitions + 1;
    if (transitions !== expected)
      this.#break(`${holder} took the lease with leaseTransitions ${transitions}, not ${expected}`);
    if (before === '') return;
    this.expired += 1;
    const silentMs = at - this.#writtenAt;
    if (silentMs < this.#options.patienceMs(holder))
      this.#break(`${holder} took the lease ${silentMs.toFixed(0)} ms after the last renewal of ${before}`);
  }

  #break(what: string): void {
    this.violations.push(`write ${this.writes}: ${what}`);
  }
}

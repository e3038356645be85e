/** A write that a replica handed to its connection. Times are of the wall clock, which all processes of a machine share. */
export interface SentWrite {
  readonly replica: string;
  readonly at: number;
  readonly what: string;
}

/** A write of the Lease that the server accepted. */
export interface Term {
  readonly replica: string;
  /** When the holder took the lease, by its own record; its request was sent afterwards. */
  readonly acquiredAt: number;
  readonly transitions: number;
}

/**
 * Finds writes that were sent without the lease: after another replica had taken it.
 *
 * A holder gives up 10 s after its last good renewal, others wait 15 s, and a release follows the last run. So no write is sent
 * after the next holder has begun to acquire, not even by a millisecond. What a server executes late was sent in time.
 */
export class TermLog {
  readonly #terms: Term[] = [];
  readonly #writes: SentWrite[] = [];
  readonly #uncertain: { readonly from: number; until: number }[] = [];

  get terms(): number {
    return this.#terms.length;
  }

  /** The replica that took the lease last. */
  get holder(): string | undefined {
    return this.#inOrder().at(-1)?.replica;
  }

  get writes(): number {
    return this.#writes.length;
  }

  sent(write: SentWrite): void {
    this.#writes.push(write);
  }

  /** Renewals repeat the term; only its beginning counts. */
  held(term: Term): void {
    const isKnown = this.#terms.some((one) => one.replica === term.replica && one.acquiredAt === term.acquiredAt);
    if (!isKnown) this.#terms.push(term);
  }

  /** A restored storage has an old Lease: who holds it is decided again. Nothing is checked until the returned function is called. */
  restoring(at: number): (until: number) => void {
    const span = { from: at, until: Number.POSITIVE_INFINITY };
    this.#uncertain.push(span);
    return (until) => void (span.until = until);
  }

  /** Whether a storage was being restored then. */
  isUncertain(at: number): boolean {
    return this.#uncertain.some(({ from, until }) => at >= from && at <= until);
  }

  violations(): string[] {
    const terms = this.#inOrder();
    return this.#writes.flatMap(({ replica, at, what }) => {
      if (this.isUncertain(at)) return [];
      const term = terms.findLast(({ acquiredAt }) => acquiredAt <= at);
      if (term?.replica === replica) return [];
      const whose =
        term === undefined
          ? 'nobody held the lease'
          : `${term.replica} took the lease ${at - term.acquiredAt} ms before`;
      return [`${replica} sent ${what} without the lease: ${whose}`];
    });
  }

  #inOrder(): readonly Term[] {
    return this.#terms.toSorted((a, b) => a.acquiredAt - b.acquiredAt);
  }
}

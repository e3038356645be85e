/** One time of leadership. Without election an operator leads from its start to its stop. */
export interface Term {
  /** Aborts when the work must end: the operator stops, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Aborts when the lease is lost: runs end at once. */
  readonly lost: AbortSignal;
  /** Aborts when the operator is stopped a second time. */
  readonly hurry: AbortSignal;
  /** Whether the lease is held. Checked immediately before each write. */
  readonly held: () => boolean;
  /** Throws LEASE_LOST unless the lease is held. */
  readonly check: () => void;
  /** Maximum time of a write; undefined without election. */
  readonly remainingMs: () => number | undefined;
  readonly fence: number | undefined;
}

/**
 * The state of an elector.
 *
 *   candidate ──► leader ──► candidate (lost) ──► …
 *       │ ▲          ▲
 *       ▼ │          │
 *     standby ───────┘        every one ──► stopped
 */
export type ElectionState =
  /** Tries to get the lease; no holder is known. */
  | { readonly kind: 'candidate' }
  /** Another process holds the lease. */
  | { readonly kind: 'standby'; readonly leader: string }
  /** This process holds the lease. `fence`: the number of changes of its holder. */
  | { readonly kind: 'leader'; readonly fence: number }
  | { readonly kind: 'stopped' };

export interface ElectionHealth {
  readonly state: ElectionState;
  /** Time since the Lease was last read or written; undefined before the first time. */
  readonly readMsAgo: number | undefined;
  /**
   * Present while all attempts to acquire the lease fail: the server refuses them, or does not respond. Also in a standby behind
   * another process that uses its identity.
   */
  readonly problem?: ElectionProblem;
}

export interface ElectionProblem {
  /** The error of the last attempt. */
  readonly message: string;
  /** Time since the first attempt that failed. */
  readonly forMs: number;
}

export function isSameElectionState(one: ElectionState, other: ElectionState): boolean {
  if (one.kind === 'standby' && other.kind === 'standby') return one.leader === other.leader;
  if (one.kind === 'leader' && other.kind === 'leader') return one.fence === other.fence;
  return one.kind === other.kind;
}

import type { ElectionHealth } from '../election/election-state.ts';
import type { MappingFault } from '../sources/mapping-faults.ts';
import { allOpenCaches, staleCaches, type UnreadableObject, unreadableInOpenCache } from './open-caches.ts';
import type { ControllerRun, ControllerState } from './controller-run.ts';

/** Time after which a ready key that no idle worker takes shows that something is broken. */
const MAX_READY_MS = 600_000;
/** Maximum time since the Lease was last read. */
const MAX_LEASE_AGE_MS = 60_000;
/** Time without a renewal after which a leader counts as hung: 15 s of the lease, and 20 s more. */
const MAX_RENEWAL_AGE_MS = 35_000;
/**
 * Time that a cache may be stale before the operator is not ready, as in `Cluster`: a short outage of the
 * server is no reason to replace the pod.
 */
const MAX_STALE_MS = 300_000;
/** Maximum number of keys of one sort in a report. */
const MAX_NAMED = 10;

export interface ControllerHealth {
  readonly name: string;
  readonly state: ControllerState;
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  /** Number of keys that wait for a cache to have what their last run wrote. */
  readonly stale: number;
  readonly hung: number;
  /** Keys that failed with an error that no retry can repair. */
  readonly terminal: readonly { readonly key: string; readonly message: string }[];
  /** Number of objects that an index, a watch or an owner could not be computed for. They cause no runs although they should. */
  readonly unmapped: number;
  /** The first of them, and why. */
  readonly mappingFaults: readonly MappingFault[];
  /** Objects whose newest state could not be stored in a cache: it is not visible and causes no run. */
  readonly unreadable: readonly UnreadableObject[];
}

export interface OperatorHealth {
  readonly ready: boolean;
  readonly live: boolean;
  /** The reasons for not being ready or live, one sentence each. */
  readonly reasons: readonly string[];
  readonly controllers: readonly ControllerHealth[];
  /** Permissions that are missing, one sentence each. */
  readonly missingPermissions: readonly string[];
}

export interface OperatorHealthOptions {
  readonly isEnded: boolean;
  readonly wallNow: number;
  readonly missing: readonly string[];
  readonly election: ElectionHealth | undefined;
}

/** Health of all controllers. A warm standby is ready. */
export function operatorHealth(
  runs: readonly ControllerRun[],
  { isEnded, wallNow, missing, election }: OperatorHealthOptions,
): OperatorHealth {
  const notReady: string[] = isEnded ? ['the operator has ended'] : [];
  const notLive: string[] = [];
  for (const run of runs) {
    const { state, name, definition, queue } = run;
    if (definition.cluster.isClosed && !isEnded) notLive.push(`controller ${name} does nothing: its cluster is closed`);
    if (state.kind === 'parked') notReady.push(`controller ${name} waits: ${state.reason}`);
    if (state.kind === 'starting') {
      const missingCaches = run.unsynced.join(', ');
      const slow = run.isSlowToStart ? ', for more than 120 s' : '';
      notReady.push(
        `controller ${name} has not started: caches fill${missingCaches === '' ? '' : ` (${missingCaches})`}${slow}`,
      );
    }
    for (const { resource, staleMs, reason } of staleCaches(
      run.caches === undefined ? [] : allOpenCaches(run.caches),
      wallNow,
    ))
      if (staleMs > MAX_STALE_MS)
        notReady.push(
          `controller ${name}: its cache of ${resource} has been stale for ${Math.round(staleMs / 1_000)} s: ${reason}`,
        );
    const { concurrency = 4 } = definition.options;
    const hung = run.runs?.hung ?? [];
    if (hung.length > concurrency)
      notLive.push(
        `controller ${name} has ${hung.length} hung runs; the last request of one: ${hung[0]?.lastRequest ?? 'none'}`,
      );
    if (queue.oldestReadyMs > MAX_READY_MS && run.activeWorkers < concurrency)
      notLive.push(`controller ${name} has idle workers and keys that have been ready for more than 10 minutes`);
  }
  const { readMsAgo, problem, state: elected } = election ?? {};
  // A standby can read and write the lease. Its problem is that another process has its name, at once and for good.
  if (problem !== undefined && elected?.kind === 'standby')
    notReady.push(`the lease is not acquired: ${problem.message}`);
  else if (problem !== undefined && problem.forMs > MAX_LEASE_AGE_MS && (readMsAgo ?? 0) <= MAX_LEASE_AGE_MS)
    notReady.push(
      `the lease could not be acquired for ${Math.round(problem.forMs / 1_000)} s, and no process leads: ${problem.message}`,
    );
  if (election !== undefined && readMsAgo !== undefined) {
    if (readMsAgo > MAX_LEASE_AGE_MS) notReady.push(`the lease was last read ${Math.round(readMsAgo / 1_000)} s ago`);
    if (election.state.kind === 'leader' && readMsAgo > MAX_RENEWAL_AGE_MS)
      notLive.push(`the lease is overdue: last renewed ${Math.round(readMsAgo / 1_000)} s ago`);
  }
  const reasons = [...notLive, ...notReady];
  return {
    ready: reasons.length === 0,
    live: notLive.length === 0,
    reasons,
    missingPermissions: missing,
    controllers: runs.map((run) => ({
      name: run.name,
      state: run.state,
      ready: run.queue.size,
      waiting: run.queue.waiting,
      running: run.queue.running,
      stale: run.queue.held,
      hung: run.runs?.hung.length ?? 0,
      terminal: run.keys.terminal().slice(0, MAX_NAMED),
      unmapped: run.definition.faults.size,
      mappingFaults: run.definition.faults.first(MAX_NAMED),
      unreadable: (run.caches === undefined ? [] : allOpenCaches(run.caches))
        .flatMap(unreadableInOpenCache)
        .slice(0, MAX_NAMED),
    })),
  };
}

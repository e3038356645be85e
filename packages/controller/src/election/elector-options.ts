import {
  type Env,
  guardedEnv,
  type KnownOptions,
  type Metrics,
  noMetrics,
  requireKnown,
  requireOption,
  systemEnv,
  type UserCode,
} from 'kube-informer/core';
import type { ElectionState } from './election-state.ts';
import { electionIdentity } from './election-identity.ts';
import type { LeaseClient } from './lease-lock.ts';

export interface LeaderElectorOptions {
  /**
   * `client.resource('coordination.k8s.io/v1/leases')`. Use a client with a connection of its own: renewals must not queue
   * behind other requests.
   */
  readonly leases: LeaseClient;
  /** Name of the Lease. */
  readonly name: string;
  /** @default the namespace of the client */
  readonly namespace?: string;
  /** Unique among the candidates: of two processes with one identity the second waits, and is not ready. @default `<hostname>_<uuid>` */
  readonly identity?: string;
  /** Time that others wait after the last renewal that they saw. Whole seconds. @default 15_000 */
  readonly leaseDurationMs?: number;
  /** Time after the last good renewal at which the leader gives up. @default 10_000 */
  readonly renewDeadlineMs?: number;
  /** Time between two renewals, and the minimum between two attempts of a candidate. @default 2_000 */
  readonly retryPeriodMs?: number;
  /** Frees the lease when the elector stops, so that the next leader need not wait for its end. @default true */
  readonly releaseOnStop?: boolean;
  /** Called on every change of `state`. */
  readonly onState?: UserCode<(state: ElectionState) => void>;
  readonly env?: UserCode<Env>;
  readonly metrics?: UserCode<Metrics>;
}

const ELECTOR_OPTIONS: KnownOptions<LeaderElectorOptions> = {
  leases: true,
  name: true,
  namespace: true,
  identity: true,
  leaseDurationMs: true,
  renewDeadlineMs: true,
  retryPeriodMs: true,
  releaseOnStop: true,
  onState: true,
  env: true,
  metrics: true,
};

/** Maximum share of the retry period that is added to it at random, so that candidates do not try in step. */
export const CANDIDATE_JITTER = 1.2;

/** Options with their defaults. */
export interface ElectorSettings extends Required<Omit<LeaderElectorOptions, 'namespace' | 'env' | 'onState'>> {
  readonly namespace: string;
  readonly env: Env;
  readonly onState: UserCode<(state: ElectionState) => void>;
}

/** Fills in the defaults. Throws INVALID_OPTION for values that could make two processes lead. */
export function completeElectorOptions(options: LeaderElectorOptions): ElectorSettings {
  requireKnown('election', options, ELECTOR_OPTIONS);
  const env = guardedEnv(options.env ?? systemEnv);
  const { leases, name, namespace = '', identity = electionIdentity(env), releaseOnStop = true } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  const { metrics = noMetrics, onState = () => {} } = options;
  requireOption(typeof name === 'string' && name !== '', 'election.name', 'the name of a Lease', name);
  requireOption(typeof identity === 'string' && identity !== '', 'election.identity', 'a text', identity);
  requireOption(retryPeriodMs > 0, 'election.retryPeriodMs', 'a positive number', retryPeriodMs);
  const isPatient = renewDeadlineMs > retryPeriodMs * CANDIDATE_JITTER;
  requireOption(
    isPatient,
    'election.renewDeadlineMs',
    `more than ${CANDIDATE_JITTER} × retryPeriodMs`,
    renewDeadlineMs,
  );
  const isLonger = leaseDurationMs > renewDeadlineMs && leaseDurationMs % 1_000 === 0;
  requireOption(isLonger, 'election.leaseDurationMs', 'whole seconds, more than renewDeadlineMs', leaseDurationMs);
  return {
    leases, name, namespace, identity, releaseOnStop, leaseDurationMs, renewDeadlineMs, retryPeriodMs, metrics, onState, env,
  }; // prettier-ignore
}

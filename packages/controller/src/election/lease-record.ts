import type { Lease } from '@kube-informer/kubernetes';

/** The part of a Lease that names the leader. */
export interface LeaseRecord {
  /** Identity of the leader; empty when the lease is free. */
  readonly holder: string;
  /** Time that the holder may go without a renewal before others take the lease. */
  readonly durationMs: number;
  /** MicroTime on the clock of the holder. Kept and written, never compared with another clock. */
  readonly acquireTime: string;
  /** MicroTime on the clock of the holder. */
  readonly renewTime: string;
  /** Number of times the lease has changed hands. */
  readonly transitions: number;
}

/** Reads the record of a Lease. Fields that are missing count as a free lease. */
export function leaseRecordOf({ spec = {} }: Lease): LeaseRecord {
  return {
    holder: spec.holderIdentity ?? '',
    durationMs: (spec.leaseDurationSeconds ?? 0) * 1_000,
    acquireTime: spec.acquireTime ?? '',
    renewTime: spec.renewTime ?? '',
    transitions: spec.leaseTransitions ?? 0,
  };
}

/** `lease` with this record and these annotations. All other fields stay, for example the labels of a user. */
export function leaseWithRecord(
  lease: Lease,
  record: LeaseRecord,
  annotations: Readonly<Record<string, string>>,
): Lease {
  return {
    ...lease,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...lease.metadata, annotations: { ...lease.metadata?.annotations, ...annotations } },
    spec: {
      ...lease.spec,
      holderIdentity: record.holder,
      leaseDurationSeconds: record.durationMs / 1_000,
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.transitions,
    },
  };
}

/** The record as text. A text that changes is a sign of life of the holder; other changes of the Lease are not. */
export function leaseRecordText({ holder, durationMs, acquireTime, renewTime, transitions }: LeaseRecord): string {
  return JSON.stringify([holder, durationMs, acquireTime, renewTime, transitions]);
}

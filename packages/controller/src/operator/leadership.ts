import type { Cluster } from 'kube-informer';
import { defined, type Env, KubeError, type Metrics, splitKey } from 'kube-informer/core';
import { untilCaughtUp } from '../election/caught-up.ts';
import type { ElectionHealth } from '../election/election-state.ts';
import { LeaderElector } from '../election/elector.ts';
import { sharedAbort, shareAbort } from '../run/shared-abort.ts';
import type { Term } from './term.ts';

export interface LeadershipOptions {
  readonly env: Env;
  readonly metrics: Metrics;
  /** Aborts when the operator is stopped a second time. */
  readonly hurry: AbortSignal;
  readonly cluster: Cluster;
  readonly election: { readonly lease: string; readonly cluster?: Cluster; readonly identity?: string } | undefined;
}

export interface LeadOptions {
  readonly signal: AbortSignal;
  /**
   * Resolves when the caches have filled, or are known to be missing. Before that, the operator does not
   * compete for the lease.
   */
  readonly ready: Promise<void>;
  readonly onStandby: () => void;
  /** Resolves when the cache of a resource has reached a version. */
  readonly reached: (resource: string, version: string, signal: AbortSignal) => Promise<void>;
}

/** Whether this process may work: always, or while it holds a Lease. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #elector: LeaderElector | undefined;

  constructor(options: LeadershipOptions) {
    const { election, cluster, env, metrics } = options;
    this.#options = options;
    if (election === undefined) return;
    const { namespace, name } = splitKey(election.lease);
    this.#elector = new LeaderElector({
      leases: (election.cluster ?? cluster).client.resource('coordination.k8s.io/v1/leases'),
      name,
      ...(namespace === '' ? {} : { namespace }),
      ...defined({ identity: election.identity }),
      env,
      metrics,
    });
  }

  /** Identity of the leader, if it is another process. */
  get leader(): string | undefined {
    const state = this.#elector?.state;
    return state?.kind === 'standby' ? state.leader : undefined;
  }

  /** The reason the lease cannot be acquired. */
  get problem(): string | undefined {
    return this.#elector?.health().problem?.message;
  }

  /** Name of this process in the election; undefined without one. */
  get identity(): string | undefined {
    return this.#elector?.identity;
  }

  health(): ElectionHealth | undefined {
    return this.#elector?.health();
  }

  /** Records a write, so that the next leader waits for it. */
  wrote(resource: string, version: string): void {
    this.#elector?.written.note(resource, version);
  }

  /** Records that the storage of a resource was restored: the next leader must not wait for earlier versions. */
  restored(resource: string): void {
    this.#elector?.written.forget(resource);
  }

  /** A term without a lease. */
  always(signal: AbortSignal): Term {
    return {
      signal,
      lost: sharedAbort().signal,
      hurry: this.#options.hurry,
      held: () => true,
      check: () => {},
      remainingMs: () => undefined,
      fence: undefined,
    };
  }

  /** Calls `lead` whenever this process leads, until `signal` aborts. Rejects when work continues after its term. */
  async run(lead: (term: Term) => Promise<void>, options: LeadOptions): Promise<void> {
    const { signal, ready, onStandby, reached } = options;
    const { env, hurry } = this.#options;
    if (this.#elector === undefined) return lead(this.always(signal));
    await ready;
    if (signal.aborted) return;
    onStandby();
    await this.#elector.run(async ({ fence, signal: over, predecessors }) => {
      // Every controller listens to them.
      for (const shared of [over, fence.lost]) shareAbort(shared);
      await untilCaughtUp(predecessors, { reached, env, signal: over });
      if (over.aborted) return;
      await lead({
        signal: over,
        lost: fence.lost,
        hurry,
        held: () => fence.held(),
        check: () => fence.check(),
        remainingMs: () => {
          const left = Math.floor(fence.remainingMs());
          if (left <= 0) throw new KubeError('LEASE_LOST', 'this process no longer holds its lease');
          return left;
        },
        fence: fence.number,
      });
    }, signal);
  }
}

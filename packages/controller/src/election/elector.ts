import {
  defined,
  ElapsedClock,
  errorMessageOf,
  guardedCallback,
  guardedMetrics,
  guardedPromise,
  hasCode,
  isAlreadyExists,
  isConflict,
  KubeError,
  linkedAbort,
  type Gauge,
  type UserCode,
} from 'kube-informer/core';
import { type ElectionHealth, type ElectionState, isSameElectionState } from './election-state.ts';
import {
  CANDIDATE_JITTER,
  completeElectorOptions,
  type ElectorSettings,
  type LeaderElectorOptions,
} from './elector-options.ts';
import { type Fence, LeaseFence } from './lease-fence.ts';
import { LeaseLock } from './lease-lock.ts';
import type { LeaseRecord } from './lease-record.ts';
import { WrittenVersions } from './written-versions.ts';

/** Time after which failed attempts to acquire the lease are logged. Shorter outages repair themselves. */
const MAX_SILENT_MS = 10_000;

/** One time of leadership, from an election to the loss of the lease or the stop of the elector. */
export interface Term {
  readonly fence: Fence;
  /** Aborts when the work must end: the lease is lost (`fence.lost`) or the elector is stopped. */
  readonly signal: AbortSignal;
  /** The highest versions that earlier leaders wrote, by resource. Wait for them with `untilCaughtUp`. */
  readonly predecessors: ReadonlyMap<string, string>;
}

/**
 * The work of a leader. The lease is renewed until it settles, also after a stop. If a part of it still runs
 * after the abort, it must reject with RUN_ABORTED: then the elector ends, and the lease expires without
 * being released.
 */
export type Lead = (term: Term) => Promise<void> | void;

/**
 * Leads as long as it holds a Lease, with the protocol of client-go: both can compete for one Lease.
 *
 * Promises: `fence.held()` is true in at most one process at a time, whatever their wall clocks say, as long
 * as their clocks run at about the same speed (up to `leaseDurationMs / renewDeadlineMs`). After a lost
 * lease, the elector becomes a candidate again. The lease is released only after the work has settled.
 *
 * Room rule: knows one Lease. The caller decides what a leader and a standby do.
 */
export class LeaderElector {
  readonly identity: string;
  /** Versions that this process writes as leader. Every renewal carries them to the next leader. */
  readonly written: WrittenVersions = new WrittenVersions();
  readonly #settings: ElectorSettings;
  readonly #clock: ElapsedClock;
  readonly #lock: LeaseLock;
  readonly #announce: (state: ElectionState) => void;
  readonly #status: Gauge;
  #state: ElectionState = { kind: 'candidate' };
  #problem: { readonly since: number; readonly message: string; readonly isLogged: boolean } | undefined;

  constructor(options: LeaderElectorOptions) {
    const settings = completeElectorOptions(options);
    const { env, name, leaseDurationMs, renewDeadlineMs } = settings;
    const metrics = guardedMetrics(env, settings.metrics);
    this.identity = settings.identity;
    this.#settings = settings;
    this.#clock = new ElapsedClock(env);
    this.#announce = guardedCallback(env, 'onState', settings.onState);
    this.#status = metrics.gauge('leader_election_master_status', { name });
    this.#status.set(0);
    const slowPath = metrics.counter('leader_election_slowpath_total', { name });
    slowPath.inc(0);
    this.#lock = new LeaseLock({
      ...settings,
      durationMs: leaseDurationMs,
      requestTimeoutMs: Math.max(1_000, renewDeadlineMs / 2),
      written: this.written,
      slowPath,
    });
  }

  get state(): ElectionState {
    return this.#state;
  }

  health(): ElectionHealth {
    const { readAt } = this.#lock;
    const readMsAgo = readAt === undefined ? undefined : this.#settings.env.now() - readAt;
    const { message = '', since = 0 } = this.#problem ?? {};
    const problem = this.#problem && { message, forMs: this.#settings.env.now() - since };
    return { state: this.#state, readMsAgo, ...defined({ problem }) };
  }

  /**
   * Competes for the lease and calls `lead` each time it is won, until `signal` aborts.
   *
   * Resolves after the work has settled and the lease is released. Rejects LEASE_LOST when the work continues
   * after the lease has ended: then the process should exit. Rejects with the error of `lead` when it fails
   * while the lease is held.
   */
  async run(lead: UserCode<Lead>, signal: AbortSignal): Promise<void> {
    const work = guardedPromise(lead);
    let isLeftBehind = false;
    try {
      while (!signal.aborted) {
        const won = await this.#compete(signal);
        if (won !== undefined) await this.#lead(won, work, signal);
      }
    } catch (error) {
      isLeftBehind = hasCode(error, 'RUN_ABORTED') || hasCode(error, 'LEASE_LOST');
      throw error;
    } finally {
      if (!isLeftBehind) await this.#release();
      this.#change({ kind: 'stopped' });
    }
  }

  /** Tries until the lease is won; undefined after a stop. */
  async #compete(signal: AbortSignal): Promise<{ record: LeaseRecord; sentAt: number } | undefined> {
    const { env, retryPeriodMs, name } = this.#settings;
    while (!signal.aborted) {
      const sentAt = this.#clock.read();
      try {
        const attempt = await this.#lock.acquire(signal);
        if (attempt.held || !attempt.isNamesake) this.#problem = undefined;
        else this.#metNamesake();
        if (attempt.held) return { record: attempt.record, sentAt };
        this.#change({ kind: 'standby', leader: attempt.by });
      } catch (error) {
        if (signal.aborted) return undefined;
        env.log('debug', 'the lease was not acquired; the next attempt follows', { name, error });
        this.#failed(error);
        this.#change({ kind: 'candidate' });
      }
      await env.sleep(retryPeriodMs * (1 + env.random() * CANDIDATE_JITTER), signal);
    }
    return undefined;
  }

  /** Remembers why the lease cannot be acquired, and logs it once: nothing else shows that no process will ever lead. */
  #failed(error: unknown): void {
    if (isConflict(error) || isAlreadyExists(error)) return; // another candidate was faster
    const { env, name } = this.#settings;
    const message = errorMessageOf(error);
    const { since = env.now(), isLogged = false } = this.#problem ?? {};
    const isDue = !isLogged && env.now() - since >= MAX_SILENT_MS;
    if (isDue) env.log('warn', 'the lease cannot be acquired; nothing runs until it can', { name, error: message });
    this.#problem = { since, message, isLogged: isLogged || isDue };
  }

  /** Two processes of one identity would both take the lease for their own. The second one waits, and says so. */
  #metNamesake(): void {
    const { env, name } = this.#settings;
    const identity = JSON.stringify(this.identity);
    const message = `another process uses the identity ${identity} of this one: give each its own, or leave the option out`;
    if (this.#problem?.message === message) return;
    env.log('error', 'two processes compete for a lease under one identity; this one waits', { name, error: message });
    this.#problem = { since: env.now(), message, isLogged: true };
  }

  async #lead(
    { record, sentAt }: { record: LeaseRecord; sentAt: number },
    lead: (term: Term) => Promise<void>,
    stop: AbortSignal,
  ): Promise<void> {
    const { env, renewDeadlineMs, leaseDurationMs, name } = this.#settings;
    const predecessors = this.#lock.written;
    this.written.adopt(predecessors);
    const { transitions: number } = record;
    const fence = new LeaseFence({ clock: this.#clock, number, sentAt, renewDeadlineMs, leaseDurationMs });
    this.#change({ kind: 'leader', fence: number });
    env.log('info', 'this process leads', { name, identity: this.identity, fence: number });

    const signal = linkedAbort(stop);
    // In the same turn: after a pause, the work must not continue before the elector runs.
    fence.lost.addEventListener('abort', () => signal.abort(fence.lost.reason), { once: true });
    const task = new LeadingTask(lead({ fence, signal: signal.signal, predecessors }), fence.lost, stop);
    try {
      await Promise.all([this.#renew(record, fence, task.over), this.#watch(fence, task.over)]);
      if (!fence.lost.aborted) return task.rethrow();
      this.#change({ kind: 'candidate' });
      env.log('warn', 'the lease is lost', { name, reason: errorMessageOf(fence.lost.reason) });
      await this.#outlive(task);
    } finally {
      signal[Symbol.dispose]();
      task[Symbol.dispose]();
      // Before the lease is released: code that kept the fence of this term must not write in the next one.
      fence.lose('its term has ended');
    }
  }

  async #renew(record: LeaseRecord, fence: LeaseFence, over: AbortSignal): Promise<void> {
    const { env, retryPeriodMs, name } = this.#settings;
    for (;;) {
      await env.sleep(retryPeriodMs, over);
      // After a pause the clock is read first: a late timer must not renew a term that is over.
      if (over.aborted || !fence.held()) return;
      const sentAt = this.#clock.read();
      try {
        const attempt = await this.#lock.renew(record, over);
        if (attempt.held) fence.renewed(sentAt);
        else {
          if (attempt.isNamesake) this.#metNamesake();
          const other = attempt.isNamesake ? `another process with the identity ${attempt.by}` : attempt.by;
          fence.lose(attempt.by === '' ? 'it was released' : `${other} holds it now`);
        }
      } catch (error) {
        if (!over.aborted) env.log('debug', 'the lease was not renewed; the next attempt follows', { name, error });
      }
    }
  }

  /** Ends the term at its deadline, also while a renewal hangs. */
  async #watch(fence: LeaseFence, over: AbortSignal): Promise<void> {
    while (!over.aborted && fence.held()) await this.#settings.env.sleep(Math.max(1, fence.heldForMs()), over);
  }

  /** Waits for work that has lost its lease. The next leader may begin when this time is over. */
  async #outlive(task: LeadingTask): Promise<void> {
    const { env, leaseDurationMs, renewDeadlineMs, name } = this.#settings;
    const graceMs = leaseDurationMs - renewDeadlineMs;
    await env.sleep(graceMs, task.settled);
    if (task.isLeftBehind) task.rethrow();
    if (task.settled.aborted) return;
    throw new KubeError(
      'LEASE_LOST',
      `the lease ${name} is lost, and the work of the leader did not end within ${graceMs} ms: exit this process, ` +
        'because another one may lead now',
    );
  }

  async #release(): Promise<void> {
    const { env, releaseOnStop, renewDeadlineMs, name } = this.#settings;
    if (!releaseOnStop || !this.#lock.mayHold || this.#state.kind === 'stopped') return;
    const end = new AbortController();
    void env.sleep(renewDeadlineMs, end.signal).then(() => end.abort());
    try {
      await this.#lock.release(end.signal);
    } catch (error) {
      env.log('warn', 'the lease was not released; the next leader waits until it expires', { name, error });
    } finally {
      end.abort();
    }
  }

  #change(state: ElectionState): void {
    if (isSameElectionState(state, this.#state)) return;
    this.#state = state;
    this.#status.set(state.kind === 'leader' ? 1 : 0);
    this.#announce(state);
  }
}

/** The running work of a leader, and the end of its term: lease lost, work failed, or stopped and settled. */
class LeadingTask implements Disposable {
  readonly #over = new AbortController();
  readonly #settled = new AbortController();
  readonly #lost: AbortSignal;
  readonly #stop: AbortSignal;
  #failure: { readonly error: unknown } | undefined;

  constructor(work: Promise<void>, lost: AbortSignal, stop: AbortSignal) {
    this.#lost = lost;
    this.#stop = stop;
    lost.addEventListener('abort', this.#look, { once: true });
    stop.addEventListener('abort', this.#look, { once: true });
    work.then(
      () => this.#settle(),
      (error: unknown) => this.#settle({ error }),
    );
    this.#look();
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  get settled(): AbortSignal {
    return this.#settled.signal;
  }

  /** Whether the work has settled while a part of it still runs. */
  get isLeftBehind(): boolean {
    return hasCode(this.#failure?.error, 'RUN_ABORTED');
  }

  rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  [Symbol.dispose](): void {
    this.#lost.removeEventListener('abort', this.#look);
    this.#stop.removeEventListener('abort', this.#look);
  }

  #settle(failure?: { readonly error: unknown }): void {
    this.#failure = failure;
    this.#settled.abort();
    this.#look();
  }

  readonly #look = (): void => {
    const isDone = this.#failure !== undefined || (this.#stop.aborted && this.#settled.signal.aborted);
    if (isDone || this.#lost.aborted) this.#over.abort();
  };
}

import type { Lease } from '@kube-informer/kubernetes';
import {
  defined,
  type Counter,
  type Env,
  isAlreadyExists,
  isConflict,
  isNotFound,
  joinKey,
  linkedAbort,
  microTimestamp,
  untilAborted,
} from 'kube-informer/core';
import type { CallOptions } from 'kube-informer/client';
import { type LeaseRecord, leaseRecordOf, leaseRecordText, leaseWithRecord } from './lease-record.ts';
import { SentRecords } from './sent-records.ts';
import { parseWrittenVersions, WRITTEN_ANNOTATION, type WrittenVersions } from './written-versions.ts';

/** The calls an election needs. `client.resource('coordination.k8s.io/v1/leases')` fits. */
export interface LeaseClient {
  get(key: string, options: CallOptions): Promise<Lease>;
  create(lease: Lease, options: CallOptions): Promise<Lease>;
  replace(lease: Lease, options: CallOptions): Promise<Lease>;
}

/** The result of an attempt that got a response. */
export type LeaseAttempt =
  | { readonly held: true; readonly record: LeaseRecord }
  /** `by` is empty when the lease has no holder. `isNamesake`: another process holds it under our identity. */
  | { readonly held: false; readonly by: string; readonly isNamesake: boolean };

export interface LeaseLockOptions {
  readonly leases: LeaseClient;
  readonly name: string;
  readonly namespace: string;
  readonly identity: string;
  readonly durationMs: number;
  /** Maximum time of one request. */
  readonly requestTimeoutMs: number;
  readonly written: WrittenVersions;
  readonly env: Env;
  /** Counts renewals that needed to read the Lease first. */
  readonly slowPath: Counter;
}

/** The duration that is written when the lease is released. */
const RELEASED_MS = 1_000;
/**
 * Maximum time to wait for a holder that does not renew, unless our own duration is longer. Holders renew
 * every few seconds; a record with a duration of years, written by mistake or to do harm, would keep every
 * candidate from leading.
 */
const MAX_HOLDER_MS = 3_600_000;
/** Largest count that a server stores. */
const MAX_TRANSITIONS = 2_147_483_647;

/**
 * One Lease object: acquires, renews and releases it. Every write carries the resourceVersion that was read,
 * so the server accepts only one of two candidates.
 *
 * The clock rule: the times in a record are from the clock of its holder and are never compared with ours. A
 * holder is alive as long as its record *changes*; the time since we saw the last change is measured on the
 * monotonic clock. That clock stands still in a suspend, so a suspended candidate only waits longer.
 *
 * The name rule: a record is ours if this process has sent it. One that merely has our name is that of another holder, and is
 * waited for like one.
 *
 * Room rule: one attempt per call, no waits between them; the elector decides when to try again.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;
  #record: LeaseRecord | undefined;
  #text = '';
  #observedAt = 0;
  #readAt: number | undefined;
  #mayHold = false;
  readonly #sent = new SentRecords();
  #isNamesakeAlive = false;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Whether the Lease on the server may name us, for example after a write whose response was lost. */
  get mayHold(): boolean {
    return this.#mayHold;
  }

  /** Time of the last response of the server, on the monotonic clock. */
  get readAt(): number | undefined {
    return this.#readAt;
  }

  /** Versions that earlier leaders had written when the lease was last read. */
  get written(): ReadonlyMap<string, string> {
    return parseWrittenVersions(this.#lease?.metadata?.annotations?.[WRITTEN_ANNOTATION]);
  }

  /**
   * Takes the lease if it is free, expired or already ours. Rejects when the server does not respond or refuses the
   * write.
   */
  async acquire(signal: AbortSignal): Promise<LeaseAttempt> {
    const lease = await this.#read(signal);
    if (lease === undefined) {
      // A Lease that was deleted was not given up: its holder makes it again, and is waited for as if the Lease were there.
      if (this.#record !== undefined && this.#isHeldByOther(this.#record)) return this.#notHeld(this.#record);
      // It continues its count: the number of a fence must not shrink.
      return this.#create(this.#taken(this.#record), signal);
    }
    const record = leaseRecordOf(lease);
    if (this.#isHeldByOther(record)) return this.#notHeld(record);
    return this.#replace(lease, this.#isOurs(record) ? this.#renewed(record) : this.#taken(record), signal);
  }

  /**
   * Renews the lease of the term that began with `term`. Returns `held: false` if the Lease names another
   * holder, or none.
   */
  async renew(term: LeaseRecord, signal: AbortSignal): Promise<LeaseAttempt> {
    if (this.#lease !== undefined) {
      try {
        return await this.#replace(this.#lease, this.#renewed(term), signal);
      } catch (error) {
        if (signal.aborted) throw error;
        // The Lease has changed, or a response was lost: read it, and decide by its current content.
        this.#options.slowPath.inc();
      }
    }
    const lease = await this.#read(signal);
    if (lease === undefined) return this.#create(this.#renewed(term), signal);
    const record = leaseRecordOf(lease);
    return this.#isOurs(record) ? this.#replace(lease, this.#renewed(term), signal) : this.#notHeld(record);
  }

  /** Frees the lease if it still names us. Repeats after a conflict until `signal` aborts. */
  async release(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const lease = await this.#read(signal);
      if (lease === undefined || !this.#isOurs(leaseRecordOf(lease))) return;
      const now = this.#now();
      const free = { ...leaseRecordOf(lease), holder: '', durationMs: RELEASED_MS, acquireTime: now, renewTime: now };
      try {
        await this.#replace(lease, free, signal);
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  #now(): string {
    return microTimestamp(this.#options.env.wallNow());
  }

  /** The record of a new term of ours after `before`. */
  #taken(before: LeaseRecord | undefined): LeaseRecord {
    const { identity: holder, durationMs } = this.#options;
    const now = this.#now();
    // The count stays at the maximum: the server refuses a larger one, and then no replica could lead.
    const transitions = before === undefined ? 0 : Math.min(before.transitions + 1, MAX_TRANSITIONS);
    return { holder, durationMs, acquireTime: now, renewTime: now, transitions };
  }

  #renewed(term: LeaseRecord): LeaseRecord {
    return { ...term, durationMs: this.#options.durationMs, renewTime: this.#now() };
  }

  #isOurs(record: LeaseRecord): boolean {
    return record.holder === this.#options.identity && this.#sent.has(record);
  }

  #notHeld({ holder: by }: LeaseRecord): LeaseAttempt {
    return { held: false, by, isNamesake: by === this.#options.identity && this.#isNamesakeAlive };
  }

  /** Whether the record, seen last, is of another holder that is alive. */
  #isHeldByOther(record: LeaseRecord): boolean {
    const { holder, durationMs } = record;
    if (holder === '' || this.#isOurs(record)) return false;
    // The holder's own duration counts: it may differ from ours during a roll-out.
    const waitMs = Math.min(durationMs, Math.max(MAX_HOLDER_MS, this.#options.durationMs));
    return this.#observedAt + waitMs > this.#options.env.now();
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { leases, name, namespace } = this.#options;
    try {
      const lease = await this.#request(signal, (call) => leases.get(joinKey({ namespace, name }), call));
      this.#observe(lease);
      return lease;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#lease = undefined;
      this.#readAt = this.#options.env.now();
      return undefined;
    }
  }

  #create(record: LeaseRecord, signal: AbortSignal): Promise<LeaseAttempt> {
    const { leases, name, namespace } = this.#options;
    const metadata = namespace === '' ? { name } : { name, namespace };
    const lease = leaseWithRecord({ metadata }, record, this.#annotations());
    return this.#write(record, signal, (call) => leases.create(lease, call));
  }

  #replace(old: Lease, record: LeaseRecord, signal: AbortSignal): Promise<LeaseAttempt> {
    const lease = leaseWithRecord(old, record, this.#annotations());
    return this.#write(record, signal, (call) => this.#options.leases.replace(lease, call));
  }

  async #write(
    record: LeaseRecord,
    signal: AbortSignal,
    send: (call: CallOptions) => Promise<Lease>,
  ): Promise<LeaseAttempt> {
    const isOurs = record.holder !== '';
    const before = this.#mayHold;
    this.#mayHold ||= isOurs; // before sending: the answer can get lost
    this.#sent.add(record);
    try {
      this.#observe(await this.#request(signal, send));
      this.#mayHold = isOurs;
      return { held: true, record };
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) {
        // Refused, so nothing was stored; a record like it is of a namesake that wrote in the same millisecond.
        this.#mayHold = before;
        this.#sent.remove(record);
      }
      throw error;
    }
  }

  #annotations(): Record<string, string> {
    const written = this.#options.written.text();
    return defined({ [WRITTEN_ANNOTATION]: written });
  }

  #observe(lease: Lease): void {
    const record = leaseRecordOf(lease);
    const text = leaseRecordText(record);
    const now = this.#options.env.now();
    if (text !== this.#text) {
      this.#observedAt = now;
      // The first record that we see may be of the process before our start. What is written after that is not.
      const isNamesake = record.holder === this.#options.identity && !this.#sent.has(record);
      this.#isNamesakeAlive = isNamesake && this.#text !== '';
    }
    this.#lease = lease;
    this.#record = record;
    this.#text = text;
    this.#readAt = now;
  }

  /** Sends one request, once. Ends at its time limit even if the client ignores its signal. */
  async #request(signal: AbortSignal, send: (call: CallOptions) => Promise<Lease>): Promise<Lease> {
    const { env, requestTimeoutMs } = this.#options;
    const limit = linkedAbort(signal);
    const timer = new AbortController();
    void env.sleep(requestTimeoutMs, timer.signal).then(() => limit.abort());
    try {
      return await untilAborted(
        send({ signal: limit.signal, attempts: 'once' }),
        limit.signal,
        'the request for the lease',
      );
    } finally {
      timer.abort();
      limit[Symbol.dispose]();
    }
  }
}

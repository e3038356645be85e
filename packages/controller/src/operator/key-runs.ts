import type { ApiResource } from 'kube-informer/client';
import {
  defined,
  type Env,
  guardedPromise,
  hasCode,
  type Key,
  KubeError,
  type KubeObject,
  type Live,
} from 'kube-informer/core';
import { declaredCacheObject } from '../freshness/declared-cache.ts';
import { LiveObjects } from '../freshness/live-objects.ts';
import { Overlay } from '../freshness/overlay.ts';
import { BoundClient } from '../freshness/bound-client.ts';
import { checkResult } from '../front/check-result.ts';
import type { ReconcileResult, RunEvents } from '../front/reconcile.ts';
import type { Taken } from '../queue/queue-options.ts';
import { type RetryOptions, retryDelayMs, retryOptions } from '../run/retry.ts';
import type { CurrentRun } from '../run/current-run.ts';
import { Reasons } from '../run/reasons.ts';
import { publishToRunChannel } from '../run/run-channel.ts';
import { runErrorMessage } from '../run/run-error.ts';
import type { Outcome, Run } from '../run/run-log.ts';
import { type Ended, supervise, type Supervised } from '../run/supervise.ts';
import { isTerminal } from '../run/terminal.ts';
import type { WorkerRun } from '../run/workers.ts';
import { applyChild } from './apply-child.ts';
import type { ControllerRun } from './controller-run.ts';
import type { KeyRecord } from './key-table.ts';
import type { OpenCaches } from './open-caches.ts';
import { makeRunContext } from './run-context.ts';
import {
  abandonedRunStepFinalizer,
  prepareRunStepObject,
  readyRunStepObject,
  runStepFinalizer,
  runSteps,
} from './run-steps.ts';
import type { Term } from './term.ts';
import { makeWriteHost } from './write-host.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Share of `atLeastEveryMs` that is added or subtracted at random. */
const PERIOD_JITTER = 0.1;

export interface KeyRunsOptions {
  readonly run: ControllerRun;
  readonly env: Env;
  readonly caches: OpenCaches;
  readonly kind: ApiResource | undefined;
  readonly term: Term;
  /** Aborts the signals of all runs. */
  readonly abort: AbortSignal;
  readonly wrote: (resource: string, version: string) => void;
  readonly event: (object: KubeObject) => RunEvents;
}

/** The inputs of a run. */
interface Admitted {
  /** Undefined if the object does not exist. */
  readonly object: KubeObject | undefined;
  readonly record: KeyRecord;
  /** The caches as the run sees them. */
  readonly overlay: Overlay;
  readonly fresh: boolean;
}

/** Runs keys during one term: the steps before, in and after each run. */
export class KeyRuns {
  readonly #options: KeyRunsOptions;
  readonly #retry: Required<RetryOptions>;
  readonly #current = new Map<Key, CurrentRun>();
  readonly #statusAt = new Map<Key, number>();
  readonly #indexers: ReadonlyMap<string, (object: Live<KubeObject>) => readonly string[]>;

  constructor(options: KeyRunsOptions) {
    this.#options = options;
    const {
      options: { retry },
      indexers,
    } = options.run.definition;
    this.#retry = retryOptions(retry);
    this.#indexers = new Map(Object.entries(indexers));
  }

  /** The run of a key that has not ended. */
  current(key: Key): CurrentRun | undefined {
    return this.#current.get(key);
  }

  /**
   * Aborts the current runs: they began with objects that may no longer exist. They fail, and are retried
   * with the present state.
   */
  restored(): void {
    const reason = new KubeError('RUN_ABORTED', 'the run was aborted: the storage of the server was restored');
    for (const { abort } of this.#current.values()) abort(reason);
  }

  /**
   * Handles an object that has left the cache. A run that began with it is aborted, because nothing would
   * clean up what it creates from now on. A run that deletes its object, or cleans up after it, continues.
   */
  objectGone(key: Key, uid: string | undefined): void {
    const run = this.#current.get(key);
    if (run === undefined || run.uid !== uid || run.endsObject) return;
    run.isVanished = true;
    run.abort(new KubeError('RUN_ABORTED', 'the run was aborted: its object no longer exists'));
  }

  get hung(): readonly CurrentRun[] {
    return [...this.#current.values()].filter(({ isHung }) => isHung);
  }

  /**
   * Starts the run of a key. Returns undefined if the key is held until the caches are fresh, or if there is
   * nothing to run.
   */
  start(taken: Taken): WorkerRun | undefined {
    const { run } = this.#options;
    const { key } = taken;
    const { primary } = this.#options.caches;
    const cached = declaredCacheObject(primary, key);
    run.ledger.requireUid(key, cached?.metadata?.uid);
    const admitted = run.gate.admit(key);
    if (admitted === 'held') {
      run.queue.hold(key);
      run.metrics.stale.set(run.gate.size);
      return undefined;
    }
    const record = run.keys.get(key);
    const overlay = new Overlay();
    if (admitted instanceof LiveObjects) admitted.layOver(overlay);
    const object = overlay.get(primary.resource, key, cached);
    if (object === undefined && (run.definition.options.deleted === undefined || record.last === undefined)) {
      this.#forget(key);
      run.queue.done(key);
      return undefined;
    }
    return this.#begin(taken, { object, record, overlay, fresh: admitted !== 'unproven' });
  }

  /** Forgets a key whose object is gone. */
  #forget(key: Key): void {
    this.#options.run.keys.forget(key);
    this.#statusAt.delete(key);
  }

  #begin(taken: Taken, { object, record, overlay, fresh }: Admitted): WorkerRun {
    const { run, env, abort } = this.#options;
    const { key } = taken;
    const generation = object?.metadata?.generation;
    if (generation !== record.generation) record.failures = 0;
    record.generation = generation;
    record.terminal = undefined;
    record.filtered = [];
    const isHot = record.hot.ran(env.now(), generation);
    if (isHot) this.#reportHotLoop(key, record);
    const current: CurrentRun = {
      key,
      uid: object?.metadata?.uid,
      endsObject: object?.metadata?.deletionTimestamp !== undefined,
      isVanished: false,
      abort: () => {},
      startedAt: env.now(),
      lastRequest: undefined,
      isHung: false,
      isOver: false,
      writes: [],
      reasons: Object.freeze(record.reasons.list()),
      causes: record.reasons.causes(),
      queuedAt: env.wallNow() - taken.queuedMs,
      attempt: record.failures + 1,
      fresh,
    };
    record.reasons = new Reasons();
    this.#current.set(key, current);
    run.metrics.active.set(run.activeWorkers + 1);
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = run.definition.options;
    const supervised = supervise(
      (signal) => (object === undefined ? this.#runDeleted(key, record) : this.#run(current, object, overlay, signal)),
      { env, parent: abort, timeoutMs },
    );
    current.abort = supervised.abort;
    const ended = supervised.ended.then((end) => this.#ended(taken, current, record, supervised, end));
    const freed = supervised.freed.then((free) => (free.kind === 'hung' ? this.#hung(current) : ended));
    return { ended, freed };
  }

  async #runDeleted(key: Key, { last }: KeyRecord): Promise<ReconcileResult> {
    const { deleted } = this.#options.run.definition.options;
    if (deleted !== undefined && last !== undefined) await guardedPromise(deleted)({ key, last });
  }

  async #run(current: CurrentRun, cached: KubeObject, overlay: Overlay, signal: AbortSignal): Promise<ReconcileResult> {
    const { run, env, caches, kind, term, event } = this.#options;
    const { definition } = run;
    const { key, attempt, reasons, fresh } = current;
    const typed = keyRunObject(cached, kind);
    const host = makeWriteHost({ ...this.#options, current, object: typed, overlay, signal });
    const client = new BoundClient(definition.cluster.client, host);
    const finalizer = runStepFinalizer(definition, kind);
    const stuck = abandonedRunStepFinalizer(definition, kind, typed);
    if (stuck !== undefined)
      env.log(
        'warn',
        'a deletion waits for a finalizer of a controller without a cleanup: name it in retiredFinalizers',
        {
          controller: definition.name,
          key,
          finalizer: stuck,
        },
      );
    // Without an await unless a request is needed: a run that can begin now does.
    const about = { object: typed, finalizer };
    const task = readyRunStepObject(definition, about) ?? (await prepareRunStepObject(client, definition, about));
    if (task.kind === 'nothing') return task.result;
    const { object } = task;
    const applied = new Map<string, Set<string>>();
    const fieldManager = definition.name;
    const context = makeRunContext({
      controller: definition.name,
      client,
      signal,
      caches,
      key,
      object,
      overlay,
      attempt,
      reasons,
      fresh,
      fence: term.fence,
      log: (level, message, fields) => env.log(level, message, { controller: definition.name, key, ...fields }),
      event: event(object),
      indexers: this.#indexers,
      apply: async (resource, child, how) => {
        const { resource: ownerResource } = definition;
        const unsent = (): void => run.metrics.unsentApply();
        const wanted = (of: string, name: Key): void => void applied.set(of, (applied.get(of) ?? new Set()).add(name));
        const host = { fieldManager, ownerResource, caches, overlay, client, object, marks: run.marks, unsent, wanted };
        return applyChild(host, resource, child, how);
      },
    });
    const flushed = async (): Promise<void> => {
      const own = client.resource<KubeObject>(definition.resource);
      const writtenAt = this.#statusAt.get(key);
      const sinceWrittenMs = writtenAt === undefined ? undefined : env.now() - writtenAt;
      const hasStatus = kind?.subresources.includes('status') ?? true;
      const how = { fieldManager, wallNow: env.wallNow(), sinceWrittenMs, resource: definition.resource, hasStatus };
      const { written, afterMs } = await context.status.flush(own, keyRunObject(context.current(), kind), how);
      if (written) this.#statusAt.set(key, env.now());
      if (afterMs !== undefined) run.enqueue(key, 'requeue', { afterMs });
    };
    return runSteps({ env, definition, task: task.kind, finalizer, context, applied, flushed });
  }

  #hung(current: CurrentRun): void {
    const { run, env } = this.#options;
    current.isHung = true;
    run.metrics.hung.set(this.hung.length);
    env.log('error', 'a run ignores its signal; its worker continues without it, and its key is locked until it ends', {
      controller: run.name,
      key: current.key,
      lastRequest: current.lastRequest,
    });
    this.#record(current, 'hung', 'the run did not end after its signal was aborted');
  }

  #ended(
    taken: Taken,
    current: CurrentRun,
    record: KeyRecord,
    supervised: Supervised<ReconcileResult>,
    end: Ended<ReconcileResult>,
  ): void {
    const { run } = this.#options;
    current.isOver = true;
    this.#current.delete(taken.key);
    run.metrics.hung.set(this.hung.length);
    run.metrics.active.set(Math.max(0, run.activeWorkers - 1));
    run.metrics.stale.set(run.gate.size);
    run.metrics.oldestReady.set(run.queue.oldestReadyMs / 1_000);
    let failure: unknown;
    if (end.kind === 'value' && supervised.timedOut) {
      // It may have swallowed the refusals of its writes.
      failure = supervised.signal.reason;
    } else if (end.kind === 'value') {
      try {
        this.#succeeded(taken, current, record, end.value);
        return;
      } catch (error) {
        failure = error; // an invalid result
      }
    } else failure = end.error;
    this.#failed(taken, current, record, supervised, failure);
  }

  #succeeded(taken: Taken, current: CurrentRun, record: KeyRecord, result: ReconcileResult): void {
    const { run, env } = this.#options;
    const { atLeastEveryMs } = run.definition.options;
    checkResult(result);
    const { requeueAfterMs, priority = taken.priority } = result ?? {};
    record.failures = 0;
    record.lastError = undefined;
    const jitter = (): number => 1 + PERIOD_JITTER * (2 * env.random() - 1);
    const periodMs = atLeastEveryMs === undefined ? Infinity : atLeastEveryMs * jitter();
    if (requeueAfterMs !== undefined) {
      this.#record(current, 'requeue', undefined, requeueAfterMs);
      const reason = requeueAfterMs <= periodMs ? 'requeue' : 'resync';
      run.enqueue(taken.key, reason, { afterMs: Math.min(requeueAfterMs, periodMs), priority });
      return;
    }
    this.#record(current, 'success');
    // Its object is gone, and `deleted` has been called: no further run, also not after `atLeastEveryMs`.
    if (declaredCacheObject(this.#options.caches.primary, taken.key) === undefined && record.last !== undefined)
      return this.#forget(taken.key);
    if (atLeastEveryMs !== undefined) run.enqueue(taken.key, 'resync', { afterMs: periodMs, priority: taken.priority });
  }

  #failed(
    taken: Taken,
    current: CurrentRun,
    record: KeyRecord,
    supervised: Supervised<ReconcileResult>,
    error: unknown,
  ): void {
    const { run, env, abort } = this.#options;
    const { key, priority } = taken;
    const isAborted = current.isVanished || (abort.aborted && wasKeyRunCut(error));
    const message = runErrorMessage(error, run.name);
    record.lastError = message;
    if (isAborted) return this.#record(current, 'aborted', message);
    if (isTerminal(error)) {
      record.failures = 0;
      record.terminal = message;
      this.#record(current, 'terminal', message);
      env.log('error', 'a run failed; it is not retried until something changes', {
        controller: run.name,
        key,
        error: message,
      });
      return;
    }
    record.failures += 1;
    const delayMs = retryDelayMs(this.#retry, record.failures, error, () => env.random());
    this.#record(current, supervised.timedOut ? 'timeout' : 'error', message);
    env.log('warn', 'a run failed and is retried', {
      controller: run.name,
      key,
      attempt: current.attempt,
      retryMs: Math.round(delayMs),
      error: message,
    });
    run.enqueue(key, `retry(${record.failures})`, { afterMs: delayMs, priority, isRetry: true });
  }

  #record(current: CurrentRun, outcome: Outcome, error?: string, requeueAfterMs?: number): void {
    const { run, env } = this.#options;
    const { key, startedAt, reasons, causes, queuedAt, attempt, writes, fresh } = current;
    const durationMs = env.now() - startedAt;
    run.metrics.ran(outcome, durationMs);
    const record: Run = {
      key,
      startedAt: env.wallNow() - durationMs,
      durationMs,
      outcome,
      reasons,
      causes,
      queuedAt,
      attempt,
      ...defined({ error, requeueAfterMs }),
      writes,
      fresh,
    };
    run.log.add(record);
    publishToRunChannel(() => ({ controller: run.name, ...record }));
  }

  #reportHotLoop(key: Key, { hot: { path } }: KeyRecord): void {
    const { run, env } = this.#options;
    run.metrics.hotLoop();
    env.log('warn', 'the runs of a key cause each other; they are spaced from now on', {
      controller: run.name,
      key,
      changing: path ?? 'no change was seen: is it requeued without a delay?',
    });
  }
}

/** The object with its type. Items of a list carry none; owner references and applies need one. */
function keyRunObject(object: KubeObject, kind: ApiResource | undefined): KubeObject {
  if (kind === undefined || (object.apiVersion !== undefined && object.kind !== undefined)) return object;
  return { ...object, apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`, kind: kind.kind };
}

const wasKeyRunCut = (error: unknown): boolean =>
  hasCode(error, 'RUN_ABORTED') || hasCode(error, 'LEASE_LOST') || hasCode(error, 'ABORTED');

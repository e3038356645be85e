import type { ApiResource } from 'kube-informer/client';
import type { KubeObject, Registration } from 'kube-informer';
import {
  type Env,
  errorMessageOf,
  guardedAnswer,
  isNotFound,
  joinKey,
  type Key,
  KubeError,
  Latch,
  type Metrics,
  requireOption,
} from 'kube-informer/core';
import type { DeclaredCache } from '../freshness/declared-cache.ts';
import { EchoLog } from '../freshness/echo-log.ts';
import { FreshnessGate } from '../freshness/freshness-gate.ts';
import { WriteLedger } from '../freshness/write-ledger.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import type { ControllerDefinition } from '../front/controller.ts';
import type { RunEvents } from '../front/reconcile.ts';
import type { ApplyMark } from '../objects/apply-object.ts';
import { RewrittenFields } from '../objects/rewritten-fields.ts';
import type { Taken } from '../queue/queue-options.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { RunLog } from '../run/run-log.ts';
import { settledWithin, settledByAbort } from '../run/settled-within.ts';
import { sharedAbort } from '../run/shared-abort.ts';
import { Workers } from '../run/workers.ts';
import { runIterableSource } from '../sources/iterable-source.ts';
import { isFaultOfIndexMapping } from '../sources/mapping-faults.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import { addOperatorHandlers, type EnqueueOptions } from './operator-handlers.ts';
import { KeyRuns } from './key-runs.ts';
import { scopeHolds } from './scope-holds.ts';
import { KeyTable, slowedInKeyTable } from './key-table.ts';
import type { OpenCaches } from './open-caches.ts';
import { allOpenCaches, openCaches, openOwnCaches, unfilledCaches, untilOpenCacheServed } from './open-caches.ts';
import type { Term } from './term.ts';

/** Priority of keys that are run because of a start or a resync. */
export const LOW_PRIORITY = -100;
/** Time after which a cache that has not filled is reported by health. */
const SLOW_SYNC_MS = 120_000;
/** Keys that a new leader adds in one turn of the event loop, after the first. They take about a millisecond. */
const KEYS_PER_TURN = 250;
/** Time that runs have to end after their signals were aborted. */
const ABORT_GRACE_MS = 5_000;

export type ControllerState =
  | { readonly kind: 'parked'; readonly reason: string }
  | { readonly kind: 'starting' }
  | { readonly kind: 'standby' }
  | { readonly kind: 'leading' }
  | { readonly kind: 'stopped' };

export interface ControllerRunOptions {
  readonly definition: ControllerDefinition;
  readonly env: Env;
  readonly metrics: Metrics;
  readonly graceMs: number;
  /** Records a write of the leader, for its successor. */
  readonly wrote: (resource: string, version: string) => void;
  /** Called when the storage behind a cache of this resource was restored. */
  readonly restored: (resource: string) => void;
}

/**
 * One controller of an operator, from its caches to its workers.
 *
 * The queue is empty unless this process leads: the caches know all keys, and a new leader adds them all while its workers run.
 */
export class ControllerRun {
  readonly definition: ControllerDefinition;
  readonly keys: KeyTable = new KeyTable();
  readonly log: RunLog = new RunLog();
  /** The last applies, to recognise those that would change nothing. */
  readonly marks: Map<string, ApplyMark> = new Map();
  /** The last writes of the controller, to recognise fields that others change back. */
  readonly rewritten: RewrittenFields = new RewrittenFields();
  readonly gate: FreshnessGate;
  readonly ledger: WriteLedger;
  readonly echoes: EchoLog;
  readonly metrics: ControllerMetrics;
  readonly #options: ControllerRunOptions;
  readonly #queueOptions: ConstructorParameters<typeof WorkQueue>[0];
  readonly #registrations: Registration[] = [];
  #queue: WorkQueue;
  #workers: Workers | undefined;
  #runs: KeyRuns | undefined;
  #caches: OpenCaches | undefined;
  #kind: ApiResource | undefined;
  readonly #known = new Latch();
  #state: ControllerState = { kind: 'starting' };
  #terms = 0;
  #fills = 0;
  #termSignal: AbortSignal | undefined;
  readonly #startedAt: number;
  readonly #events: EventRecorder;

  constructor(options: ControllerRunOptions) {
    const { definition, env, metrics } = options;
    const { name, cluster } = definition;
    this.definition = definition;
    this.#options = options;
    this.#queueOptions = { name, controller: name, metrics, env };
    this.#queue = new WorkQueue(this.#queueOptions);
    this.#startedAt = env.now();
    const events = cluster.client.resource('events.k8s.io/v1/events');
    this.#events = new EventRecorder({ events, controller: name, env, metrics });
    this.metrics = new ControllerMetrics(metrics, name, definition.options.concurrency ?? 4);
    definition.faults.follow(
      (fault) => {
        this.metrics.mappingError();
        env.log('error', 'a mapping of a controller failed; the keys it would have returned do not run', {
          controller: name,
          ...fault,
        });
      },
      () => this.metrics.unmapped.set(definition.faults.size),
    );
    this.echoes = new EchoLog(() => env.wallNow());
    this.ledger = new WriteLedger(
      () => (this.#caches === undefined ? [] : openOwnCaches(this.#caches)),
      () => env.now(),
    );
    this.gate = new FreshnessGate({
      env,
      ledger: this.ledger,
      readLive: async (resource, key, signal) => {
        try {
          return await cluster.client.resource<KubeObject>(resource).get(key, { signal, attempts: 'once' });
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      },
      release: (key) => this.#queue.release(key),
      waited: (ms) => this.metrics.waitedForCache(ms),
    });
  }

  get name(): string {
    return this.definition.name;
  }

  get state(): ControllerState {
    return this.#state;
  }

  get queue(): WorkQueue {
    return this.#queue;
  }

  get caches(): OpenCaches | undefined {
    return this.#caches;
  }

  /** The resource as the server describes it, once it is served. */
  get kind(): ApiResource | undefined {
    return this.#kind;
  }

  get runs(): KeyRuns | undefined {
    return this.#runs;
  }

  /** Whether keys are still being added, for a new leader or after a restore. */
  get isFilling(): boolean {
    return this.#fills > 0;
  }

  get activeWorkers(): number {
    return this.#workers?.active ?? 0;
  }

  /** Caches that have not filled, with the reasons, for health. */
  get unsynced(): readonly string[] {
    return this.#caches === undefined ? [] : unfilledCaches(this.#caches);
  }

  get isSlowToStart(): boolean {
    return this.#state.kind === 'starting' && this.#options.env.now() - this.#startedAt > SLOW_SYNC_MS;
  }

  /** Opens the caches and resolves when every handler has had its initial set. Waits for a resource that is not served yet. */
  async prepare(signal: AbortSignal): Promise<void> {
    const { env } = this.#options;
    const { cluster, resource, options } = this.definition;
    const parked = (reason: string): void => {
      if (this.#state.kind !== 'parked')
        env.log('warn', 'a controller waits for a resource; other controllers run', { controller: this.name, reason });
      this.#state = { kind: 'parked', reason };
      this.#known.open();
    };
    const wanted = [
      { cluster, resource },
      ...(options.owns ?? []).map((one) => ({ cluster, resource: one })),
      ...(options.watches ?? []).flatMap((one) =>
        one.kind === 'watch' ? [{ cluster: one.options.cluster ?? cluster, resource: one.resource }] : [],
      ),
    ];
    const found = await Promise.all(
      wanted.map((one) => untilOpenCacheServed(one.cluster, one.resource, { env, parked, signal })),
    );
    const [kind] = found;
    if (signal.aborted || kind === undefined) return;
    const clusterScoped = new Set(wanted.filter((_, at) => found[at]?.namespaced === false).map((one) => one.resource));
    this.#kind = kind;
    this.#state = { kind: 'starting' };
    const { kinds } = await import('@kube-informer/kubernetes/kinds');
    const isBuiltIn = kinds.some((one) => one.group === kind.group && one.resource === kind.resource);
    const caches = openCaches(this.definition, clusterScoped);
    this.#caches = caches;
    this.#registrations.push(
      ...addOperatorHandlers({
        definition: this.definition,
        caches,
        kind,
        on: options.on ?? (isBuiltIn ? 'any' : 'spec'),
        env,
        keys: this.keys,
        isLeading: () => this.#state.kind === 'leading',
        enqueue: (key, reason, how) => this.enqueue(key, reason, how),
        gone: (key, uid) => this.#objectGone(key, uid),
        changed: (of, event) => {
          this.echoes.seen(of, event.key, event.object, event.type === 'delete');
          this.gate.changed();
        },
      }),
    );
    for (const cache of openOwnCaches(caches)) cache.informer.onEpochReset(() => this.#restored(cache));
    await Promise.all(this.#registrations.map((one) => one.synced({ signal })));
    if (this.#state.kind === 'starting') this.#state = { kind: 'standby' };
    this.#known.open();
  }

  /** Resolves when the caches have filled, or when it is known that this will take longer. */
  async untilKnown(signal: AbortSignal): Promise<void> {
    await this.#known.wait(signal);
  }

  /** Runs keys until `term.signal` aborts. Rejects if a run continues after its time is over. */
  async lead(term: Term): Promise<void> {
    const caches = this.#caches;
    if (caches === undefined || term.signal.aborted) return;
    const { env, wrote } = this.#options;
    const event = (object: KubeObject): RunEvents => ({
      normal: (reason, note) => this.#events.normal(object, reason, note),
      warning: (reason, note) => this.#events.warning(object, reason, note),
    });
    const { concurrency = 4, drain = false } = this.definition.options;
    const abort = sharedAbort();
    const runs = new KeyRuns({ run: this, env, caches, kind: this.#kind, term, abort: abort.signal, wrote, event });
    const workers = new Workers({ env, queue: this.#queue, concurrency, start: (taken: Taken) => runs.start(taken) });
    this.#runs = runs;
    this.#workers = workers;
    this.#state = { kind: 'leading' };
    this.#terms += 1;
    this.#termSignal = term.signal;
    const filled = this.#addAllKeys(this.#terms === 1 ? 'initial' : 'led');
    const sources = this.#runSources(term.signal);
    workers.start();
    await settledByAbort(term.signal);
    this.#state = { kind: 'standby' };
    this.#queue.close({ drop: !drain || term.lost.aborted });
    this.gate.close();
    this.echoes.clear();
    await this.#endRuns(workers, term, abort);
    await Promise.all([filled, sources]);
    // Now, because a successor should lose no time: its metrics are looked up by name.
    this.#queue = new WorkQueue(this.#queueOptions);
    // A standby maps nothing but indexes, and the next leader runs all keys. Objects that go meanwhile would leave their records.
    this.keys.clear();
    this.definition.faults.forget((mapping) => !isFaultOfIndexMapping(mapping));
  }

  /**
   * Adds the keys of all objects, some in each turn of the event loop: the renewals of the lease are not late, however many
   * there are. The first turn adds one key, which runs before the second one is in line.
   */
  async #addAllKeys(reason: string): Promise<void> {
    const signal = this.#termSignal;
    const objects = this.#caches?.primary.informer.list() ?? [];
    this.#fills += 1;
    for (const [at, { metadata }] of objects.entries()) {
      if (signal?.aborted !== false) break;
      const { namespace = '', name } = metadata;
      this.enqueue(joinKey({ namespace, name }), reason, { priority: LOW_PRIORITY });
      if (at % KEYS_PER_TURN === 0) await this.#options.env.yield();
    }
    this.#fills -= 1;
  }

  /**
   * Runs all keys after the storage behind a cache was restored from a backup. Writes of this controller may
   * be lost although the server had accepted them. There is no event for a lost write that the cache had not
   * seen, and the event for a lost status is not relevant.
   */
  #restored(cache: DeclaredCache): void {
    const { env, restored } = this.#options;
    env.log('warn', 'the storage of the server was restored; all keys run', {
      controller: this.name,
      resource: cache.resource,
    });
    restored(cache.resource);
    if (cache === this.#caches?.primary) this.#runs?.restored();
    this.marks.clear();
    this.rewritten.clear();
    this.echoes.clear();
    this.ledger.restored(cache);
    this.gate.restart();
    if (this.#state.kind === 'leading') void this.#addAllKeys('restored');
  }

  /** Handles an object that left the cache. With a selector, its own run may have changed its labels or fields. */
  #objectGone(key: Key, uid: string | undefined): void {
    const { labels, fields } = this.definition.options;
    if (labels === undefined && fields === undefined) this.#runs?.objectGone(key, uid);
  }

  /** Adds a key for a reason. Ignored while this process does not lead. */
  enqueue(key: Key, reason: string, options: EnqueueOptions = {}): void {
    const { priority = 0, afterMs = 0, settle = false, changed, isRetry = false } = options;
    if (this.#state.kind !== 'leading' || !this.#isInScope(key)) return;
    const { env } = this.#options;
    const { settleMs = 0 } = this.definition.options;
    const record = this.keys.get(key);
    record.reasons.add(reason, env.wallNow());
    if (changed !== undefined && record.hot.isWarm) record.hot.changed(changed());
    const slowed = slowedInKeyTable(record, env.now());
    const waitMs = Math.max(afterMs, settle ? settleMs : 0, slowed?.ms ?? 0);
    record.waitsFor = slowed?.why ?? reason;
    this.#queue[isRetry ? 'retry' : 'add'](key, { priority, afterMs: waitMs });
  }

  /** Whether this process is responsible for the key. A scope that fails counts as yes: writes are checked again. */
  #isInScope(key: Key): boolean {
    const { scope } = this.definition.options;
    if (scope === undefined) return true;
    try {
      return guardedAnswer('scope.holds', scopeHolds(scope))(key, this.#caches?.primary.informer.get(key));
    } catch (error) {
      this.#options.env.log('error', 'the scope of a controller failed; the key runs', {
        controller: this.name,
        key,
        error: errorMessageOf(error),
      });
      return true;
    }
  }

  /** Removes the handlers and releases the caches. */
  async close(): Promise<void> {
    for (const registration of this.#registrations) registration.remove();
    this.gate.close();
    this.#state = { kind: 'stopped' };
    await this.#events.close();
    if (this.#caches !== undefined)
      await Promise.all(allOpenCaches(this.#caches).map(({ informer }) => informer.close()));
  }

  async #endRuns(workers: Workers, term: Term, abort: AbortController): Promise<void> {
    const { env, graceMs } = this.#options;
    const ended = workers.finish();
    if (!term.lost.aborted && !term.hurry.aborted) {
      const graceOver = new AbortController();
      const hurry = (): void => graceOver.abort();
      term.hurry.addEventListener('abort', hurry, { once: true });
      term.lost.addEventListener('abort', hurry, { once: true });
      await settledWithin(ended, graceMs, env, graceOver.signal);
      term.hurry.removeEventListener('abort', hurry);
      term.lost.removeEventListener('abort', hurry);
    }
    const why = term.lost.aborted ? 'the lease is lost' : 'the operator stops';
    abort.abort(new KubeError('RUN_ABORTED', `the run was aborted: ${why}`));
    await settledWithin(workers.ended(), ABORT_GRACE_MS, env);
    if (workers.running > 0)
      throw new KubeError(
        'RUN_ABORTED',
        `${workers.running} runs of controller ${this.name} still run although they were aborted: exit the process`,
      );
  }

  async #runSources(signal: AbortSignal): Promise<void> {
    const { env } = this.#options;
    const sources = this.definition.options.watches ?? [];
    await Promise.all(
      sources.map(async (one) => {
        if (one.kind !== 'source') return;
        requireOption(typeof one.keys === 'function', 'source', 'a function that returns keys', one.keys);
        const keys = guardedAnswer('the keys of a source', one.keys);
        const enqueue = (key: Key, reason: string): void => this.enqueue(key, reason, { settle: true });
        const failed = (): void => this.metrics.mappingError();
        await runIterableSource({ env, controller: this.name, values: one.values, keys, enqueue, failed }, signal);
      }),
    );
  }
}

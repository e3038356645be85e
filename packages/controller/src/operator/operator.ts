import type { Cluster } from 'kube-informer';
import {
  defined,
  type Env,
  errorMessageOf,
  guardedEnv,
  guardedMetrics,
  type Key,
  type KnownOptions,
  KubeError,
  type Metrics,
  noMetrics,
  requireKnown,
  requireOption,
  splitKey,
  type UserCode,
} from 'kube-informer/core';
import { type Controller, type ControllerDefinition, controllerDefinitionOf } from '../front/controller.ts';
import type { Run, RunWrite } from '../run/run-log.ts';
import { ControllerRun } from './controller-run.ts';
import { Leadership } from './leadership.ts';
import { openOwnCaches } from './open-caches.ts';
import { claimNames } from '../front/claim-names.ts';
import {
  type KeyReport,
  keyInOperatorReport,
  type OperatorReport,
  type OperatorStep,
  operatorReport,
} from './operator-report.ts';
import { type OperatorHealth, operatorHealth } from './operator-health.ts';
import { type ProbeHandler, operatorProbeHandler } from './operator-probes.ts';
import { preflight } from '../permissions/preflight.ts';
import {
  mergedNeededPermissions,
  type Permissions,
  neededPermissions,
  type PolicyRule,
} from '../permissions/needed-permissions.ts';
import type { Term } from './term.ts';
import { sharedAbort } from '../run/shared-abort.ts';
import { type Why, whyNot } from './why.ts';

/** Maximum number of changes of state that are kept for `inspect`. */
const MAX_STEPS = 20;

/** The Lease with which the replicas of an operator elect a leader. */
export interface ElectionOptions {
  /** `namespace/name` of the Lease. */
  readonly lease: string;
  /** @default the cluster of the first controller */
  readonly cluster?: Cluster;
  /** Unique among the replicas: of two processes with one identity the second waits, and is not ready. @default `<hostname>_<uuid>` */
  readonly identity?: string;
}

export interface OperatorOptions {
  /** Stops the operator; `shutdownSignal()` aborts on SIGTERM and SIGINT. */
  readonly signal?: AbortSignal;
  /** `namespace/name` of a Lease: only one of several replicas runs. @default every replica runs */
  readonly election?: string | ElectionOptions;
  /** Time that runs have to end after a stop. @default 30_000 */
  readonly graceMs?: number;
  readonly metrics?: UserCode<Metrics>;
  /** @default that of the first controller's cluster */
  readonly env?: UserCode<Env>;
}

const ELECTION_OPTIONS: KnownOptions<ElectionOptions> = { lease: true, cluster: true, identity: true };

const OPERATOR_OPTIONS: KnownOptions<OperatorOptions> = {
  signal: true,
  election: true,
  graceMs: true,
  metrics: true,
  env: true,
};

export type OperatorState =
  | { readonly kind: 'starting' }
  /** Another replica leads; undefined: no leader is known. `problem`: the reason the lease cannot be acquired. */
  | { readonly kind: 'standby'; readonly leader: string | undefined; readonly problem?: string }
  | { readonly kind: 'leading' }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'ended' };

/** Running controllers. */
export interface Operator extends AsyncDisposable {
  /** Resolves when it has stopped. Rejects if a run was left behind: then the process should exit. */
  readonly ended: Promise<void>;
  readonly state: OperatorState;
  /** The writes of the kept runs, in no particular order. */
  readonly writes: readonly RunWrite[];
  /** The last runs of a key, oldest first. */
  runs(controller: string, key: Key): readonly Run[];
  /** Explains what a key waits for, as data and as a sentence. */
  why(controller: string, key: Key): Why;
  /** Everything that the inspector shows: states, queues, and the keys that are at work, ready or ran most recently. */
  inspect(): OperatorReport;
  /** One key: why it does not run, what it waits for, and its last runs. */
  inspectKey(controller: string, key: Key): KeyReport;
  /** Runs a key now. */
  enqueue(controller: string, key: Key): void;
  health(): OperatorHealth;
  /** A handler for Kubernetes' probes: `createServer(operator.probes())` serves `/livez` and `/readyz`. */
  probes(): ProbeHandler;
  /** The permissions that the controllers need. */
  rbac(): readonly PolicyRule[];
  /** Whether there is something to do now: a controller starts, or a key is ready or at work. */
  readonly isBusy: boolean;
  stop(): Promise<void>;
}

/**
 * Starts controllers and keeps them running until `signal` aborts.
 *
 * A controller whose resource is not served yet waits for it; the others run. With `election` only the leader runs keys; the others
 * keep their caches warm.
 */
export function run(controllers: readonly Controller[], options: OperatorOptions = {}): Operator {
  requireKnown('run', options, OPERATOR_OPTIONS);
  requireOption(Array.isArray(controllers) && controllers.length > 0, 'controllers', 'at least one', controllers);
  const { signal, metrics = noMetrics } = options;
  const isSignal = signal === undefined || typeof signal.addEventListener === 'function';
  requireOption(isSignal, 'signal', 'an AbortSignal', signal);
  requireOption(
    typeof metrics === 'object' && metrics !== null,
    'metrics',
    'an object with counter, gauge and histogram',
    metrics,
  );
  const definitions = controllers.map((one) => {
    const definition = controllerDefinitionOf(one);
    if (definition === undefined)
      throw new KubeError('INVALID_OPTION', 'controllers: expected results of controller()');
    return definition;
  });
  const release = claimNames(definitions, options.metrics);
  try {
    return new RunningOperator(definitions, options, release);
  } catch (error) {
    release();
    throw error;
  }
}

function operatorElection(election: OperatorOptions['election']): ElectionOptions | undefined {
  if (election === undefined) return undefined;
  const given = typeof election === 'string' ? { lease: election } : election;
  requireKnown('election', given, ELECTION_OPTIONS);
  const isName = typeof given.lease === 'string' && /^[^/]+\/[^/]+$/.test(given.lease);
  requireOption(isName, 'election', 'namespace/name of a Lease', election);
  const isCluster = given.cluster === undefined || typeof given.cluster.informer === 'function';
  requireOption(isCluster, 'election.cluster', 'a Cluster, as Cluster.connect() returns', given.cluster);
  return given;
}

class RunningOperator implements Operator {
  readonly ended: Promise<void>;
  readonly #env: Env;
  readonly #runs: readonly ControllerRun[];
  readonly #leadership: Leadership;
  readonly #stop = sharedAbort();
  readonly #hurry = sharedAbort();
  readonly #permissions: readonly Permissions[];
  readonly #hasElection: boolean;
  /** All clusters in the order of the controllers, which is the same in every replica. */
  readonly #clusters: readonly Cluster[];
  #state: OperatorState = { kind: 'starting' };
  readonly #steps: OperatorStep[] = [];
  #missing: readonly string[] = [];

  /** `release` frees the names of the controllers. */
  constructor(definitions: readonly ControllerDefinition[], options: OperatorOptions, release: () => void) {
    const [first] = definitions as [ControllerDefinition];
    const { signal, graceMs = 30_000, metrics = noMetrics, env = first.cluster.env, election } = options;
    this.#env = guardedEnv(env);
    const guarded = guardedMetrics(this.#env, metrics);
    const elected = operatorElection(election);
    requireOption(graceMs >= 0 && typeof graceMs === 'number', 'graceMs', 'a number of milliseconds >= 0', graceMs);
    this.#hasElection = elected !== undefined;
    this.#clusters = [...new Set(definitions.map(({ cluster }) => cluster))];
    this.#permissions = neededPermissions(
      definitions,
      elected && { cluster: elected.cluster ?? first.cluster, namespace: splitKey(elected.lease).namespace },
    );
    this.#leadership = new Leadership({
      env: this.#env,
      metrics: guarded,
      hurry: this.#hurry.signal,
      cluster: first.cluster,
      election: elected,
    });
    this.#runs = definitions.map(
      (definition) =>
        new ControllerRun({
          definition,
          env: this.#env,
          metrics: guarded,
          graceMs,
          wrote: (resource, version) =>
            this.#leadership.wrote(this.#writtenName(definition.cluster, resource), version),
          restored: (resource) => this.#leadership.restored(this.#writtenName(definition.cluster, resource)),
        }),
    );
    this.#steps.push({ at: this.#env.wallNow(), kind: 'starting' });
    const stop = (): void => void this.stop();
    if (signal?.aborted === true) this.#stop.abort();
    else signal?.addEventListener('abort', stop, { once: true });
    this.ended = this.#run().finally(() => {
      signal?.removeEventListener('abort', stop);
      release();
    });
    // Code that awaits `ended` gets the error; otherwise it is in the log and must not end the process.
    this.ended.catch(() => {});
  }

  get state(): OperatorState {
    if (this.#state.kind !== 'standby') return this.#state;
    const { leader, problem } = this.#leadership;
    return { kind: 'standby', leader, ...defined({ problem }) };
  }

  get writes(): readonly RunWrite[] {
    return this.#runs.flatMap(({ log }) => log.all().flatMap(({ writes }) => writes));
  }

  get isBusy(): boolean {
    return this.#runs.some(({ queue, state, runs, isFilling }) => {
      const hung = runs?.hung.length ?? 0;
      return state.kind === 'starting' || isFilling || queue.size > 0 || queue.running > hung;
    });
  }

  runs(controller: string, key: Key): readonly Run[] {
    return this.#of(controller).log.of(key);
  }

  why(controller: string, key: Key): Why {
    requireOption(typeof key === 'string', 'key', 'a text', key);
    return whyNot(this.#of(controller), key, { env: this.#env, state: this.state });
  }

  inspect(): OperatorReport {
    const { identity } = this.#leadership;
    return operatorReport(this.#runs, { env: this.#env, state: this.state, identity, steps: [...this.#steps] });
  }

  inspectKey(controller: string, key: Key): KeyReport {
    requireOption(typeof key === 'string', 'key', 'a text', key);
    return keyInOperatorReport(this.#of(controller), key, { env: this.#env, state: this.state });
  }

  enqueue(controller: string, key: Key): void {
    this.#of(controller).enqueue(key, 'manual');
  }

  health(): OperatorHealth {
    return operatorHealth(this.#runs, {
      isEnded: this.#state.kind === 'ended',
      wallNow: this.#env.wallNow(),
      missing: this.#missing,
      election: this.#hasElection ? this.#leadership.health() : undefined,
    });
  }

  probes(): ProbeHandler {
    return operatorProbeHandler(() => this.health());
  }

  rbac(): readonly PolicyRule[] {
    return mergedNeededPermissions(this.#permissions);
  }

  /** The first call lets runs end; a second one aborts them at once. */
  stop(): Promise<void> {
    if (this.#stop.signal.aborted) this.#hurry.abort();
    else this.#beginStop();
    return this.ended.catch(() => {}); // `ended` itself rejects
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#beginStop();
    await this.ended;
  }

  /** Runs have their grace from now on, and the lease is still held. */
  #beginStop(): void {
    this.#stop.abort();
    if (this.#state.kind !== 'ended') this.#change({ kind: 'stopping' });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const prepared = this.#runs.map((one) => ({ one, ready: this.#prepare(one, signal) }));
    void this.#preflight(signal);
    let failure: { readonly error: unknown } | undefined;
    const elected = prepared.filter(({ one }) => one.definition.options.election !== false);
    const everywhere = prepared.filter(({ one }) => one.definition.options.election === false);
    const work = [
      // A cache that cannot be opened ends the operator, also in standby.
      ...prepared.map(({ ready }) => ready),
      ...everywhere.map(({ one, ready }) => this.#leadReady(one, ready, this.#leadership.always(signal))),
      this.#leadership.run(
        async (term) => {
          this.#change({ kind: 'leading' });
          try {
            await Promise.all(elected.map(({ one, ready }) => this.#leadReady(one, ready, term)));
          } finally {
            this.#change(signal.aborted ? { kind: 'stopping' } : { kind: 'standby', leader: undefined });
          }
        },
        {
          signal,
          ready: Promise.all(elected.map(({ one }) => one.untilKnown(signal))).then(() => {}),
          onStandby: () => {
            if (this.#state.kind === 'starting') this.#change({ kind: 'standby', leader: undefined });
          },
          reached: (resource, version, over) => this.#reached(resource, version, over),
        },
      ),
    ];
    try {
      await Promise.all(work);
    } catch (error) {
      failure = { error };
      this.#env.log('error', 'an operator ended with an error', { error: errorMessageOf(error) });
    }
    this.#stop.abort();
    this.#change({ kind: 'stopping' });
    await Promise.allSettled(work);
    await Promise.allSettled(this.#runs.map((one) => one.close()));
    this.#change({ kind: 'ended' });
    if (failure !== undefined) throw failure.error;
  }

  #change(state: OperatorState): void {
    if (state.kind !== this.#state.kind) this.#steps.push({ at: this.#env.wallNow(), kind: state.kind });
    if (this.#steps.length > MAX_STEPS) this.#steps.shift();
    this.#state = state;
  }

  /** Leads one controller as soon as its caches have filled; others do not wait for it. */
  async #leadReady(one: ControllerRun, ready: Promise<void>, term: Term): Promise<void> {
    await untilOperatorReady(ready, term.signal);
    await one.lead(term);
  }

  async #prepare(one: ControllerRun, signal: AbortSignal): Promise<void> {
    try {
      await one.prepare(signal);
    } catch (error) {
      if (signal.aborted) return;
      // A mistake in the options of a cache: no retry repairs it.
      this.#env.log('error', 'a controller could not start', { controller: one.name, error: errorMessageOf(error) });
      throw error;
    }
  }

  /**
   * The name of a resource in the Lease. Versions of two clusters cannot be compared, so other clusters have
   * a number.
   */
  #writtenName(cluster: Cluster, resource: string): string {
    const at = this.#clusters.indexOf(cluster);
    return at <= 0 ? resource : `${at}:${resource}`;
  }

  async #reached(name: string, version: string, signal: AbortSignal): Promise<void> {
    const waits = this.#runs.flatMap(({ caches, definition: { cluster } }) =>
      caches === undefined
        ? []
        : openOwnCaches(caches).filter(({ resource }) => this.#writtenName(cluster, resource) === name),
    );
    await Promise.all(waits.map(({ informer }) => informer.waitForVersion(version, { signal })));
  }

  async #preflight(signal: AbortSignal): Promise<void> {
    this.#missing = await preflight(this.#permissions, { env: this.#env, signal });
  }

  #of(controller: string): ControllerRun {
    const found = this.#runs.find(({ name }) => name === controller);
    if (found !== undefined) return found;
    const names = this.#runs.map(({ name }) => name).join(', ');
    throw new KubeError('INVALID_OPTION', `no controller ${JSON.stringify(controller)}: expected one of ${names}`);
  }
}

/** Resolves when the caches have filled or `signal` aborts; rejects if they cannot be opened. */
function untilOperatorReady(ready: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => resolve();
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', aborted, { once: true });
    ready.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

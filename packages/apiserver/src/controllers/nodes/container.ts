import type { ContainerStatus } from '@kube-informer/kubernetes/v1';
import type { Env } from 'kube-informer/core';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { ContainerLog } from './container-log.ts';
import type { ContainerScript } from './node-options.ts';

const MAX_RESTART_MS = 300_000;
/** Time that a container runs if it is not always restarted and its script does not set one. */
const RUN_MS = 1_000;

interface End {
  readonly exitCode: number;
  readonly startedAt: string;
  readonly finishedAt: string;
}

export interface ContainerOptions {
  readonly env: Env;
  readonly name: string;
  readonly image: string;
  readonly id: string;
  /** The restart policy. */
  readonly restarts: 'always' | 'on failure' | 'never';
  readonly startAfterMs: number;
  readonly readyAfterMs: number;
  readonly restartAfterMs: number;
  /** Returns the script of the next start. */
  readonly script: (restarts: number) => ContainerScript;
  /** Number of restarts in the stored status, from before a restart of the server. */
  readonly restartCount: number;
}

/**
 * One fake container: waits, runs, is ready, ends, waits, runs again. It changes over time only when
 * `advance` is called.
 */
export class Container {
  readonly #options: ContainerOptions;
  #state: 'waiting' | 'running' | 'ended' = 'waiting';
  #startAt: number;
  #readyAt = Infinity;
  #exitAt = Infinity;
  #exitCode = 0;
  #startedAt = '';
  #end: End | undefined;
  #restartCount: number;
  #writer: AbortController | undefined;
  /** Time of the last `advance`. What became due after it is still to be done. */
  #advancedAt = -Infinity;
  /** Printed by the current run, or by the last one. */
  log: ContainerLog = new ContainerLog();
  /** Output of the run before. */
  previousLog: ContainerLog | undefined;

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#startAt = options.env.now() + options.startAfterMs;
    this.#restartCount = options.restartCount;
  }

  get name(): string {
    return this.#options.name;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  get isReady(): boolean {
    return this.#state === 'running' && this.#options.env.now() >= this.#readyAt;
  }

  /** The exit code after its last end; undefined before that, and if it will be restarted. */
  get ended(): number | undefined {
    return this.#state === 'ended' ? this.#end?.exitCode : undefined;
  }

  /** Whether it waits for its next start because it has failed. */
  get isInBackoff(): boolean {
    return this.#state === 'waiting' && this.#end !== undefined;
  }

  /** Whether a run has begun at any time. */
  get hasStarted(): boolean {
    return this.#state !== 'waiting' || this.#end !== undefined;
  }

  /**
   * Milliseconds until its next change by itself; undefined if there is none. 0 if it became due since the last `advance`: timers
   * fire up to a millisecond early, and writing the status takes as long.
   */
  get nextInMs(): number | undefined {
    const times = this.#state === 'waiting' ? [this.#startAt] : this.#state === 'running' ? [this.#readyAt, this.#exitAt] : [];
    const next = Math.min(...times.filter((time) => time > this.#advancedAt));
    return next === Infinity ? undefined : Math.max(0, next - this.#options.env.now());
  } // prettier-ignore

  /** Makes the changes that are due, and returns them. */
  advance(): readonly ('started' | 'ended')[] {
    const happened: ('started' | 'ended')[] = [];
    const { env } = this.#options;
    this.#advancedAt = env.now();
    for (let turns = 0; turns < 4; turns += 1) {
      if (this.#state === 'waiting' && this.#advancedAt >= this.#startAt) {
        this.#start();
        happened.push('started');
      } else if (this.#state === 'running' && this.#advancedAt >= this.#exitAt) {
        this.stop(this.#exitCode);
        happened.push('ended');
      } else break;
    }
    return happened;
  }

  /** Ends it at the next `advance`. */
  exit(exitCode: number): void {
    if (this.#state !== 'running') return;
    this.#exitAt = this.#options.env.now();
    this.#exitCode = exitCode;
  }

  /** Ends the current run. It is restarted unless its policy or `forGood` prevents that. */
  stop(exitCode: number, { forGood = false }: { readonly forGood?: boolean } = {}): void {
    const { env, restarts, restartAfterMs } = this.#options;
    this.#writer?.abort();
    this.log.end();
    if (this.#state === 'running')
      this.#end = { exitCode, startedAt: this.#startedAt, finishedAt: serverTimestamp(env.wallNow()) };
    const isAgain = !forGood && (restarts === 'always' || (restarts === 'on failure' && exitCode !== 0));
    this.#state = isAgain ? 'waiting' : 'ended';
    if (!isAgain) return;
    // The first restart is immediate.
    const delay = this.#restartCount === 0 ? 0 : Math.min(restartAfterMs * 2 ** (this.#restartCount - 1), MAX_RESTART_MS);
    this.#startAt = env.now() + delay;
  } // prettier-ignore

  #start(): void {
    const { env, restarts, readyAfterMs: usual, script } = this.#options;
    if (this.#end !== undefined) {
      this.#restartCount += 1;
      this.previousLog = this.log;
      this.log = new ContainerLog();
    }
    const { readyAfterMs = usual, exitAfterMs = restarts === 'always' ? Infinity : RUN_MS, exitCode = 0, logs = [] } = script(this.#restartCount); // prettier-ignore
    this.#state = 'running';
    this.#startedAt = serverTimestamp(env.wallNow());
    this.#readyAt = env.now() + readyAfterMs;
    this.#exitAt = env.now() + exitAfterMs;
    this.#exitCode = exitCode;
    if (typeof logs === 'function') void this.#writeLogs(logs, this.log);
    else for (const line of logs) this.log.write(env.wallNow(), String(line));
  }

  async #writeLogs(logs: () => AsyncIterable<string>, log: ContainerLog): Promise<void> {
    const { env } = this.#options;
    const writer = new AbortController();
    this.#writer = writer;
    try {
      for await (const line of logs()) {
        if (writer.signal.aborted) return;
        log.write(env.wallNow(), String(line));
      }
    } catch (error) {
      env.log('warn', 'the logs of a container ended with an error', { container: this.name, error });
    }
  }

  status(): ContainerStatus {
    const { name, image, id } = this.#options;
    const containerID = this.hasStarted ? `containerd://${id}` : '';
    const terminated = this.#end && { ...this.#end, reason: this.#end.exitCode === 0 ? 'Completed' : 'Error', containerID };
    const crashed = this.isInBackoff;
    const waiting = crashed
      ? { reason: 'CrashLoopBackOff', message: `back-off restarting failed container=${name}` }
      : { reason: 'ContainerCreating' };
    return {
      name,
      image,
      imageID: this.hasStarted ? `docker.io/library/${image}` : '',
      containerID,
      ready: this.isReady || this.ended === 0,
      started: this.isRunning,
      restartCount: this.#restartCount,
      state:
        this.#state === 'running' ? { running: { startedAt: this.#startedAt } } : this.#state === 'ended' && terminated !== undefined ? { terminated } : { waiting },
      lastState: terminated !== undefined && this.#state !== 'ended' ? { terminated } : {},
    };
  } // prettier-ignore
}

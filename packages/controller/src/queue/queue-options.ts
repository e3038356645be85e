import type { Env, KnownOptions, Metrics, UserCode } from 'kube-informer/core';

export interface WorkQueueOptions {
  /** Label of the metrics. A queue without a name has no metrics. */
  readonly name?: string;
  /** @default the name */
  readonly controller?: string;
  /**
   * Whether a higher priority always goes first, as in controller-runtime; keys of low priority may starve.
   * @default false
   */
  readonly strict?: boolean;
  readonly metrics?: UserCode<Metrics>;
  readonly env?: UserCode<Env>;
}

export interface AddOptions {
  /** Time until the key is ready. @default 0 */
  readonly afterMs?: number;
  /** Priority: each step up is a head start of 300 ms. @default 0 */
  readonly priority?: number;
}

/** A key that was taken from the queue. */
export interface Taken {
  readonly key: string;
  readonly priority: number;
  /** Time since its first add. */
  readonly queuedMs: number;
}

export const QUEUE_OPTIONS: KnownOptions<WorkQueueOptions> = {
  name: true,
  controller: true,
  strict: true,
  metrics: true,
  env: true,
};
export const ADD_OPTIONS: KnownOptions<AddOptions> = { afterMs: true, priority: true };

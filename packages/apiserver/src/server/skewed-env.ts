import type { Env, Log } from 'kube-informer/core';

/** An Env whose wall clock can be set wrong, as clocks of real servers are. Waits and deadlines are not affected. */
export class SkewedEnv implements Env {
  readonly #env: Env;
  readonly log: Log;
  skewMs = 0;

  constructor(env: Env) {
    this.#env = env;
    this.log = (level, message, fields) => env.log(level, message, fields);
  }

  now(): number {
    return this.#env.now();
  }

  wallNow(): number {
    return this.#env.wallNow() + this.skewMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#env.sleep(ms, signal);
  }

  yield(): Promise<void> {
    return this.#env.yield();
  }

  random(): number {
    return this.#env.random();
  }
}

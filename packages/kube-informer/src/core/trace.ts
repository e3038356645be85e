import type { Env } from './env.ts';

/**
 * Steps of an operation that may be slow. `logIfLong` logs them with their times
 * if the whole took at least `thresholdMs`.
 */
export class Trace {
  readonly #env: Env;
  readonly #what: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #startedAt: number;
  readonly #steps: { readonly step: string; readonly atMs: number }[] = [];

  constructor(env: Env, what: string, fields: Readonly<Record<string, unknown>> = {}) {
    this.#env = env;
    this.#what = what;
    this.#fields = fields;
    this.#startedAt = env.now();
  }

  step(step: string): void {
    this.#steps.push({ step, atMs: this.#env.now() - this.#startedAt });
  }

  logIfLong(thresholdMs: number): void {
    const totalMs = this.#env.now() - this.#startedAt;
    if (totalMs < thresholdMs) return;
    this.#env.log('warn', `${this.#what} was slow`, { ...this.#fields, totalMs, steps: this.#steps });
  }
}

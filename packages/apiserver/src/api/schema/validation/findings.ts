import type { FieldError } from '../../../core/field-error.ts';

/**
 * The result of checking a value: errors, each once, and how many checks it passed. Among alternatives
 * (`anyOf`), the errors of the one that passed the most checks are shown.
 */
export class Findings {
  readonly #known = new Map<string, FieldError>();
  passed = 0;

  get errors(): FieldError[] {
    return [...this.#known.values()];
  }

  add(error: FieldError): this {
    const name = JSON.stringify([error.field, error.message]);
    if (!this.#known.has(name)) this.#known.set(name, error);
    return this;
  }

  merge(other: Findings): this {
    for (const [name, error] of other.#known) if (!this.#known.has(name)) this.#known.set(name, error);
    this.passed += other.passed;
    return this;
  }

  /** Number of errors. */
  get size(): number {
    return this.#known.size;
  }

  pass(): this {
    this.passed += 1;
    return this;
  }

  get isValid(): boolean {
    return this.#known.size === 0;
  }
}

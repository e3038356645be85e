import type { FieldError } from '../../../core/field-error.ts';

/**
 * The result of checking a value: errors, each once, and how many checks it passed. Between alternatives (`anyOf`) the
 * one that passed the most is the one whose errors are shown.
 */
export class Findings {
  readonly errors: FieldError[] = [];
  passed = 0;

  add(error: FieldError): this {
    const isKnown = this.errors.some(({ field, message }) => field === error.field && message === error.message);
    if (!isKnown) this.errors.push(error);
    return this;
  }

  merge(other: Findings): this {
    for (const error of other.errors) this.add(error);
    this.passed += other.passed;
    return this;
  }

  pass(): this {
    this.passed += 1;
    return this;
  }

  get isValid(): boolean {
    return this.errors.length === 0;
  }
}

import { isSameJson } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';

/**
 * Decides which policies or webhooks are called a second time: those that request it and were called before a
 * later one changed the object.
 */
export class Reinvocation {
  readonly #onChange: () => void;
  readonly #again = new Set<string>();
  #called = new Set<string>();
  #last: ApiObject | undefined;
  #round = 0;

  /** `onChange` is called when a second round is needed. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Begins a round. In the second one, changes that others made in between count too. */
  begin(object: ApiObject | undefined): void {
    this.#round += 1;
    if (this.#round > 1 && !isSameJson(object, this.#last)) this.#require();
  }

  end(object: ApiObject | undefined): void {
    this.#last = object;
  }

  /** Whether, in a second round, a webhook or policy is not called again. */
  skips(id: string): boolean {
    return this.#round > 1 && !this.#again.has(id);
  }

  /** Records the call of a webhook or policy that requests reinvocation. */
  called(id: string): void {
    this.#called.add(id);
  }

  /** Records that the object was changed. */
  changed(): void {
    this.#require();
    this.#onChange();
  }

  #require(): void {
    for (const id of this.#called) this.#again.add(id);
    this.#called = new Set();
  }
}

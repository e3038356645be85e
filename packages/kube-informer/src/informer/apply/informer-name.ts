import type { UserCode } from '../../core/guarded.ts';
import { type Env, guardedEnv, systemEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';

/** The informer that a metric belongs to. Only a reserved identifier reports, so that two informers never write to the same series. */
export interface InformerIdentifier {
  readonly name: string;
  readonly resource: string;
  readonly reserved: boolean;
  /** Frees the resource for the next informer under the same name, when this one has stopped. Idempotent. */
  release?(): void;
}

/** The informer names in use. Programs share `processNames`; tests may create their own. */
export class InformerNames {
  readonly #taken = new Set<string>();

  /** Throws INVALID_OPTION for an empty or taken name. */
  reserve(name: string): InformerName {
    if (name === '') throw new KubeError('INVALID_OPTION', 'an informer name must not be empty');
    if (this.#taken.has(name))
      throw new KubeError('INVALID_OPTION', `the informer name "${name}" is taken; release it first or choose another`);
    this.#taken.add(name);
    return new InformerName(name, () => this.#taken.delete(name));
  }
}

export const processNames: InformerNames = new InformerNames();

/** A reserved name and the resources reported under it. */
export class InformerName {
  readonly name: string;
  readonly #release: () => void;
  readonly #resources = new Set<string>();
  #released = false;

  constructor(name: string, release: () => void) {
    this.name = name;
    this.#release = release;
  }

  /** Reserves `resource` for the first caller. A second informer of the same resource gets no metrics, which is logged. */
  withResource(resource: string, env?: UserCode<Env>): InformerIdentifier {
    const first = !this.#released && !this.#resources.has(resource);
    if (first) this.#resources.add(resource);
    else
      guardedEnv(env ?? systemEnv).log(
        'warn',
        'this informer has no metrics: another one reports under the same name and resource',
        {
          name: this.name,
          resource,
        },
      );
    let isFreed = false;
    const isReserved = (): boolean => first && !isFreed && !this.#released;
    return {
      name: this.name,
      resource,
      get reserved() {
        return isReserved();
      },
      release: () => {
        if (isReserved()) this.#resources.delete(resource);
        isFreed = true;
      },
    };
  }

  /** Frees the name and all its resources. Idempotent. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#resources.clear();
    this.#release();
  }
}

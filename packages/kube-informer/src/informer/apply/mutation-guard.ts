import { type Env, envPlatformFlag } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { deepFreeze } from '../../core/object/freeze.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import { guardedAnswer, guardedCallback, type UserCode } from '../../core/guarded.ts';
import type { TransformFn } from '../queue/transform.ts';

export function guardMutationsByDefault(): boolean {
  return envPlatformFlag('KUBE_CACHE_MUTATION_DETECTOR') === 'true';
}

/** Wraps the user's transform to freeze its result; the transform itself may change the object. */
export function mutationGuardByFreezing<T>(transform: UserCode<TransformFn<T>> | undefined): TransformFn<T> {
  if (transform === undefined) return deepFreeze;
  const shape = guardedAnswer('the transform', transform);
  return (object) => deepFreeze(shape(object));
}

/** An object and a copy of it. `print` returns what readers see of it now, and what they should see. */
interface StoredCopy {
  readonly key: Key;
  readonly print: () => { readonly seen: unknown; readonly before: string } | undefined;
}

/** A stored object as a reader sees it now, if one does, and as it was received. */
export type MutationEvidence = { readonly seen: object; readonly truth: object } | undefined;

export type MutationHandler = (error: KubeError, key: Key) => void;

const COMPARE_EVERY_MS = 1_000;
const RETAIN_MS = 120_000;

/**
 * Detects changes of cached objects by user code, for programs that cannot freeze them.
 *
 * Keeps a copy of every stored object for two to four minutes and compares once a second. The copies cost
 * memory: a tool for tests and CI. A packed object needs no copy: its bytes cannot change.
 */
export class MutationDetector<T extends object> {
  readonly #env: Env;
  readonly #keyOf: KeyFn<T>;
  readonly #onMutation: MutationHandler;
  readonly #inspect: ((object: T) => MutationEvidence) | undefined;
  #current: StoredCopy[] = [];
  #retained: StoredCopy[] = [];
  #turnedAt: number;

  /** Creates a detector. `inspect` is for objects that are not seen as they are stored. */
  constructor(
    env: Env,
    keyOf: KeyFn<T>,
    onMutation?: UserCode<MutationHandler>,
    inspect?: (object: T) => MutationEvidence,
  ) {
    this.#env = env;
    this.#keyOf = keyOf;
    this.#inspect = inspect;
    const report: MutationHandler = (error, key) => env.log('error', error.message, { key });
    this.#onMutation = guardedCallback(env, 'onMutation', onMutation ?? report);
    this.#turnedAt = env.now();
  }

  add(object: T): void {
    const inspect = this.#inspect;
    if (inspect !== undefined) {
      const print = (): ReturnType<StoredCopy['print']> => {
        const found = inspect(object);
        const before = found === undefined ? undefined : printForMutationGuard(found.truth);
        return before === undefined ? undefined : { seen: found?.seen, before };
      };
      this.#current.push({ key: this.#nameOf(object), print });
      return;
    }
    const before = printForMutationGuard(object);
    if (before !== undefined)
      this.#current.push({ key: this.#nameOf(object), print: () => ({ seen: object, before }) });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#env.log('warn', 'the cache mutation detector is on: it holds a copy of every object for minutes');
    while (!signal.aborted) {
      await this.#env.sleep(COMPARE_EVERY_MS, signal);
      this.compare();
    }
  }

  /** Compares all copies. A changed object is reported once. */
  compare(): void {
    const changed = (copy: StoredCopy): boolean => {
      const printed = copy.print();
      if (printed === undefined || printForMutationGuard(printed.seen) === printed.before) return false;
      this.#onMutation(
        new KubeError(
          'CACHE_MUTATED',
          `cached object ${copy.key} was changed by user code at ${mutationGuardPath(JSON.parse(printed.before), printed.seen)}`,
        ),
        copy.key,
      );
      return true;
    };
    this.#current = this.#current.filter((copy) => !changed(copy));
    this.#retained = this.#retained.filter((copy) => !changed(copy));
    if (this.#env.now() - this.#turnedAt <= RETAIN_MS) return;
    this.#retained = this.#current;
    this.#current = [];
    this.#turnedAt = this.#env.now();
  }

  #nameOf(object: T): Key {
    try {
      return this.#keyOf(object);
    } catch {
      return '(no name)'; // a transform may have removed the metadata
    }
  }
}

/** JSON of a value; undefined for one that is too deep or cyclic, which is not checked. */
function printForMutationGuard(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** The path of the first difference. Leaves out the values, which may be secrets. */
function mutationGuardPath(before: unknown, now: unknown): string {
  const steps: string[] = [];
  for (;;) {
    if (typeof before !== 'object' || typeof now !== 'object' || before === null || now === null) break;
    const [left, right] = [before as Record<string, unknown>, now as Record<string, unknown>];
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    const changed = names.find((name) => printForMutationGuard(left[name]) !== printForMutationGuard(right[name]));
    if (changed === undefined) break;
    steps.push(changed);
    before = left[changed];
    now = right[changed];
  }
  return steps.length === 0 ? '(its order of fields)' : steps.join('.');
}

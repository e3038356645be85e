import { type Env, platformFlag } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import { guarded } from '../../core/async/guarded.ts';
import type { TransformFn } from '../queue/transform.ts';

/** Cached objects are frozen where mistakes are made, and not where speed counts. */
export function freezeByDefault(): boolean {
  const mode = platformFlag('NODE_ENV');
  return mode === 'development' || mode === 'test';
}

export function detectMutationsByDefault(): boolean {
  return platformFlag('KUBE_CACHE_MUTATION_DETECTOR') === 'true';
}

/** Makes an object and everything in it unchangeable. Iterative: objects nest deeper than the stack. */
export function deepFreeze<T>(root: T): T {
  const todo: unknown[] = [root];
  while (todo.length > 0) {
    const value = todo.pop();
    // Frozen means done: what is inside was frozen with it, and cycles end here.
    if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) continue;
    Object.freeze(value);
    for (const name of Object.keys(value)) todo.push((value as Record<string, unknown>)[name]);
  }
  return root;
}

/** Freezing is the last step of a transform: the user's own may still change the object. */
export function freezingTransform<T>(transform: TransformFn<T> | undefined): TransformFn<T> {
  return transform === undefined ? deepFreeze : (object) => deepFreeze(transform(object));
}

interface Witness {
  readonly key: Key;
  readonly object: object;
  readonly before: string;
}

export type MutationHandler = (error: KubeError, key: Key) => void;

const LOOK_EVERY_MS = 1_000;
const RETAIN_MS = 120_000;

/**
 * Finds out who changes objects of the cache, for programs that cannot freeze them.
 *
 * Keeps a copy of every object that was stored and compares once a second. Objects
 * of the last two to four minutes are watched, so memory is held for that long:
 * a tool for tests and CI.
 */
export class MutationDetector<T extends object> {
  readonly #env: Env;
  readonly #keyOf: KeyFn<T>;
  readonly #onMutation: MutationHandler;
  #current: Witness[] = [];
  #retained: Witness[] = [];
  #turnedAt: number;

  constructor(env: Env, keyOf: KeyFn<T>, onMutation?: MutationHandler) {
    this.#env = env;
    this.#keyOf = keyOf;
    const report = onMutation ?? ((error, key) => env.log('error', error.message, { key }));
    this.#onMutation = guarded(env, 'onMutation', report);
    this.#turnedAt = env.now();
  }

  add(object: T): void {
    const before = printForComparison(object);
    if (before !== undefined) this.#current.push({ key: this.#nameOf(object), object, before });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#env.log('warn', 'the cache mutation detector is on: it holds a copy of every object for minutes');
    while (!signal.aborted) {
      await this.#env.sleep(LOOK_EVERY_MS, signal);
      this.compare();
    }
  }

  /** Compares everything that is held. A changed object is reported once. */
  compare(): void {
    const changed = (witness: Witness): boolean => {
      const now = printForComparison(witness.object);
      if (now === witness.before) return false;
      this.#onMutation(
        new KubeError(
          'CACHE_MUTATED',
          `cached object ${witness.key} was changed by user code at ${findChangedPath(JSON.parse(witness.before), witness.object)}`,
        ),
        witness.key,
      );
      return true;
    };
    this.#current = this.#current.filter((witness) => !changed(witness));
    this.#retained = this.#retained.filter((witness) => !changed(witness));
    if (this.#env.now() - this.#turnedAt <= RETAIN_MS) return;
    this.#retained = this.#current;
    this.#current = [];
    this.#turnedAt = this.#env.now();
  }

  #nameOf(object: T): Key {
    try {
      return this.#keyOf(object);
    } catch {
      return '(no name)'; // a transform may have left nothing to tell it by
    }
  }
}

/** Text of a value; undefined for one that cannot be printed, too deep or in a circle, which cannot be watched. */
function printForComparison(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Where two values differ first, as a path. Values are not shown: they may be secrets. */
function findChangedPath(before: unknown, now: unknown): string {
  const steps: string[] = [];
  for (;;) {
    if (typeof before !== 'object' || typeof now !== 'object' || before === null || now === null) break;
    const [left, right] = [before as Record<string, unknown>, now as Record<string, unknown>];
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    const changed = names.find((name) => printForComparison(left[name]) !== printForComparison(right[name]));
    if (changed === undefined) break;
    steps.push(changed);
    before = left[changed];
    now = right[changed];
  }
  return steps.length === 0 ? '(its order of fields)' : steps.join('.');
}

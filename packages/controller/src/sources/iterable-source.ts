import { type Env, errorMessageOf, type Key, untilAborted } from 'kube-informer/core';

/** Pause before an iterable that failed is iterated again; doubles to a minute. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/**
 * Number of values that are read in one turn of the event loop: an iterable that never waits must not block
 * everything else.
 */
const VALUES_PER_TURN = 500;

export interface IterableSourceOptions {
  readonly env: Env;
  readonly controller: string;
  readonly values: AsyncIterable<unknown> | Iterable<unknown>;
  readonly keys: (value: unknown) => Key | Iterable<Key> | undefined;
  readonly enqueue: (key: Key, reason: string) => void;
  /** Called when the keys of a value could not be computed. */
  readonly failed?: () => void;
}

/**
 * Enqueues the keys of each value until the iterable or `signal` ends. A value whose keys cannot be computed is logged and left
 * out; an iterable that throws is iterated again after a pause.
 */
export async function runIterableSource(options: IterableSourceOptions, signal: AbortSignal): Promise<void> {
  const { env, controller, values } = options;
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    let count = 0;
    try {
      for await (const value of iterableValuesUntil(values, signal)) {
        pauseMs = FIRST_PAUSE_MS;
        enqueueIterableValue(options, value);
        if ((count += 1) % VALUES_PER_TURN === 0) await env.yield();
      }
      return;
    } catch (error) {
      env.log('error', 'a source of a controller failed; it is read again after a pause', {
        controller,
        pauseMs,
        error: errorMessageOf(error),
      });
      await env.sleep(pauseMs, signal);
    }
  }
}

function enqueueIterableValue({ env, controller, keys, enqueue, failed }: IterableSourceOptions, value: unknown): void {
  try {
    const found = keys(value) ?? [];
    for (const key of typeof found === 'string' ? [found] : found) enqueue(key, 'related(source)');
  } catch (error) {
    failed?.();
    env.log('error', 'the keys of a source could not be computed; its value is left out', {
      controller,
      error: errorMessageOf(error),
    });
  }
}

/** The values until `signal` aborts. An iterator that has not ended is closed with `return()`, without waiting. */
async function* iterableValuesUntil(
  values: AsyncIterable<unknown> | Iterable<unknown>,
  signal: AbortSignal,
): AsyncGenerator {
  const iterator = Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  try {
    while (!signal.aborted) {
      const result = await untilAborted(Promise.resolve(iterator.next()), signal, 'a source');
      if (result.done === true) return;
      yield result.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    void Promise.resolve(iterator.return?.()).catch(() => {}); // it is abandoned, and so is its error
  }
}

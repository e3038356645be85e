/** A body of given chunks that counts reads and closes. */
export interface TestBody extends AsyncIterable<Uint8Array> {
  /** Calls of `next`, including the end. */
  readonly pulled: number;
  /** Times it was closed before its end. */
  readonly closed: number;
}

export interface BodyOptions {
  /** Thrown after the last chunk, as a broken connection does. */
  readonly error?: unknown;
  /** Called when the body is closed early. */
  readonly onReturn?: () => Promise<void>;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export function body(chunks: Iterable<Uint8Array | string>, options: BodyOptions = {}): TestBody {
  const left = chunks[Symbol.iterator]();
  const counts = { pulled: 0, closed: 0 };
  return {
    get pulled() {
      return counts.pulled;
    },
    get closed() {
      return counts.closed;
    },
    [Symbol.asyncIterator]: () => ({
      next() {
        counts.pulled += 1;
        const next = left.next();
        if (next.done !== true) {
          return Promise.resolve({
            done: false,
            value: typeof next.value === 'string' ? bytes(next.value) : next.value,
          });
        }
        return 'error' in options
          ? Promise.reject(options.error as Error)
          : Promise.resolve({ done: true, value: undefined });
      },
      async return() {
        counts.closed += 1;
        await options.onReturn?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

export function concat(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const all = parts.map((part) => (typeof part === 'string' ? bytes(part) : part));
  const whole = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The bytes cut at the given places, in any order; equal places make an empty chunk. */
export function cutAt(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...places.toSorted((a, b) => a - b), whole.length];
  let from = 0;
  return sorted.map((to) => {
    const chunk = whole.subarray(from, to);
    from = to;
    return chunk;
  });
}

export const everyByte = (whole: Uint8Array): Uint8Array[] =>
  cutAt(
    whole,
    Array.from({ length: Math.max(0, whole.length - 1) }, (_, at) => at + 1),
  );

/** The values of an iteration, and the error it ended with. */
export interface Collected<T> {
  readonly values: T[];
  readonly error: unknown;
}

export async function collect<T>(source: AsyncIterable<T>): Promise<Collected<T>> {
  const values: T[] = [];
  try {
    for await (const value of source) values.push(value);
  } catch (error) {
    return { values, error };
  }
  return { values, error: undefined };
}

export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}

/**
 * V8 of Node 24 and 26 reads an escaped key as another one after it has seen a key with a backslash in its place
 * (https://github.com/nodejs/node/issues/63785). No key of Kubernetes needs an escape at its end; there they are left out.
 */
export const misreadsKeys: boolean = ((): boolean => {
  JSON.parse(String.raw`{"canary":[],"\\":0}`);
  return !Object.hasOwn(JSON.parse(String.raw`{"canary":1,"\n":2}`) as object, '\n');
})();

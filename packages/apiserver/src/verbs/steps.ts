import { internalStatusError } from '../core/status-error.ts';

/**
 * A write as a sequence of synchronous steps. It yields only promises that admission waits for, usually none:
 * without webhooks a write happens in one turn of the event loop, with them in one turn after the last
 * response.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits for a promise inside a write. */
export function* awaitedStep<T>(promise: Promise<T>): Steps<T> {
  return (yield promise) as T;
}

/** Runs all steps of a write. */
export async function doVerbSteps<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = await nextStep(steps, step.value);
  return step.value;
}

async function nextStep<T>(steps: Steps<T>, wait: Promise<unknown>): Promise<IteratorResult<Promise<unknown>, T>> {
  let value: unknown;
  try {
    value = await wait;
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next(value);
}

/** Runs a write that never waits: its target tells admission so. */
export function doVerbStepsNow<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (step.done !== true)
    throw internalStatusError('a write in the same turn was made to wait for a webhook: write this version over HTTP');
  return step.value;
}

/**
 * Thrown when another request wrote the object while admission was waiting. The verb starts again with the
 * newest state.
 */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/** Maximum number of tries, as on a real server. */
const MAX_TRIES = 5;

/** Repeats a verb whose object changed while it waited; `lost` is thrown when there are too many tries. */
export function* retriedSteps<T>(verb: () => Steps<T>, lost: () => Error): Steps<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      return yield* verb();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
  }
  throw lost();
}

import { ConversionNeeded } from '../registry/conversion-needed.ts';
import type { Served } from '../registry/served.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import { awaitedStep, doVerbSteps, type Steps } from './steps.ts';

/**
 * Runs a function that converts objects. If a webhook has to be called, its response is awaited and the
 * function runs again: it must change nothing before its last conversion, and convert the same objects every
 * time.
 */
export function* whenRecordsConverted<T>(run: () => T): Steps<T> {
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      yield* awaitedStep(error.settle());
    }
  }
}

/** Runs a function that converts objects, for a read. */
export const afterRecordsConverted = <T>(run: () => T): Promise<T> => doVerbSteps(whenRecordsConverted(run));

/** Maximum number of concurrent calls of webhooks. */
const AT_ONCE = 16;

/** Converts records, so that `served.object` returns them without waiting. */
export async function convertRecords(served: Served, records: Iterable<StoredRecord>): Promise<void> {
  if (!served.mayWait) return;
  const left = records[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const record = next.value;
      await afterRecordsConverted(() => served.object(record));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

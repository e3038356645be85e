import { linkedAbort } from 'kube-informer/core';
import { notFoundStatusError, tooLargeVersionStatusError, unknownStatusError } from '../core/status-error.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import type { Api, Target } from './api-context.ts';
import { queryVersionFault } from './request/query.ts';

/** Maximum time that a read waits for a revision in the future. */
export const FRESHNESS_WAIT_MS = 3_000;

export function readForVerb({ served, namespace, name }: Target): StoredRecord {
  const record = served.collection.get(namespace, name);
  if (record === undefined) throw notFoundStatusError(served.resource, name);
  return record;
}

/** Reads one object, not older than `resourceVersion`. */
export async function readFreshForVerb(
  api: Api,
  target: Target,
  resourceVersion: string,
  gone: AbortSignal,
): Promise<StoredRecord> {
  const fault = queryVersionFault(resourceVersion);
  // A real server gives this error no reason, so it is a 500.
  if (fault !== undefined) throw unknownStatusError(fault);
  await waitForFreshRead(api, BigInt(resourceVersion), gone);
  return readForVerb(target);
}

/**
 * Waits for a revision from the future, which may be reached soon. Throws 504 after a timeout, and at once
 * when the client is gone.
 */
export async function waitForFreshRead({ env, store }: Api, revision: bigint, gone: AbortSignal): Promise<void> {
  if (revision <= store.revision) return;
  const late = new AbortController();
  const stop = linkedAbort(gone);
  void env.sleep(FRESHNESS_WAIT_MS, stop.signal).then(() => late.abort());
  await store.reached(Number(revision), late.signal);
  stop.abort();
  if (revision > store.revision) throw tooLargeVersionStatusError(revision, store.revision);
}

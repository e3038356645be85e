import { StatusError } from '../core/status-error.ts';
import type { Api, Target } from './api-context.ts';
import { deleteNow } from './delete.ts';
import { listVerb, type Page } from './list-verb.ts';
import type { DeleteOptions } from './request/delete-options.ts';
import type { ListQuery } from './request/query.ts';
import { doVerbSteps } from './steps.ts';

/** Deletes the objects of a list one by one and returns them as they were. */
export async function deleteCollection(
  api: Api,
  target: Target,
  query: ListQuery,
  options: DeleteOptions,
  gone: AbortSignal,
): Promise<Page> {
  const page = await listVerb(api, target.served, target.namespace, query, gone);
  for (const { namespace, name } of page.records) {
    try {
      await doVerbSteps(deleteNow(api, { ...target, namespace, name }, options));
    } catch (error) {
      // Another request deleted it first.
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }
  return page;
}

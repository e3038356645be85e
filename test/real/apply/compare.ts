import { type Status, StatusError } from '../../../packages/apiserver/src/core/status-error.ts';
import type { ApiObject, ManagedFields } from '../../../packages/apiserver/src/core/kube-object.ts';
import { type Answer, APPLY, type Ask } from './requests.ts';
import type { Subject } from './subjects.ts';

/** The server's clock, from its response. */
export const newest = (entries: readonly ManagedFields[] | undefined): string =>
  (entries ?? [])
    .map(({ time }) => time ?? '')
    .toSorted()
    .at(-1) ?? '';

export const timeless = (entries: readonly ManagedFields[] | undefined): unknown =>
  (entries ?? []).map((entry) => ({ ...entry, time: undefined }));

/** Sorts the causes: the server has them in the random order of a Go map. */
export function unordered(status: object): unknown {
  const { details, ...rest } = status as Partial<Status>;
  return {
    ...rest,
    details: { ...details, causes: undefined },
    causes: details?.causes?.map((cause) => JSON.stringify(cause)).toSorted(),
  };
}

/** The write in the form that our functions take. */
export const write = (subject: Subject, manager: string) => ({
  manager,
  apiVersion: subject.path
    .split('/')
    .slice(1, -3)
    .join('/')
    .replace(/^apis?\//, ''),
  schema: subject.resource.schema,
  resource: subject.resource,
  now: '2026-01-01T00:00:00Z',
});

export function refusal(action: () => unknown, said = ''): unknown {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return unordered(error.status);
    throw error;
  }
  throw new Error(`expected a refusal: ${said}`);
}

export const map = (name: string, data: Record<string, unknown>, more: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
  ...more,
});

export const apply = (ask: Ask, path: string, object: ApiObject, manager: string, force = false): Promise<Answer> =>
  ask('PATCH', `${path}/${object.metadata?.name}?fieldManager=${manager}&force=${force}`, object, APPLY);

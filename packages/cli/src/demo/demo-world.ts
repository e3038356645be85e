import type { ApiObject, ApiServer } from '@kube-informer/apiserver';
import type { Env } from 'kube-informer/core';

/** Access to the embedded server without HTTP. */
type Local = ApiServer['local'];

/** The server that the demo runs on. */
export type DemoServer = Pick<ApiServer, 'local' | 'exitContainers'>;

/** Shared by the parts of the simulation: the server, the clock, and random numbers that depend on the seed. */
export interface World {
  readonly local: Local;
  readonly env: Env;
  /** Writes an Event about an object, or increments the count of an existing one. */
  readonly recordEvent: (about: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** A mutable copy of an object. */
export type Draft = ApiObject & {
  metadata: NonNullable<ApiObject['metadata']>;
  // The simulation writes many kinds; the server validates them.
  // oxlint-disable-next-line typescript/no-explicit-any
  [field: string]: any;
};

export const worldDraft = (object: ApiObject): Draft => structuredClone(object) as Draft;

export const worldTimestamp = (wallMs: number): string =>
  // oxlint-disable-next-line no-restricted-globals -- writes a time it was given
  new Date(wallMs).toISOString().replace(/\.\d+Z$/, 'Z');

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** A random suffix of the characters that Kubernetes uses in generated names. */
export function worldNameSuffix(random: () => number, length = 5): string {
  return Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
}

export function pickInWorld<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Writes the status if it changed. Callers must leave out timestamps that would change every time. */
export function putWorldStatus(
  { local }: World,
  group: string,
  resource: string,
  object: ApiObject,
  status: object,
): void {
  const changed = worldDraft(object);
  changed['status'] = { ...(changed['status'] as object | undefined), ...status };
  if (JSON.stringify(changed['status']) === JSON.stringify(object['status'])) return;
  local.update(group, resource, changed, 'status');
}

/** Returns a recorder of Kubernetes Events. */
export function demoWorldRecorder(local: Local, env: Env): World['recordEvent'] {
  return (about, type, reason, message) => {
    const { namespace = 'default', name = '', uid = '' } = about.metadata ?? {};
    const now = worldTimestamp(env.wallNow());
    const known = local.list('', 'events', namespace).find((one) => {
      const involved = one['involvedObject'] as { uid?: string } | undefined;
      return involved?.uid === uid && one['reason'] === reason && one['message'] === message;
    });
    if (known !== undefined) {
      const again = worldDraft(known);
      again['count'] = Number(again['count'] ?? 1) + 1;
      again['lastTimestamp'] = now;
      local.update('', 'events', again);
      return;
    }
    const source = { component: about.kind === 'Pod' ? 'kubelet' : 'controller-manager' };
    const { apiVersion = '', kind = '' } = about;
    local.create('', 'events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `${name}.${worldNameSuffix(() => env.random(), 12)}` },
      involvedObject: { apiVersion, kind, namespace, name, uid },
      type,
      reason,
      message,
      source,
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
    });
  };
}

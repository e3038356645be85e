import { defaultObjects } from '../../core/data.ts';
import type { ApiObject } from '../../core/kube-object.ts';

/** The priorities of every APIService of a custom group. */
const CUSTOM_PRIORITIES = [1000, 100] as const;

/** The APIServices of the built-in groups. */
export function builtinApiServices(now: string): ApiObject[] {
  return Object.entries(defaultObjects().apiServices).map(([name, priorities]) =>
    apiService(name, priorities, 'onstart', now),
  );
}

/** The APIService of a version of a custom group. `name` is `v1.example.com`. */
export const customApiService = (name: string, now: string): ApiObject =>
  apiService(name, CUSTOM_PRIORITIES, 'true', now);

function apiService(name: string, priorities: readonly [number, number], managed: string, now: string): ApiObject {
  const [groupPriorityMinimum, versionPriority] = priorities;
  const dot = name.indexOf('.');
  const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
  const local = { type: 'Available', status: 'True', lastTransitionTime: now, reason: 'Local' };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { 'kube-aggregator.kubernetes.io/automanaged': managed } },
    spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
    status: { conditions: [{ ...local, message: 'Local APIServices are always available' }] },
  };
}

import { KubeError } from 'kube-informer/core';
import type { Env } from 'kube-informer/core';
import type { ApiObject, Resource } from './types.ts';

export interface ChurnOptions {
  /** Plural: `pods`. */
  readonly resource: string;
  readonly group?: string;
  /** Writes per second. @default 100 */
  readonly rate?: number;
  /** @default 1 */
  readonly seconds?: number;
  /** How many objects are written to in turns. @default 100 */
  readonly objects?: number;
  /** @default 'default' */
  readonly namespace?: string;
}

export interface ChurnHost {
  readonly local: { resources(): readonly Resource[] };
  load(objects: Iterable<ApiObject>): number;
}

const TICK_MS = 10;

/** Writes at a steady rate, from inside: the load of a busy cluster without its clients. Returns the number of writes. */
export async function churn(env: Env, host: ChurnHost, options: ChurnOptions, signal: AbortSignal): Promise<number> {
  const { resource, group, rate = 100, seconds = 1, objects = 100, namespace = 'default' } = options;
  const kind = host.local
    .resources()
    .find((one) => one.resource === resource && (group === undefined || one.group === group));
  if (kind === undefined || !(rate > 0) || !(seconds > 0) || !(objects > 0))
    throw new KubeError(
      'INVALID_OPTION',
      `churn: expected a served resource and numbers above 0, got ${JSON.stringify(options)}`,
    );
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const started = env.now();
  let written = 0;
  const object = (): ApiObject => {
    const name = `churn-${written % objects}`;
    const annotations = { churn: String(written) };
    written += 1;
    return { apiVersion, kind: kind.kind, metadata: { name, ...(kind.namespaced ? { namespace } : {}), annotations } };
  };
  const total = Math.round(rate * seconds);
  while (written < total && !signal.aborted) {
    const due = Math.min(total, Math.floor(((env.now() - started) * rate) / 1000) + 1);
    while (written < due) host.load([object()]);
    if (written < total) await env.sleep(TICK_MS, signal);
  }
  return written;
}
